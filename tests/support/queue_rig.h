// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "sw/io/store/disk_driver.h"
#include "tests/support/catch.h"
#include "tests/support/fake_node.h"

namespace sunstar::test {

/// A request for two sectors.
struct QueuedRequest final : io::DiskRequest {
  QueuedRequest(std::uint64_t first, bool to_disk = false) {
    sector = first;
    sectors = 2;
    write = to_disk;
    data = {bytes};
  }
  void finished(hal::Status) override { ++ended; }
  int ended = 0;
  std::byte bytes[1024]{};
};

using Sectors = std::vector<std::uint64_t>;

/// The order in which a driver serves requests that come all at once, while it is busy with a read of sector `first`:
/// writes, and then reads, of two sectors each.
inline Sectors served(const std::string& order, std::uint64_t first, const Sectors& reads, const Sectors& writes = {}) {
  FakeMachine machine(1);
  machine[0].add_disk(2000);
  os::Common common(free_of_charge());
  os::Os os(machine[0], common);
  io::DiskDrivers drivers(os, order, {});
  std::deque<QueuedRequest> requests;
  requests.emplace_back(first);
  for (const auto s : writes) requests.emplace_back(s, true);
  for (const auto s : reads) requests.emplace_back(s);
  for (auto& r : requests) drivers[0].submit(r);
  CHECK_FALSE(drivers[0].idle());
  machine.timeline.run();
  CHECK(drivers[0].idle());
  for (auto& r : requests) CHECK(r.ended == 1);
  Sectors log;
  for (const auto& entry : machine[0].disk(0).log) log.push_back(entry.sector);
  return log;
}

}  // namespace sunstar::test
