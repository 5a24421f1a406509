// SPDX-License-Identifier: MIT
#include "platforms/disk/config.h"
#include "platforms/disk/results.h"
#include "platforms/kit/config.h"
#include "tests/support/catch.h"
#include "tests/support/declaration_faults.h"

using namespace sunstar;

TEST_CASE("the parameters and figures of sunstar-disk are declared without faults") {
  CHECK(kit::parameter_faults<disk_platform::Config>() == std::vector<std::string>{});
  CHECK(kit::figure_faults<disk_platform::Result>() == std::vector<std::string>{});
}

TEST_CASE("a drive of one kind where the other belongs is answered in one line") {
  const auto refused = [](const std::string& setting) {
    kit::ConfigInput input;
    input.settings.add(setting);
    try {
      kit::load_config<disk_platform::Config>(std::move(input));
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string drives = (kit::project_folder() / "models/disk/drives").string();
  CHECK(refused("machine.nvme=barracuda") ==
        "--set machine.nvme=barracuda: machine.nvme is \"barracuda\", which lies in " + drives +
            "; it must be one of the NVMe drives of " + drives + "/nvme.");
  CHECK(refused("machine.disk=aws-i3") == "--set machine.disk=aws-i3: machine.disk is \"aws-i3\", which lies in " +
                                              drives + "/nvme; it must be one of the drives of " + drives + ".");
  CHECK(refused("machine.nvme=" + drives + "/barracuda.json")
            .ends_with("barracuda.json\"; this file describes no NVMe drive."));
  CHECK(refused("machine.disk=" + drives + "/nvme/aws-i3.json")
            .ends_with("aws-i3.json\"; this file describes no drive."));
}
