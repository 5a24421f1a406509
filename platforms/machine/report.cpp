// SPDX-License-Identifier: MIT
#include "platforms/machine/report.h"

#include <algorithm>
#include <cmath>

#include "platforms/kit/summary.h"
#include "platforms/kit/trials.h"

namespace sunstar::machine {

namespace {

std::vector<double> values(const std::vector<json::object>& trials, const char* key) {
  std::vector<double> v;
  for (const auto& t : trials) v.push_back(t.at(key).to_number<double>());
  return v;
}

double mean(const std::vector<json::object>& trials, const char* key) {
  return kit::summarise(values(trials, key)).mean;
}

/// A count: whole where all trials agree on it or on average.
json::value count(const std::vector<json::object>& trials, const char* key) {
  const double m = mean(trials, key);
  if (m == std::floor(m)) return static_cast<std::uint64_t>(m);
  return m;
}

}  // namespace

json::object report(std::vector<json::object> trials) {
  json::object result;
  const auto throughput = kit::summarise(values(trials, "throughput_mib_per_s"));
  result["throughput"] = {{"mib_per_s", throughput.mean},
                          {"coefficient_of_variation", throughput.coefficient_of_variation},
                          {"medium_mib_per_s", mean(trials, "medium_mib_per_s")}};
  result["elapsed_s"] = mean(trials, "elapsed_s");
  bool verified = true;
  for (const auto& t : trials) verified = verified && t.at("verified").as_bool();
  result["verified"] = verified;
  for (const char* key :
       {"bytes_verified", "calls", "bytes_moved", "messages", "message_bytes", "disk_reads", "disk_writes"})
    result[key] = count(trials, key);
  if (const auto* trace = trials.front().if_contains("trace")) result["trace"] = *trace;
  if (trials.front().if_contains("losses")) {
    json::object losses;
    for (const char* key : {"calls_not_made", "bytes_not_made", "cached_bytes"}) {
      double sum = 0;
      for (const auto& t : trials) sum += t.at("losses").at(key).to_number<double>();
      losses[key] = sum / static_cast<double>(trials.size());
    }
    result["losses"] = std::move(losses);
  }
  // Each sentence once, whichever trials had it.
  json::array warnings;
  for (const auto& t : trials)
    for (const auto& sentence : t.at("warnings").as_array())
      if (std::ranges::find(warnings, sentence) == warnings.end()) warnings.push_back(sentence);
  result["warnings"] = std::move(warnings);
  json::object latency;
  latency["span"] =
      "of each call of the file system, or each collective, from its start at the compute processor to its return; "
      "means of the trials' percentiles";
  for (const char* key : {"count", "p50_s", "p90_s", "p99_s", "max_s"}) {
    double sum = 0;
    for (const auto& t : trials) {
      const auto& v = t.at("latency").at(key);
      sum += v.is_null() ? 0 : v.to_number<double>();
    }
    latency[key] = sum / static_cast<double>(trials.size());
  }
  result["latency"] = std::move(latency);

  return kit::run_document(std::move(result), std::move(trials), {"cpu_seconds", "setup_cpu_seconds", "kernel_events"});
}

}  // namespace sunstar::machine
