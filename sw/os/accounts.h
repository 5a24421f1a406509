// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstring>
#include <list>
#include <string>

#include "models/core/statistics.h"
#include "sw/os/common.h"
#include "sw/os/counted.h"
#include "sw/os/thread.h"

namespace sunstar::os {

/// What the code of one node computes: charged by name to the kind of thread that runs, and counted. `charge` adds to
/// the debt of the running code, which the executive makes the processor compute.
class Accounts {
 public:
  /// The kind of the threads of that name. Whoever creates many of them looks it up once.
  ThreadKind& kind(const char* name) {
    for (ThreadKind& k : kinds_)
      if (k.name == name || std::strcmp(k.name, name) == 0) return k;
    return kinds_.emplace_back(ThreadKind{name});
  }
  /// Charges the running thread for carrying out a primitive `times` times; for Cost::copy_per_byte, `times` is the
  /// number of bytes.
  void charge(Cost cost, double times = 1) {
    const NotOnTheMachine mark;
    const auto i = static_cast<std::size_t>(cost);
    debt_ += cycles_[i] * times;
    kind_->tally[i] += times;
  }
  /// Charges for the primitive, which is what the thread carries out from here on, until it waits or another charge.
  template <Cost cost>
  void charge(double times = 1) {
    counted_from_here<cost>();
    charge(cost, times);
  }
  /// Charges for the primitive, which the scope of the result carries out:
  ///   const auto charged = os.charged<Cost::cache_lookup>();
  template <Cost cost>
  [[nodiscard]] Counted<cost> charged(double times = 1) {
    charge(cost, times);
    return {};
  }
  /// Charges the running thread for `c` cycles that its program has computed.
  void compute(Cycles c) {
    const NotOnTheMachine mark;
    debt_ += c;
    kind_->computed += c.count;
  }

 protected:
  explicit Accounts(const CostTable& cycles) : cycles_(cycles) {}
  Cycles cycles_of(Cost cost) const { return cycles_[static_cast<std::size_t>(cost)]; }
  /// Goes on with the counts of others; `handlers` has the counts of the interrupt handlers.
  void count_on(const Accounts& before, const CostTally& handlers) {
    for (const ThreadKind& k : before.kinds_) {
      ThreadKind& same = kind(k.name);
      same.tally = &k == before.handlers_kind_ ? handlers : k.tally;
      same.computed = k.computed;
    }
  }
  void add_costs(StatisticSet& all, const std::string& node, const CostTally& handlers) const {
    const auto add = [&](const std::string& kind, const std::string& what, double times, double cycles) {
      const std::string owner = "." + kind + "." + what;
      all.add({node + ".cycles" + owner, "processor cycles that threads of this kind spent on this primitive", "cycles",
               [cycles] { return cycles; }});
      all.add({node + ".count" + owner, "how often threads of this kind carried out this primitive", "1",
               [times] { return times; }});
    };
    for (const ThreadKind& k : kinds_) {
      std::string kind = k.name;
      std::ranges::replace(kind, ' ', '_');
      const CostTally& tally = &k == handlers_kind_ ? handlers : k.tally;
      for (std::size_t c = 0; c < cost_count; ++c)
        if (tally[c] > 0) add(kind, cost_names[c], tally[c], tally[c] * cycles_[c].count);
      if (k.computed > 0) add(kind, "computing", 1, k.computed);
    }
  }

  std::list<ThreadKind> kinds_;
  const CostTable& cycles_;
  Cycles debt_{};
  ThreadKind* const handlers_kind_ = &kind("interrupt");
  ThreadKind* kind_ = handlers_kind_;  // of the running code
};

}  // namespace sunstar::os
