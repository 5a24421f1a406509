// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "models/core/critical_path.h"
#include "sw/requests/access.h"

namespace sunstar::machine {

/// The stages of the application's calls: stage by stage, the path to the end of a call less the path to its beginning.
/// The stages of a process's successive calls add up to its path. A call during which the same process begins another
/// is left out.
class CallStages {
 public:
  explicit CallStages(CriticalPath& paths)
      : paths_(paths), times_(paths.requests("call", {stage_names.begin(), stage_names.begin() + paths.stages})) {}

  void begun(Time start, std::uint32_t processor) {
    if (processor >= calls_.size()) calls_.resize(processor + 1);
    calls_[processor] = {start, now()};
  }
  void ended(const requests::Ended& call) {
    if (call.processor >= calls_.size() || calls_[call.processor].start != call.start) return;
    const Stages &before = calls_[call.processor].spent, &after = now();
    Stages spent;
    for (std::size_t s = 0; s < stage_count; ++s) spent[s] = after[s] - before[s];
    times_.add(std::span(spent).first(paths_.stages));
  }

 private:
  const Stages& now() {
    if (paths_.current.since != paths_.started()) paths_.current = paths_.from_start(paths_.current);
    return paths_.current.spent;
  }

  struct Call {
    Time start = Time::max();
    Stages spent{};  // on the path to its beginning
  };
  CriticalPath& paths_;
  RequestTimes& times_;
  std::vector<Call> calls_;  // by processor: the last that began
};

}  // namespace sunstar::machine
