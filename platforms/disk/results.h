// SPDX-License-Identifier: MIT
#pragma once
#include <optional>

#include "models/core/figure.h"
#include "platforms/kit/results/common.h"

namespace sunstar::disk_platform {

struct Throughput : kit::Throughput {
  double requests_per_s = 0;
};
BOOST_DESCRIBE_STRUCT(Throughput, (kit::Throughput), (requests_per_s))
inline std::vector<Figure> figures(const Throughput*) {
  return {{"mib_per_s", "bytes moved, divided by the time until the end of the last request", "MiB/s"},
          {"requests_per_s", "requests, divided by that time", "1/s"}};
}

/// Response times. Without requests, only the count is known.
struct Response {
  std::uint64_t count = 0;
  std::optional<double> mean_ms = {}, p50_ms = {}, p90_ms = {}, p95_ms = {}, p99_ms = {}, p999_ms = {}, max_ms = {};
};
BOOST_DESCRIBE_STRUCT(Response, (), (count, mean_ms, p50_ms, p90_ms, p95_ms, p99_ms, p999_ms, max_ms))
inline std::vector<Figure> figures(const Response*) {
  const auto time = [](Literal name, Literal help) { return Figure{name, help, "ms"}.left_out_if_unknown(); };
  return {{"count", "requests"},
          time("mean_ms", "mean time from a request to its end"),
          time("p50_ms", "half of the requests took no longer"),
          time("p90_ms", "90 % of the requests took no longer"),
          time("p95_ms", "95 % of the requests took no longer"),
          time("p99_ms", "99 % of the requests took no longer"),
          time("p999_ms", "99.9 % of the requests took no longer"),
          time("max_ms", "the longest response time")};
}

/// Where the time of a command to a drive goes, in milliseconds on average.
struct Work {
  std::optional<double> queue_ms = {};
  double overhead_ms = 0, wait_ms = 0, seek_ms = 0, rotation_ms = 0, transfer_ms = 0, bus_ms = 0;
};
BOOST_DESCRIBE_STRUCT(Work, (), (queue_ms, overhead_ms, wait_ms, seek_ms, rotation_ms, transfer_ms, bus_ms))
inline std::vector<Figure> figures(const Work*) {
  return {
      Figure{"queue_ms", "time of a request in the driver, before its command; of a disk with a driver, no array", "ms"}
          .left_out_if_unknown(),
      {"overhead_ms", "time of the controller", "ms"},
      {"wait_ms", "time until the heads are free, as of a write that was reported before", "ms"},
      {"seek_ms", "time to move the arm and switch heads", "ms"},
      {"rotation_ms", "time until the sector comes by", "ms"},
      {"transfer_ms", "time to or from the medium", "ms"},
      {"bus_ms", "time on the bus", "ms"}};
}

struct Buffer {
  double hits = 0, streamed_or_joined = 0;
};
BOOST_DESCRIBE_STRUCT(Buffer, (), (hits, streamed_or_joined))
inline std::vector<Figure> figures(const Buffer*) {
  return {{"hits", "share of requests that the on-board buffer served"},
          {"streamed_or_joined", "share of requests that continued a read under way or joined a write"}};
}

/// Comparison with the real drive's response times, as a trace gives them.
struct DemeritFigures {
  double ms = 0, percent = 0, reads_percent = 0, writes_percent = 0, within_half_ms_percent = 0, mean_error_ms = 0,
         mean_error_percent = 0, mean_absolute_error_ms = 0, measured_mean_ms = 0;
};
BOOST_DESCRIBE_STRUCT(DemeritFigures, (),
                      (ms, percent, reads_percent, writes_percent, within_half_ms_percent, mean_error_ms,
                       mean_error_percent, mean_absolute_error_ms, measured_mean_ms))
inline std::vector<Figure> figures(const DemeritFigures*) {
  return {
      {"ms", "root mean square distance between the distributions (Ruemmler and Wilkes 1994)", "ms"},
      {"percent", "that distance, as a share of the measured mean", "%"},
      {"reads_percent", "the same for reads alone", "%"},
      {"writes_percent", "the same for writes alone", "%"},
      {"within_half_ms_percent", "share of requests whose simulated time is within 0.5 ms of the measured one", "%"},
      {"mean_error_ms", "mean of the simulated minus the measured response times", "ms"},
      {"mean_error_percent", "that error, as a share of the measured mean", "%"},
      {"mean_absolute_error_ms", "mean of the absolute differences", "ms"},
      {"measured_mean_ms", "mean measured response time", "ms"}};
}

struct ArrayFigures {
  std::uint64_t disk_reads = 0, disk_writes = 0, read_modify_write = 0, reconstruct = 0, full = 0, degraded = 0,
                lost = 0, most_outstanding = 0;
  double utilisation_mean = 0, utilisation_min = 0, utilisation_max = 0;
  std::optional<double> read_service_ms = {}, write_service_ms = {}, service_ms = {};
  NamedFigures disks = {};
};
BOOST_DESCRIBE_STRUCT(ArrayFigures, (),
                      (disk_reads, disk_writes, read_modify_write, reconstruct, full, degraded, lost, most_outstanding,
                       utilisation_mean, utilisation_min, utilisation_max, read_service_ms, write_service_ms,
                       service_ms, disks))
inline std::vector<Figure> figures(const ArrayFigures*) {
  const auto time = [](Literal name, Literal help) { return Figure{name, help, "ms"}.left_out_if_unknown(); };
  return {{"disk_reads", "commands to disks that read"},
          {"disk_writes", "commands to disks that write"},
          {"read_modify_write", "rows whose checks were made of the old data and checks"},
          {"reconstruct", "rows whose checks were made anew of data that had to be read"},
          {"full", "rows whose checks were made without reading"},
          {"degraded", "rows read or written that a failed disk affected"},
          {"lost", "requests not carried out, because more disks have failed than the array can do without"},
          {"most_outstanding", "greatest number of requests under way"},
          {"utilisation_mean",
           "share of the time from the first arrival to the last end during which a disk had a command, on average"},
          {"utilisation_min", "of the least used disk"},
          {"utilisation_max", "of the most used disk"},
          time("read_service_ms", "mean time of a disk for a command that reads"),
          time("write_service_ms", "mean time of a disk for a command that writes"),
          time("service_ms", "mean time of a disk for a command"),
          {"disks", "commands and utilisation by disk"}};
}

/// The effects of faults, and the drivers' work because of them.
struct FaultFigures {
  std::uint64_t struck = 0, failed_commands = 0, retries = 0, aborts = 0, resets = 0, failed_requests = 0,
                drives_offline = 0, corrections = 0, drives_failed = 0, bytes_lost_with_power = 0,
                bytes_silently_wrong = 0;
};
BOOST_DESCRIBE_STRUCT(FaultFigures, (),
                      (struck, failed_commands, retries, aborts, resets, failed_requests, drives_offline, corrections,
                       drives_failed, bytes_lost_with_power, bytes_silently_wrong))
inline std::vector<Figure> figures(const FaultFigures*) {
  return {{"struck", "operations and drives that faults have struck"},
          {"failed_commands", "commands that failed"},
          {"retries", "commands that drivers tried again"},
          {"aborts", "commands that they aborted"},
          {"resets", "resets of a drive, or of its bus"},
          {"failed_requests", "requests that drivers gave up; to an array, commands of its plans"},
          {"drives_offline", "drives that they gave up"},
          {"corrections", "stripe units that an array wrote anew, because they could not be read"},
          {"drives_failed", "drives without which an array went on"},
          {"bytes_lost_with_power", "reported as written and lost with a drive's power", "B"},
          {"bytes_silently_wrong", "on media, or delivered, that passed as good and are wrong", "B"}};
}

struct Result {
  Throughput throughput;
  double elapsed_s = 0;
  bool verified = false;
  std::uint64_t requests = 0, bytes_moved = 0;
  Response response, reads, writes;
  std::optional<Work> work = {};
  std::optional<Buffer> buffer = {};
  std::optional<Response> measured = {};
  std::optional<DemeritFigures> demerit = {};
  std::optional<ArrayFigures> array = {};
  std::optional<FaultFigures> faults = {};
  std::vector<std::string> warnings = {};
};
BOOST_DESCRIBE_STRUCT(Result, (),
                      (throughput, elapsed_s, verified, requests, bytes_moved, response, reads, writes, work, buffer,
                       measured, demerit, array, faults, warnings))
inline std::vector<Figure> figures(const Result*) {
  return {{"throughput", "the rate at which the drive moved data"},
          {"elapsed_s", "simulated time from the first request to the end of the last", "s"},
          {"verified", "whether the drive counted as many requests and bytes as were asked for"},
          {"requests", "requests made"},
          {"bytes_moved", "bytes of all requests", "B"},
          {"response", "response times of all requests"},
          {"reads", "response times of reads"},
          {"writes", "response times of writes"},
          {"work", "the parts of a command's time, on average; they may overlap, and go on after a write's report"},
          {"buffer", "the work of the on-board buffer; of disks"},
          {"measured", "response times that a trace gives"},
          {"demerit", "comparison with the measured response times of a trace"},
          {"array", "the requests to an array, or to a drive with a driver"},
          {"faults", "the effects of faults, and the work because of them"},
          {"warnings", "sentences about the limits of the figures"}};
}

}  // namespace sunstar::disk_platform
