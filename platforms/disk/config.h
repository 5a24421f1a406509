// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "models/core/param.h"
#include "models/core/problems.h"
#include "models/disk/drive_params.h"

// The configuration of sunstar-disk.
namespace sunstar::disk_platform {

struct MachineParams {
  disk::DriveParams disk;
  Bandwidth bus_rate{10e6};
};
BOOST_DESCRIBE_STRUCT(MachineParams, (), (disk, bus_rate))
inline std::vector<Param> parameters(const MachineParams*) {
  return {{"disk", "the drive: one of the catalogue, a file or the parameters themselves"},
          {"bus_rate", "rate of the bus it has to itself; a drive whose interface is slower sets the pace", "1kB/s",
           "100GB/s"}};
}

enum class WorkloadKind { synthetic, trace };
BOOST_DESCRIBE_ENUM(WorkloadKind, synthetic, trace)
enum class Spread { fixed, exponential };
BOOST_DESCRIBE_ENUM(Spread, fixed, exponential)

/// Which request a trace's think time lies before: the next one, or the one in whose line it stands.
enum class ThinkBefore { next_request, own_request };
BOOST_DESCRIBE_ENUM(ThinkBefore, next_request, own_request)

/// What is asked of the drive: one request after the other, each some time after the one before it has been reported.
struct WorkloadParams {
  WorkloadKind kind = WorkloadKind::synthetic;
  std::filesystem::path trace;
  ThinkBefore think_before = ThinkBefore::next_request;
  std::uint64_t requests = 0;
  double read_share = 0.66;
  double sequential_share = 0;
  double local_share = 0;
  Bytes local_distance{1 << 20};
  double span = 1;
  Bytes size{8192};
  Spread size_spread = Spread::fixed;
  Bytes alignment{4096};
  Duration think_time{0};
  Spread think_spread = Spread::fixed;
};
BOOST_DESCRIBE_STRUCT(WorkloadParams, (),
                      (kind, trace, think_before, requests, read_share, sequential_share, local_share, local_distance,
                       span, size, size_spread, alignment, think_time, think_spread))
inline std::vector<Param> parameters(const WorkloadParams*) {
  const auto trace = [](Param p) { return std::move(p).used_if("kind", {"trace"}); };
  const auto synthetic = [](Param p) { return std::move(p).used_if("kind", {"synthetic"}); };
  return {
      {"kind", "where the requests come from"},
      trace({"trace",
             "file, plain or .gz, with a line a request: R or W, a word, block number, 512-byte blocks, measured "
             "response and think time after it in us"}),
      trace({"think_before", "whether a line's think time lies before the next request or before its own"}),
      {"requests", "how many; 0: all of a trace, 10000 synthetic ones", "0", "1000000000"},
      synthetic({"read_share", "share of reads", "0", "1"}),
      synthetic({"sequential_share", "share of requests that begin where the one before ended and are of its kind", "0",
                 "1"}),
      synthetic({"local_share", "share of requests, of those not sequential, that lie near the one before", "0", "1"}),
      Param{"local_distance", "greatest distance of those", "512B", "1GiB"}.used_unless("local_share", "0"),
      synthetic({"span", "share of the drive, from its first block, that requests go to", "0.000001", "1"}),
      synthetic({"size", "size of a request, the mean if it varies", "512B", "16MiB"}),
      synthetic({"size_spread", "distribution of sizes"}),
      synthetic({"alignment", "what the first byte is a multiple of, and the size if it varies", "512B", "16MiB"}),
      synthetic(
          {"think_time", "time from a request's report to the next request, the mean if it varies", "0s", "1000s"}),
      synthetic({"think_spread", "distribution of think times"})};
}
void check(const WorkloadParams& workload, const std::string& path, Problems& problems);

struct RunParams {
  std::uint64_t seed = 1;
  std::uint32_t trials = 1;
  std::uint32_t jobs = 0;
  std::filesystem::path records;
};
BOOST_DESCRIBE_STRUCT(RunParams, (), (seed, trials, jobs, records))
inline std::vector<Param> parameters(const RunParams*) {
  return {{"seed", "drives the spindle's phase, the arm's first place and a synthetic load"},
          {"trials", "runs with seeds seed, seed + 1, ...; the result is their mean", "1", "10000"},
          {"jobs", "trials at the same time; 0: as many as the host has processors", "0", "1024"},
          {"records", "CSV file to write, a line for each request of the first trial; none if empty"}};
}

struct Config {
  MachineParams machine;
  WorkloadParams workload;
  RunParams run;
};
BOOST_DESCRIBE_STRUCT(Config, (), (machine, workload, run))
inline std::vector<Param> parameters(const Config*) {
  return {{"machine", "the hardware"}, {"workload", "what is asked of it"}, {"run", "how often, and from which seed"}};
}
void check(const Config& config, const std::string& path, Problems& problems);

}  // namespace sunstar::disk_platform
