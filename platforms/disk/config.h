// SPDX-License-Identifier: MIT
#pragma once
#include <filesystem>
#include <optional>

#include "models/core/faults.h"
#include "models/core/one_of.h"
#include "models/core/param.h"
#include "models/core/problems.h"
#include "models/disk/drive_faults.h"
#include "models/disk/drive_params.h"
#include "models/nvme/drive_params.h"
#include "platforms/disk/array/params.h"
#include "platforms/kit/run/run_params.h"
#include "sw/io/store/disk_driver.h"

namespace sunstar::disk_platform {

struct MachineParams {
  disk::DriveParams disk;
  std::optional<nvme::DriveParams> nvme;
  Bandwidth bus_rate{10e6};
  io::DriverParams driver;
  ArrayParams array;
};
BOOST_DESCRIBE_STRUCT(MachineParams, (), (disk, nvme, bus_rate, driver, array))
inline std::vector<Param> parameters(const MachineParams*) {
  return {Param{"disk", "the drive: its name in the catalogue, a file, or the parameters themselves"}.used_if("nvme",
                                                                                                              {"null"}),
          {"nvme", "an NVMe drive instead, for a workload of the kind queues, arrivals or trace"},
          Param{"bus_rate",
                "rate of the bus, which the drive has to itself; if the drive's interface is slower, the interface "
                "limits the rate",
                "1kB/s", "100GB/s", disk::faster_buses}
              .used_if("nvme", {"null"}),
          Param{"driver", "how disk drivers handle commands that fail"}.used_unless("faults", "[]"),
          {"array", "an array of such drives, for a workload of the kind arrivals or trace"}};
}

BOOST_DEFINE_ENUM_CLASS(Spread, fixed, exponential)

struct SyntheticParams {
  static constexpr std::string_view kind = "synthetic";
  static constexpr std::string_view help = "requests drawn at random";
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
BOOST_DESCRIBE_STRUCT(SyntheticParams, (),
                      (read_share, sequential_share, local_share, local_distance, span, size, size_spread, alignment,
                       think_time, think_spread))
inline std::vector<Param> parameters(const SyntheticParams*) {
  return {
      {"read_share", "share of reads", "0", "1"},
      {"sequential_share", "share of requests that go on where the previous one ended, in its direction", "0", "1"},
      {"local_share", "share of the non-sequential requests that lie near the previous one", "0", "1"},
      Param{"local_distance", "greatest distance of such a request from the previous one", "512B", "1GiB"}.used_unless(
          "local_share", "0"),
      {"span", "share of the drive, from its first block on, to which requests go", "0.000001", "1"},
      {"size", "size of a request; if sizes vary, their mean", "512B", "16MiB"},
      {"size_spread", "distribution of sizes"},
      {"alignment", "non-sequential requests begin at multiples of this; if sizes vary, they are multiples of it too",
       "512B", "16MiB"},
      {"think_time", "time from the end of a request to the next request; if think times vary, their mean", "0s",
       "1000s"},
      {"think_spread", "distribution of think times"}};
}

/// Whether the think time in a trace's line passes before the next request or before the line's own.
BOOST_DEFINE_ENUM_CLASS(ThinkBefore, next_request, own_request)

/// A recorded load of streams: a request of a stream comes some time after the end of the one before it.
struct TraceParams {
  static constexpr std::string_view kind = "trace";
  static constexpr std::string_view help = "requests from a file, each some time after the one before it of its device";
  std::filesystem::path trace;
  ThinkBefore think_before = ThinkBefore::next_request;
  double think_scale = 1;
  std::uint32_t depth = 1;
};
BOOST_DESCRIBE_STRUCT(TraceParams, (), (trace, think_before, think_scale, depth))
inline std::vector<Param> parameters(const TraceParams*) {
  return {{"trace",
           "file, plain or .gz: a block trace as of the kind arrivals; or a line for each request: R or W, a word, "
           "block number, number of 512-byte blocks, measured response time and think time after it in us"},
          {"think_before", "whether a line's think time passes before the next request or before its own"},
          {"think_scale", "the think times of the file are multiplied by this; 0: as fast as possible", "0", "1000000"},
          {"depth", "most requests under way of each device of the trace", "1", "65536"}};
}
inline void check(const TraceParams& t, const std::string& path, Problems& problems) {
  if (t.trace.empty()) problems.add(json_path(path, "trace"), "is empty; a workload of the kind trace needs a file");
}

BOOST_DEFINE_ENUM_CLASS(Operations, as_recorded, reads, writes)

/// A recorded load whose requests come at their times, even if earlier ones have not ended.
struct ArrivalsParams {
  static constexpr std::string_view kind = "arrivals";
  static constexpr std::string_view help = "requests from a file, each at its time, even if others have not ended";
  std::filesystem::path trace;
  double time_scale = 1;
  Operations operations = Operations::as_recorded;
};
BOOST_DESCRIBE_STRUCT(ArrivalsParams, (), (trace, time_scale, operations))
inline std::vector<Param> parameters(const ArrivalsParams*) {
  return {{"trace",
           "block trace, plain or .gz, as sunstar trace import writes it: CSV with the columns t_ms, lbn, sectors (of "
           "512 bytes) and op (R or W), in the order of the times, and perhaps device, response_ms and think_ms"},
          {"time_scale", "the times of the file are multiplied by this", "0.000001", "1000000"},
          {"operations", "operations of the requests: as in the file, or all reads, or all writes"}};
}
inline void check(const ArrivalsParams& a, const std::string& path, Problems& problems) {
  if (a.trace.empty()) problems.add(json_path(path, "trace"), "is empty; a workload of the kind arrivals needs a file");
}

/// When a job submits its next command.
BOOST_DEFINE_ENUM_CLASS(Pacing,
                        closed,  ///< as soon as fewer than its depth are under way
                        paced,   ///< at even distances
                        poisson  ///< at exponentially distributed distances
)

/// Where a job's commands go.
BOOST_DEFINE_ENUM_CLASS(Places, sequential, uniform, zipf, pareto)

/// A size of a job's commands.
struct SizeShare {
  Bytes size{4096};
  double share = 1;
};
BOOST_DESCRIBE_STRUCT(SizeShare, (), (size, share))
inline std::vector<Param> parameters(const SizeShare*) {
  return {{"size", "bytes of a command", "512B", "16MiB"}, {"share", "share of the commands", "0.000001", "1000000"}};
}

/// Equal jobs with a submission queue each, as the I/O tester fio runs them.
struct JobParams {
  std::uint32_t number = 1;
  double reads = 1;
  Places places = Places::uniform;
  double skew = 0.5;
  std::vector<SizeShare> sizes{{}};
  std::uint32_t depth = 64;
  Pacing pacing = Pacing::closed;
  double rate = 10000;
  Duration pause{0};
  Bytes offset{0}, span{0}, amount{0};
};
BOOST_DESCRIBE_STRUCT(JobParams, (),
                      (number, reads, places, skew, sizes, depth, pacing, rate, pause, offset, span, amount))
inline std::vector<Param> parameters(const JobParams*) {
  return {
      {"number", "how many such jobs there are", "1", "1024"},
      {"reads", "share of reads; the other commands write", "0", "1"},
      {"places",
       "one behind the other, reads and writes by themselves, or at random: all equally likely, or by Zipf's or "
       "Pareto's law, scattered over the span"},
      Param{"skew", "exponent of Zipf's law; of Pareto's, the share of places to which all others go", "0.001", "10"}
          .used_if("places", {"zipf", "pareto"}),
      {"sizes", "sizes of the commands; random places are multiples of the smallest one"},
      {"depth", "most commands that each has under way", "1", "65535"},
      {"pacing", "when they submit"},
      Param{"rate", "commands a second of all of them together", "0.001", "1000000000"}.used_unless("pacing", "closed"),
      {"pause", "time from the end of each command to the next", "0s", "1000s"},
      {"offset", "where their part of the drive begins", "0B"},
      {"span", "bytes of their part; 0: up to the drive's end", "0B"},
      {"amount", "bytes after which each of them ends; 0: no limit", "0B"}};
}

struct QueuesParams {
  static constexpr std::string_view kind = "queues";
  static constexpr std::string_view help = "jobs with a submission queue each, to an NVMe drive";
  std::vector<JobParams> jobs{{}};
  bool quiesce = true;
  Duration submit_time = std::chrono::microseconds{3};
  Duration warm_up = std::chrono::milliseconds{20};
  Duration duration = std::chrono::milliseconds{200};
};
BOOST_DESCRIBE_STRUCT(QueuesParams, (), (jobs, quiesce, submit_time, warm_up, duration))
inline std::vector<Param> parameters(const QueuesParams*) {
  return {{"jobs", "the jobs"},
          {"quiesce",
           "whether a job that is ahead of its pace waits for its commands and then pauses, as fio does; otherwise "
           "each command ends as soon as the drive has ended it"},
          {"submit_time", "host's time to submit a command", "0s", "1ms"},
          {"warm_up", "time before commands count", "0s", "1000s"},
          {"duration", "most time for which commands are submitted and count", "1us", "1000s"}};
}

/// The requests to the drive: one after the other, each some time after the end of the one before it, or at times of
/// their own.
struct WorkloadParams {
  OneOf<SyntheticParams, TraceParams, ArrivalsParams, QueuesParams> kind;
  std::uint64_t requests = 0;
};
BOOST_DESCRIBE_STRUCT(WorkloadParams, (), (kind, requests))
inline std::vector<Param> parameters(const WorkloadParams*) {
  return {{"kind", "where the requests come from"},
          {"requests", "number of requests; 0: all requests of a file, or 10000 synthetic ones", "0", "1000000000"}};
}

struct RunParams : kit::RunParams {
  std::filesystem::path records;
};
BOOST_DESCRIBE_STRUCT(RunParams, (kit::RunParams), (records))
inline std::vector<Param> parameters(const RunParams*) {
  return {{"seed", "determines the spindle's phase, the arm's first cylinder and a synthetic load"},
          {"records", "CSV file to write, with one line for each request of the first trial; none if empty"}};
}

struct Fault : faults::FaultOf<disk::FaultEffects> {};
BOOST_DESCRIBE_STRUCT(Fault, (faults::FaultOf<disk::FaultEffects>), ())
inline std::vector<Param> parameters(const Fault*) {
  return {{"place",
           "the drive: disk, or disk0, disk1 and so on of an array; * and ? stand for any characters, and then each "
           "drive that fits has the fault, by itself"}};
}

struct Config {
  MachineParams machine;
  WorkloadParams workload;
  std::vector<Fault> faults;
  RunParams run;
};
BOOST_DESCRIBE_STRUCT(Config, (), (machine, workload, faults, run))
inline std::vector<Param> parameters(const Config*) {
  return {{"machine", "the hardware"},
          {"workload", "the requests to the drive"},
          {"faults", "faults of drives during the run"},
          {"run", "how many trials, and from which seed"}};
}
void check(const Config& config, const std::string& path, Problems& problems);

/// The name of a drive: "disk", or "disk3" in an array.
std::string drive_name(const ArrayParams& array, std::uint32_t disk);

}  // namespace sunstar::disk_platform
