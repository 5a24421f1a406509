// SPDX-License-Identifier: MIT
// Shares of time are of the time that is measured: from the first request to the end of the run.
#include "sw/registry/file_systems.h"
#include "tests/support/catch.h"
#include "tests/support/torus_runs.h"

using namespace sunstar;
using namespace sunstar::literals;

namespace {

/// An honest file system that begins late, as one does that prepares for long.
class Late : public file_systems::FileSystem {
 public:
  Late(file_systems::Run& run, const file_systems::FileSystemParams& params, Duration after)
      : run_(run), honest_(file_systems::make(params, run)), after_(after) {}
  void start() override { run_.nodes.io[0].endpoint.os.spawn(begin(), "late"); }
  workload::Unit unit(std::uint32_t team) const override { return honest_->unit(team); }

 private:
  os::Task<> begin() {
    co_await run_.nodes.io[0].endpoint.os.sleep_until(Time{after_});
    honest_->start();
  }
  file_systems::Run& run_;
  std::unique_ptr<file_systems::FileSystem> honest_;
  Duration after_;
};

double value(const boost::json::object& statistics, const std::string& name) {
  INFO(name);
  return statistics.at(name).at("value").to_number<double>();
}

}  // namespace

TEST_CASE("what a file system does before the first request is no part of the shares of time") {
  for (const char* const kind : {"disk-directed", "traditional-caching"}) {
    const machine::Config config = test::small_torus(kind);
    const auto runs = kit::run_trials(2, 2, [&](std::uint32_t i) {
      const auto make = [&](file_systems::Run& run) {
        return std::make_unique<Late>(run, config.file_system, i == 0 ? 0_ms : 3000_ms);
      };
      return test::figures_of(machine::run_trial(config, 0, {}, make));
    });
    const boost::json::object &at_once = runs[0].at("statistics").as_object(),
                              &late = runs[1].at("statistics").as_object();
    std::size_t shares = 0;
    for (const auto& [name, one] : at_once) {
      if (one.as_object().at("unit") != "fraction") continue;
      INFO(kind << " " << std::string(name));
      // The disks' turns differ.
      CHECK(value(late, name) == Approx(value(at_once, name)).margin(0.1));
      ++shares;
    }
    CHECK(shares > 20);
    CHECK(value(late, "machine.iop0_scsi0.disk0.utilisation") > 0.5);
  }
}
