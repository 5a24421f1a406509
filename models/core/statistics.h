// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

// Statistics as objects: a part registers what it counts under its instance name; one walker prints them all as a
// table and as JSON. Registration costs at start-up only: a statistic reads the part's own counter when asked.
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
  void add(Statistic s) { all_.push_back(std::move(s)); }
  /// Registers a counter that lives in the part; resetting sets it to zero.
  template <class Number>
  void counter(std::string name, std::string description, std::string unit, Number& counter) {
    add({std::move(name), std::move(description), std::move(unit), [&counter] { return static_cast<double>(counter); },
         [&counter] { counter = Number{}; }});
  }
  void reset() {
    for (auto& s : all_) s.reset();
  }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  std::deque<Statistic> all_;
};

}  // namespace sunstar
