// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <functional>
#include <utility>
#include <variant>

#include "models/core/fifo.h"
#include "models/core/quantity.h"

// Statistics as objects: a part registers its counts under its instance name; one walker writes them all as JSON.
// Registration costs at start-up only: a statistic reads the part's own counter when asked.
namespace sunstar {

/// One figure of one part. Its texts last until the call that it is passed to returns.
struct Statistic {
  std::string_view name;         ///< instance name and figure, "iop3.disk0.reads"
  std::string_view description;  ///< one line
  std::string_view unit;         ///< "1", "B", "s", "fraction"
  std::function<double()> value;
  std::function<void()> reset = [] {};
};

/// All statistics of a machine, in order of registration.
class StatisticSet {
 public:
  /// Adds a part's statistics to the given set.
  using Group = std::function<void(StatisticSet&)>;

  void add(const Statistic& s) {
    if (visit_) visit_(s);
    else
      all_.emplace_back(Kept{std::string(s.name), std::string(s.description), std::string(s.unit), s.value, s.reset});
  }
  /// Registers a counter that lives in the part; resetting sets it to zero.
  template <class Number>
  void counter(std::string_view name, std::string_view description, std::string_view unit, Number& counter) {
    add({name, description, unit, [&counter] { return static_cast<double>(counter); },
         [&counter] { counter = Number{}; }});
  }
  /// Registers figures that appear during the run, or are too many to keep: `group` adds them whenever they are read.
  void group(Group group) {
    if (visit_) group(*this);
    else all_.emplace_back(std::move(group));
  }

  void reset() const {
    for_each([](const Statistic& s) { s.reset(); });
  }
  /// Calls visit(statistic) for each figure there is now.
  void for_each(const std::function<void(const Statistic&)>& visit) const {
    StatisticSet passing;
    passing.visit_ = visit;
    for (const auto& entry : all_) {
      if (const auto* group = std::get_if<Group>(&entry)) (*group)(passing);
      else visit(std::get<Kept>(entry).statistic());
    }
  }

 private:
  struct Kept {
    std::string name, description, unit;
    std::function<double()> value;
    std::function<void()> reset;
    Statistic statistic() const { return {name, description, unit, value, reset}; }
  };
  std::deque<std::variant<Kept, Group>> all_;
  std::function<void(const Statistic&)> visit_;  // of the set that groups add to, which keeps nothing
};

/// How long a part that does one thing at a time has been busy. Models plan ahead, so add() also takes work that lies
/// in the future; until() counts only the time that has passed.
class BusyTime {
 public:
  /// Work from `from` to `to`, which begins no earlier than the work before it ends; it is `now`.
  void add(Time from, Time to, Time now) {
    planned_.push_back({from, to});
    while (!planned_.empty() && planned_.front().to <= now) {
      past_ += planned_.front().to - planned_.front().from;
      planned_.pop_front();
    }
  }
  /// The busy time before `now`.
  Duration until(Time now) const {
    Duration sum = past_;
    for (const Span& s : planned_)
      if (s.from < now) sum += std::min(s.to, now) - s.from;
    return sum;
  }

 private:
  struct Span {
    Time from, to;
  };
  Duration past_{};
  Fifo<Span> planned_;  // spans that had not ended when the last span was added
};

}  // namespace sunstar
