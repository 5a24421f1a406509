// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <string>
#include <vector>

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

}  // namespace sunstar::machine
