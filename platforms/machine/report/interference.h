// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "models/core/figure.h"
#include "platforms/kit/json_text.h"

// Where jobs that run at the same time meet: the parts that more than one of them keeps busy when it runs alone.
namespace sunstar::machine {

/// For how long each part of the machine was busy, in seconds: links, the nodes' buses and processors, SCSI buses and
/// drives. Of a large machine, whose statistics are by kind, the mean part of each kind.
using BusyParts = std::map<std::string, double>;
/// By the utilisations among the statistics of a run that took `elapsed_s`.
BusyParts busy_parts(const kit::json::object& statistics, double elapsed_s);

/// Adds `interference` to the explanation of a run of several jobs:
///   parts      at most eight parts that several jobs use: `part`, its `kind`, `busy_s` of each job alone, and
///              `shared_s`, the seconds that all but its greatest user keep it busy, the largest first; parts with less
///              than 0.5 % of the run are left out
///   sentences  how much longer than alone each job takes, and the first part of each kind
/// `alone`: of each job when it ran alone. `slowdowns`: of each job.
void add_interference(kit::json::object& explanation, const std::vector<BusyParts>& alone,
                      const std::vector<double>& slowdowns, double elapsed_s);

/// Jain's index of fairness: 1 if all values are the same, 1/n if all but one are zero (Jain, Chiu and Hawe, "A
/// quantitative measure of fairness and discrimination for resource allocation in shared computer systems", 1984).
inline double fairness(const std::vector<double>& values) {
  const double all = sum(values, std::identity()), squares = sum(values, [](double v) { return v * v; });
  return squares > 0 ? all * all / (static_cast<double>(values.size()) * squares) : 1;
}

/// Adds how long each of several jobs took (`shared`, in seconds) and, where it also ran by itself (`alone`, which may
/// be empty), how much longer that was: sections job0, job1 and so on, and `sharing` with the index of fairness of the
/// jobs' speeds.
inline void add_sharing(const std::vector<double>& shared, const std::vector<double>& alone, NamedFigures& sections) {
  std::vector<double> speeds;
  for (std::size_t j = 0; j < shared.size(); ++j) {
    NamedFigures& section = sections.section("job" + std::to_string(j));
    section.add("elapsed_s", shared[j]);
    if (alone.empty()) continue;
    section.add("alone_s", alone[j]);
    if (alone[j] > 0) {
      section.add("slowdown", shared[j] / alone[j]);
      speeds.push_back(alone[j] / shared[j]);
    }
  }
  if (speeds.empty()) return;
  NamedFigures& section = sections.section("sharing");
  section.add("fairness", fairness(speeds));
  section.add("worst_slowdown", 1 / *std::ranges::min_element(speeds));
}

}  // namespace sunstar::machine
