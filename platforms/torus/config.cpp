// SPDX-License-Identifier: MIT
#include "platforms/torus/config.h"

#include <algorithm>

#include "models/core/error.h"
#include "platforms/machine/expand.h"
#include "sw/workload/pattern/pattern_workload.h"
#include "platforms/network/traffic_pattern.h"

namespace sunstar::torus {

namespace {
std::vector<std::string> traffic_names() {
  std::vector<std::string> names = workload::traffic_patterns();
  names.push_back("trace");
  return names;
}
}  // namespace

std::vector<Param> parameters(const WorkloadParams*) {
  const auto pattern = [](Param p) { return std::move(p).used_if("kind", {"pattern"}); };
  const auto replay = [](Param p) { return std::move(p).used_if("kind", {"trace"}); };
  const auto any_trace = [](Param p) { return std::move(p).used_if("kind", {"trace"}).used_if("traffic", {"trace"}); };
  const auto traffic = [](Param p) { return std::move(p).used_if("kind", {"traffic"}); };
  const auto synthetic = [](Param p) { return std::move(p).used_unless("traffic", "trace"); };
  const auto hotspot = [](Param p) { return std::move(p).used_if("traffic", {"hotspot"}); };
  return {
      {"kind", "an access pattern, the replay of a trace, or synthetic traffic on the network alone"},
      pattern(
          {"pattern",
           "r or w, then the distribution of a vector or of a matrix's rows and columns (n none, b block, c cyclic; "
           "a: all processors read the whole file; ss: nc in step), or wr or wp and two matrices (docs/workloads.md)"}),
      pattern({"record_size", "bytes of an array element", "1B", "1GiB"}),
      pattern({"file_size", "bytes of the file, or of both files together, a whole number of records", "1B", "1TiB"}),
      pattern({"shape",
               "\"ROWSxCOLS\" in records; empty: as square as possible, which gives the paper's shapes at 10 MiB"}),
      any_trace({"trace",
                 "CSV file, plain or .gz, with the columns rank, op, file, offset, length, start, end; of traffic with "
                 "time, from, to, bytes"}),
      any_trace({"time_unit", "unit of its times"}),
      replay({"include", "regular expression (ECMAScript) that a file name must match somewhere; empty: all do"}),
      replay({"exclude", "regular expression of file names to leave out; empty: none"}),
      replay({"scale", "share of each file that is kept", "0.000001", "1"}),
      replay(
          {"pacing", "calls back to back, with the trace's think times, or no earlier than in the trace (open loop)"}),
      Param{"start_skew",
            "each compute processor starts so much later than the one before it: they leave the program's start one "
            "after "
            "the other",
            "0ns", "1s"}
          .used_if("kind", {"pattern", "trace"}),
      traffic({"traffic", "where messages go, or trace: the messages of workload.trace", "", "", traffic_names()}),
      synthetic({"load", "flits that a node sends on average in the time of one flit on a link", "0.000001", "1"}),
      traffic({"packet_flits", "flits of a message", "1", "1000000"}),
      hotspot({"hotspot", "the router that hotspot messages go to"}),
      hotspot({"hotspot_share", "their share; the others go anywhere", "0", "1"}),
      synthetic({"warm_up", "cycles of the routers before figures are taken", "0", "1000000000000"}),
      synthetic({"measured", "cycles whose messages are measured, at least", "1", "1000000000000"}),
      synthetic({"precision",
                 "goes on, for up to ten times measured, until the mean latency is known so well (95 % confidence) or "
                 "the network saturates",
                 "0", "1"}),
      synthetic(
          {"drain", "most cycles to wait for the last of them, while new ones still follow", "0", "1000000000000"}),
      traffic({"records", "CSV file to write, a line for each measured message of the first trial"}),
  };
}

void check(const WorkloadParams& workload, const std::string& path, Problems& problems) {
  try {
    workload::parse_pattern(workload.pattern);
  } catch (const ConfigError& error) {
    std::string_view what = error.what();
    what.remove_prefix(std::string_view("workload.pattern ").size());
    what.remove_suffix(1);  // the full stop
    problems.add(path + ".pattern", std::string(what));
  }
}

void check(const Config& config, const std::string&, Problems& problems) {
  if (config.workload.kind != WorkloadKind::traffic) {
    check_nodes(config.machine, "machine", problems);
    return;
  }
  const WorkloadParams& w = config.workload;
  const auto& shape = config.machine.network.shape;
  if (w.traffic == "transpose" && !std::equal(shape.begin(), shape.end(), shape.rbegin()))
    problems.add("workload.traffic", "is transpose; machine.network.shape must then be the same read backwards");
  if (w.traffic == "hotspot" && w.hotspot >= network::Cube(shape).routers())
    problems.add("workload.hotspot", "is " + std::to_string(w.hotspot) + "; machine.network.shape has routers 0 to " +
                                         std::to_string(network::Cube(shape).routers() - 1));
  if (w.traffic == "trace" && w.trace.empty())
    problems.add("workload.trace", "is missing; the traffic called trace needs the file of its messages");
}

}  // namespace sunstar::torus
