// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

// Statistics as objects: a part registers what it counts under its instance name; one walker writes them all as JSON.
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
  void add(Statistic s) { all_.push_back({std::move(s), {}}); }
  /// Registers a counter that lives in the part; resetting sets it to zero.
  template <class Number>
  void counter(std::string name, std::string description, std::string unit, Number& counter) {
    add({std::move(name), std::move(description), std::move(unit), [&counter] { return static_cast<double>(counter); },
         [&counter] { counter = Number{}; }});
  }
  /// Registers figures that appear during the run; `list` returns them whenever somebody asks. They are never reset.
  void group(std::function<std::vector<Statistic>()> list) { all_.push_back({{}, std::move(list)}); }

  void reset() {
    for (auto& entry : all_)
      if (!entry.list) entry.one.reset();
  }
  /// Calls visit(statistic) for each figure there is now.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const auto& entry : all_) {
      if (!entry.list) visit(entry.one);
      else
        for (const Statistic& s : entry.list()) visit(s);
    }
  }

 private:
  struct Entry {
    Statistic one;
    std::function<std::vector<Statistic>()> list;
  };
  std::deque<Entry> all_;
};

}  // namespace sunstar
