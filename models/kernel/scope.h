// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "models/core/quantity.h"

// The part of a run that a file records.
namespace sunstar {

/// A span of time, from `from` until just before `to`.
struct Window {
  Time from{}, to = Time::max();

  bool contains(Time t) const { return from <= t && t < to; }
  /// Whether some of the span from `start` to `end` lies within.
  bool meets(Time start, Time end) const { return start < to && (end > from || start >= from); }
};

/// The instances of a machine that a file records: all, or the instances named by a list of patterns. A pattern is the
/// name of an instance and stands for all below it; `*` stands for any characters, `?` for one, and the name of the
/// whole machine may be left out: "iop0*,cp3" names machine.iop0, machine.iop0_scsi0.disk0, machine.cp3.cpu, but not
/// machine.cp30.
class Scope {
 public:
  Scope() = default;  ///< everything
  /// `patterns`, separated by commas; none of them is empty.
  explicit Scope(std::string_view patterns);

  /// Whether the scope contains the instance, which must exist.
  bool contains(std::string_view instance);
  /// Throws ConfigError if a pattern has named none of the instances so far; the sentence lists the instances. `option`
  /// is the option in which the user has written the patterns.
  void check(const std::string& option) const;

 private:
  struct Pattern {
    std::string text;
    bool met = false;
  };
  std::vector<Pattern> patterns_;
  std::vector<std::string> exist_;  // the machine's own instances, in order
};

}  // namespace sunstar
