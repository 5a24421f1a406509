// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <variant>

// Statistics as objects: a part registers its counts under its instance name; one walker writes them all as JSON.
// Registration costs at start-up only: a statistic reads the part's own counter when asked.
namespace sunstar {

/// One figure of one part.
struct Statistic {
  std::string name;         ///< instance name and figure, "iop3.disk0.reads"
  std::string description;  ///< one line
  std::string unit;         ///< "1", "B", "s", "fraction"
  std::function<double()> value;
  std::function<void()> reset = [] {};
};

/// All statistics of a machine, in order of registration.
class StatisticSet {
 public:
  /// Adds a part's statistics to the given set.
  using Group = std::function<void(StatisticSet&)>;

  void add(Statistic s) {
    if (visit_) visit_(s);
    else all_.emplace_back(std::move(s));
  }
  /// Registers a counter that lives in the part; resetting sets it to zero.
  template <class Number>
  void counter(std::string name, std::string description, std::string unit, Number& counter) {
    add({std::move(name), std::move(description), std::move(unit), [&counter] { return static_cast<double>(counter); },
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
      else visit(std::get<Statistic>(entry));
    }
  }

 private:
  std::deque<std::variant<Statistic, Group>> all_;
  std::function<void(const Statistic&)> visit_;  // of the set that groups add to, which keeps nothing
};

}  // namespace sunstar
