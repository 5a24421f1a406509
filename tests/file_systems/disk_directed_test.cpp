// SPDX-License-Identifier: MIT
#include "sw/workload/subset/subset_workload.h"
#include "tests/support/catch.h"
#include "tests/support/firmware_rig.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using test::FirmwareRig;

TEST_CASE("blocks are written in their order on the disk, although a later one is ready first") {
  // Of block 0 only 8 bytes are written, so it is read first, which takes 1 ms; block 1 is ready at once.
  const test::TemporaryFolder folder;
  workload::SubsetParams params;
  params.operation = requests::Operation::write;
  params.file_size = {4 * FirmwareRig::block};
  params.list = folder.write("list.csv", "processor,offset,length\n0,0,8\n0,1024,1024\n");
  const workload::SubsetWorkload work(params, 1);
  FirmwareRig rig(1, 1, 4 * FirmwareRig::block);
  rig.kind = file_systems::disk_directed::Params{};
  rig.run(work);
  REQUIRE(rig.record().finished());
  CHECK(rig.blocks(0, false) == std::vector<std::uint64_t>{0});
  CHECK(rig.blocks(0, true) == std::vector<std::uint64_t>{0, 1});
}
