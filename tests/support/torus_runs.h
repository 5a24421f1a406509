// SPDX-License-Identifier: MIT
#pragma once
#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/kit/run/trials.h"
#include "tests/support/catch.h"
#include "tests/support/machines.h"

namespace sunstar::test {

/// The file system of that name, with its defaults.
inline file_systems::Kinds file_system_of(std::string_view name) {
  file_systems::Kinds kind;
  REQUIRE(kind.choose(name));
  return kind;
}
/// The names of the file systems with a network between applications and their files.
inline std::vector<std::string> over_a_network() {
  auto names = file_systems::Kinds::kind_names();
  std::erase(names, std::string(file_systems::local::Params::kind));
  return names;
}
inline workload::PatternParams& pattern_of(machine::Config& c) { return c.workload.kind.as<workload::PatternParams>(); }
inline const workload::PatternParams& pattern_of(const machine::Config& c) {
  return c.workload.kind.as<workload::PatternParams>();
}

/// A node stops.
inline machine::Fault stop(std::string_view place, Duration at) {
  machine::Fault fault;
  fault.place = place;
  fault.effect = node::Stop{};
  fault.trigger.kind = faults::AtTime{at};
  return fault;
}

/// Two compute processors, two I/O processors with a disk each, or a node with two disks for local files; a file of 64
/// KiB. Nodes notice when others are gone, and messages may take detours.
inline machine::Config small_torus(std::string_view file_system = "traditional-caching") {
  machine::Config config;
  config.machine.compute_processors = config.machine.io_processors = config.machine.disks = 2;
  config.machine.peers.kind = os::Watched{};
  cube_of(config).shape = {2, 2};
  cube_of(config).router.vc_class_rule = "dateline";
  config.file_system.kind = file_system_of(file_system);
  if (file_system == "local")
    config.machine.compute_processors = config.machine.io_processors = config.machine.combined = 1;
  pattern_of(config).file_size = {64 << 10};
  return config;
}

/// What a run must count: worked out from the workload alone, not from the file system.
struct ExpectedCounts {
  std::uint64_t calls = 0, bytes = 0, messages = 0, blocks = 0;
  bool write = false;
};

inline ExpectedCounts expected_counts(const machine::Config& config) {
  const auto machine = machine::blueprint(config).machine;
  const auto work = workload::make(config.workload, {machine.compute_processors, machine.io_processors, machine.disks});
  const std::uint64_t block = config.file_system.block_size.count;
  ExpectedCounts e;
  e.bytes = work->bytes_moved();
  for (const auto& f : work->files()) e.blocks += (f.bytes + block - 1) / block;
  e.write = work->files()[0].written;
  const std::uint64_t barrier = 2 * (machine.compute_processors - 1);  // all tell the first, the first tells all
  const std::uint64_t tell_io = 2 * machine.io_processors;             // a request to each and its answer
  const auto kind = config.file_system.kind.kind_name();
  if (kind == "two-phase") {
    e.calls = work->collectives().size();
  } else if (kind != "disk-directed") {
    // A request and an answer for each part of a call that lies in one block; barriers at the start
    // and the end, and a sync.
    e.calls = work->access_count();
    requests::Access a;
    for (std::uint32_t p = 0; p < work->processors(); ++p)
      for (auto source = work->accesses(p); source->next(a);) {
        if (a.in_step && p == 0) e.messages += barrier;
        if (a.bytes > 0) e.messages += 2 * ((a.offset + a.bytes - 1) / block - a.offset / block + 1);
      }
    e.messages += 2 * barrier + tell_io;
  } else {
    // Two barriers and a request to the I/O processors a collective; a Memput or Memget and its answer for each piece.
    e.calls = work->collectives().size();
    std::vector<requests::Piece> pieces;
    for (const auto& c : work->collectives()) {
      for (std::uint64_t at = 0, end = work->files()[c.file].bytes; at < end; at += block)
        c.mapping->pieces(at, std::min(block, end - at), pieces);
      e.messages += 2 * barrier + tell_io;
    }
    e.messages += 2 * pieces.size();
  }
  return e;
}

/// A trial as tests look at it: its figures, and the statistics among them.
inline boost::json::object figures_of(const kit::Trial<machine::Result>& trial) {
  const boost::json::object all = kit::to_json(trial);
  boost::json::object figures = all.at("result").as_object();
  figures["statistics"] = all.at("statistics");
  figures["host"] = all.at("host");
  return figures;
}

/// One trial of each configuration, each in a process of its own, two at a time.
inline std::vector<boost::json::object> run_each(const std::vector<machine::Config>& configs) {
  return kit::run_trials(static_cast<std::uint32_t>(configs.size()), 2,
                         [&](std::uint32_t i) { return figures_of(machine::run_trial(configs[i], 0)); });
}

/// Why the configuration cannot run to its end; empty if it can.
inline std::string refusal(const machine::Config& config) {
  try {
    run_each({config, config});
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

inline std::uint64_t count(const boost::json::object& result, const char* key) {
  return result.at(key).to_number<std::uint64_t>();
}

/// Sum of the statistics whose names end in `ending`.
inline std::uint64_t sum_of(const boost::json::object& result, std::string_view ending) {
  std::uint64_t sum = 0;
  for (const auto& [name, s] : result.at("statistics").as_object())
    if (std::string_view(name).ends_with(ending)) sum += s.at("value").to_number<std::uint64_t>();
  return sum;
}

}  // namespace sunstar::test
