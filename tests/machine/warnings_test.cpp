// SPDX-License-Identifier: MIT
#include "platforms/machine/run/run.h"
#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::literals;
using Sentences = std::vector<std::string>;
using machine::MachineParams;

namespace {

/// The warnings about a machine given by counts.
Sentences said(const MachineParams& params, const machine::Plan& plan) {
  Problems problems;
  const auto blueprint = machine::draw(params, network::Places::by_number(8192), {}, 1, "machine", problems);
  CHECK(problems.empty());
  return machine::warnings(blueprint.machine, plan);
}
Sentences said(const machine::Plan& plan) { return said({}, plan); }
Sentences said(const MachineParams& params) { return said(params, {}); }

template <class FileSystem>
machine::Plan with(FileSystem file_system, const char* pattern = "rb") {
  machine::Plan plan;
  plan.file_system.kind = std::move(file_system);
  plan.workload.kind.as<workload::PatternParams>().pattern = pattern;
  return plan;
}

}  // namespace

TEST_CASE("the defaults give no cause for doubt") { CHECK(said(MachineParams{}) == Sentences{}); }

TEST_CASE("doubtful: caches for writes on a workload that only reads") {
  using Enwrich = file_systems::enwrich::Params;
  const Sentences sentence{
      "file_system.kind is enwrich, whose caches on compute processors are for writes, but the workload only reads; "
      "traditional-caching and disk-directed are made for reads"};
  CHECK(said(with(Enwrich{})) == sentence);
  CHECK(said(with(Enwrich{}, "wb")) == Sentences{});
  CHECK(said(with(Enwrich{}, "wrbb")) == Sentences{});
  auto plan = with(Enwrich{});
  plan.workload.kind = workload::TraceParams{};  // nobody has read it yet
  CHECK(said(plan) == Sentences{});
  plan.workload.kind = workload::StreamsParams{};  // uses no file system
  CHECK(said(plan) == Sentences{});
  workload::JobParams reads, writes;
  reads.processors = writes.processors = 8;
  writes.kind.as<workload::PatternParams>().pattern = "wb";
  plan.workload.jobs = {reads, reads};
  CHECK(said(plan) == sentence);
  plan.workload.jobs = {reads, writes};
  CHECK(said(plan) == Sentences{});
}

TEST_CASE("doubtful: drives that cannot be dealt out evenly") {
  MachineParams params;
  params.disks = 7;
  params.io_processors = 4;
  CHECK(said(params) == Sentences{"some I/O processors have 2 drives and others 1: those with more end last"});
}

TEST_CASE("doubtful: a drive whose media rate exceeds its bus's rate") {
  // 72 sectors of 512 bytes at 4002 revolutions a minute: 72 * 512 * 66.7 = 2458829 bytes/s.
  MachineParams params;
  params.bus.data_rate = 2_MBps;
  CHECK(said(params) == Sentences{"the drive \"HP 97560\" passes up to 2.4588 MB/s under a head, more than "
                                  "machine.bus.data_rate (2MB/s) carries: the bus sets its pace"});
  params.bus.data_rate = Bandwidth{2.5e6};
  CHECK(said(params) == Sentences{});
  // A faster drive on one of the buses.
  disk::DriveParams fast = params.disk;
  fast.name = "fast";
  fast.rpm = 7200;
  machine::NodeSpec compute, io;
  io.role = machine::Role::io;
  io.count = 4;
  io.buses = {{2, {machine::DriveGroup{3, {}, {}}, machine::DriveGroup{1, fast, {}}}}};
  params.nodes = {compute, io};
  const auto sentences = said(params);
  CHECK(sentences.front() ==
        "the drive \"fast\" passes up to 4.4237 MB/s under a head, more than "
        "machine.bus.data_rate (2.5MB/s) carries: the bus sets its pace");
  // Of the three such drives, two sentences on their skews and one on what they leave to the preset.
  CHECK(Sentences(sentences.begin() + 1, sentences.end()) == disk::drive_warnings(fast));
}

TEST_CASE("doubtful: more drives on a bus than it has addresses") {
  MachineParams params;
  params.io_processors = 1;
  params.disks = 15;
  CHECK(said(params) == Sentences{});
  params.disks = 16;
  CHECK(said(params) == Sentences{"a SCSI bus has 16 drives; a real one has addresses for 15, or 7 if it is narrow"});
}

TEST_CASE("doubtful: a memory that is slower than a bus whose data go through it") {
  MachineParams params;
  params.node.memory_bandwidth = 5_MBps;
  params.costs.copy_per_byte = Cycles{21};
  CHECK(said(params) == Sentences{"machine.node.memory_bandwidth (5MB/s) is less than machine.bus.data_rate (10MB/s), "
                                  "whose data go through that memory: one disk bus is more than a node can take"});
}

TEST_CASE("doubtful: a processor that copies faster than the memory reads and writes") {
  // At 200 MHz and 0.5 cycles a byte, 400 MB/s are read and as many written; the fastest clock is 200.1 MHz.
  MachineParams params;
  params.node.clock = 100_MHz;
  CHECK(said(params) == Sentences{});
  params.node.clock = 200_MHz;
  CHECK(said(params) ==
        Sentences{"a copy reads and writes each byte, and machine.node.memory_bandwidth (400MB/s) makes it take 1.0005 "
                  "cycles a byte, not machine.costs.copy_per_byte (0.5)"});
  params.node.issue_width = 0.5;
  CHECK(said(params) == Sentences{});
}

TEST_CASE("doubtful: a cache that is smaller than one request") {
  file_systems::pvfs::Params pvfs;
  pvfs.module.size = 32_KiB;
  machine::Plan plan = with(pvfs);
  CHECK(said(plan) == Sentences{});
  workload::SharingParams sharing;
  plan.workload.kind = sharing;
  CHECK(said(plan) == Sentences{"file_system.module.size (32KiB) is smaller than one request of workload (64KiB): the "
                                "cache cannot hold even one"});
  pvfs.module.enabled = false;
  plan.file_system.kind = pvfs;
  CHECK(said(plan) == Sentences{});
  file_systems::enwrich::Params enwrich;
  enwrich.enwrich.cache_size = 4_KiB;
  CHECK(said(with(enwrich, "wb")) == Sentences{"file_system.enwrich.cache_size (4KiB) is smaller than one request of "
                                               "workload (8KiB): the cache cannot hold even one"});
}

TEST_CASE("doubtful: more disks than the file has blocks") {
  // 100000 bytes are 13 blocks of 8 KiB, the last one in part.
  machine::Plan plan;
  auto& pattern = plan.workload.kind.as<workload::PatternParams>();
  pattern.file_size = Bytes{100000};
  pattern.record_size = Bytes{100};
  CHECK(said(plan) == Sentences{"workload.file_size (100kB) is 13 blocks of file_system.block_size (8KiB): 3 of the 16 "
                                "disks hold no part of the file"});
  plan.file_system.store.kind = io::redundant::Mirror{};  // which writes copies, too
  CHECK(said(plan) == Sentences{});
  plan.file_system.store.kind = io::plain::Params{};
  pattern.file_size = Bytes{122900};  // 16 blocks
  CHECK(said(plan) == Sentences{});
  plan = {};
  workload::SubsetParams subset;
  subset.file_size = 8_KiB;
  plan.workload.kind = subset;
  CHECK(said(plan) == Sentences{"workload.file_size (8KiB) is 1 block of file_system.block_size (8KiB): 15 of the 16 "
                                "disks hold no part of the file"});
  subset.list = "pieces.csv";  // which may say that the file is larger
  plan.workload.kind = subset;
  CHECK(said(plan) == Sentences{});
  workload::IorParams ior;
  ior.tasks = 2;
  ior.transfer_size = ior.block_size = 8_KiB;
  plan.workload.kind = ior;
  CHECK(said(plan) == Sentences{"the size of all files of workload (16KiB) is 2 blocks of file_system.block_size "
                                "(8KiB): 14 of the 16 disks hold no part of the file"});
}

TEST_CASE("doubtful: more compute processors than records") {
  machine::Plan plan;
  auto& pattern = plan.workload.kind.as<workload::PatternParams>();
  pattern.record_size = 1_MiB;
  CHECK(said(plan) == Sentences{"workload has 10 records for 16 compute processors: the others have nothing to do"});
  for (const char* everything : {"rn", "ra"}) {
    pattern.pattern = everything;
    CHECK(said(plan) == Sentences{});
  }
}

TEST_CASE("doubtful: two-phase I/O of one processor") {
  MachineParams params;
  params.compute_processors = 1;
  CHECK(
      said(params, with(file_systems::two_phase::Params{})) ==
      Sentences{"file_system.kind is two-phase, but there is one compute processor: it has no other to exchange with"});
  CHECK(said(with(file_systems::two_phase::Params{})) == Sentences{});
}
