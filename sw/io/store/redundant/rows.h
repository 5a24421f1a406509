// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <set>

#include "sw/io/store/redundant/maintenance.h"

namespace sunstar::io::redundant {

/// The rows that jobs keep to themselves, and the planned jobs that wait for rows, in order of their arrival. Jobs that
/// already wait for a row go first, and a read waits for an earlier write of the same sectors: a drive keeps the order
/// of such requests, and so does the array.
class Rows {
 public:
  /// `shared`: no job waits for a row.
  explicit Rows(bool shared) : shared_(shared) {}

  /// Whether the job got the rows that it needs to itself, if any.
  bool take(Job& job);
  void leave(Job& job);
  /// The rows that writes have to themselves.
  std::set<std::uint64_t> open() const;

  /// The job waits from now on, and must be looked at once.
  void wait(Job& job);
  /// The waiting job is carried out, or with another one.
  void remove(Job& job);
  /// Jobs that wait for one of these rows may be able to begin.
  void look_behind(std::uint64_t first, std::uint64_t last);
  bool any_to_look_at() const { return !to_look_at_.empty(); }
  /// The earliest waiting job that may be able to begin; null if there is none.
  Job* next();

  /// Visits the jobs that wait for a row, in order, until visit(job) is false. It may remove the job.
  template <class Visit>
  void for_each_waiting(std::uint64_t row, Visit visit) {
    auto i = waiting_.lower_bound({row, 0});
    while (i != waiting_.end() && i->first.first == row)
      if (!visit(*(i++)->second)) return;
  }

 private:
  bool follows_write(const Job& job) const;

  const bool shared_;
  std::uint64_t numbers_ = 0;
  std::map<std::uint64_t, const Job*> taken_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Job*> waiting_;  // by row and number
  std::map<std::uint64_t, Job*> to_look_at_;                         // by number
  std::map<std::uint64_t, Job*> of_more_rows_;  // waiting ones whose plan, a correction, has fewer rows than they take
};

}  // namespace sunstar::io::redundant
