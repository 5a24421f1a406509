// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/core/critical_path.h"
#include "platforms/kit/json_text.h"
#include "platforms/kit/type.h"

// The explanation of a run's time, which --explain adds to a result.
namespace sunstar::kit {

/// The explanation of a run, as the section "explain" of a result:
///   critical_path  for each stage on it: time and share, and whether it waits; the times sum to elapsed_ps
///   resources      utilisation, mean length of the queue and mean wait, those with the longest queues first
///   requests       for each kind: number, and mean and p99 of each stage and of all together
///   processors     for each node: seconds by primitive
/// `path`: the path of the run's last event. `statistics`: as in the result. `clock`: cycles per second.
json::object explanation(const CriticalPath& paths, const Path& path, const json::object& statistics, double clock);

/// Adds `messages`: their number, and the busiest processor's effort on them as a share of its work, and of the run's
/// time on all its `cores`. `handling`: the primitives with which a processor handles messages.
void add_messages(json::object& explanation, std::uint64_t count, const std::vector<std::string_view>& handling,
                  std::uint32_t cores);

/// Adds the advice: `changes`, the most promising of those declared by the configuration's parameters (Param::speedup),
/// each with its bound and the settings to paste; `sentences`, at the end those of the section `interference`, if the
/// explanation has one (platforms/machine/report/interference.h); and `text`, which shows all of it to a reader.
///
/// The bound of a change follows from the critical path: its events still depend on one another in this order, so the
/// run cannot end before they are over. It does not hold if the order changes. Waits on the path can shrink with any
/// change; `waits_gone` is the bound without them. `of_what`: the path's owner, "the run".
void add_advice(json::object& explanation, ConstRef config, const std::string& of_what = "the run");

/// The section with its advice, for a reader: the sentences, the facts as tables, and the settings of the changes, long
/// lists whole only if `verbose`.
std::string explanation_text(const json::object& explanation, bool verbose = false);

}  // namespace sunstar::kit
