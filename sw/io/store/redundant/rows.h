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
  bool take(Job& job) {
    if (job.plan.lost || shared_) return true;
    if (!job.plan.locks) return !follows_write(job);
    for (std::uint64_t row = job.plan.first_row; row <= job.plan.last_row; ++row)
      if (const auto first = waiting_.lower_bound({row, 0});
          first != waiting_.end() && first->first.first == row && first->second != &job)
        return false;
    // Takes all of the request's rows, though the plan may need fewer: only one row is corrected at a time.
    for (const Part& p : job.parts)
      if (taken_.contains(p.unit.row)) return false;
    for (const Part& p : job.parts) taken_[p.unit.row] = &job;
    return job.holds_rows = true;
  }

  void leave(Job& job) {
    if (!job.holds_rows) return;
    for (const Part& p : job.parts)
      if (const auto held = taken_.find(p.unit.row); held != taken_.end() && held->second == &job) taken_.erase(held);
    job.holds_rows = false;
    for (const Part& p : job.parts) look_behind(p.unit.row, p.unit.row);
  }

  /// The rows that writes have to themselves.
  std::set<std::uint64_t> open() const {
    std::set<std::uint64_t> open;
    for (const auto& [row, job] : taken_)
      if (job->write) open.insert(row);
    return open;
  }

  /// The job waits from now on, and must be looked at once.
  void wait(Job& job) {
    job.number = ++numbers_;
    for (std::uint64_t row = job.plan.first_row; row <= job.plan.last_row; ++row)
      waiting_.emplace(std::pair(row, job.number), &job);
    const auto outside = [&](const Part& p) {
      return p.unit.row < job.plan.first_row || p.unit.row > job.plan.last_row;
    };
    if (std::ranges::any_of(job.parts, outside)) of_more_rows_.emplace(job.number, &job);
    to_look_at_.emplace(job.number, &job);
  }

  /// The waiting job is carried out, or with another one.
  void remove(Job& job) {
    for (std::uint64_t row = job.plan.first_row; row <= job.plan.last_row; ++row) waiting_.erase({row, job.number});
    to_look_at_.erase(job.number);
    of_more_rows_.erase(job.number);
    look_behind(job.plan.first_row, job.plan.last_row);
  }

  /// Jobs that wait for one of these rows may be able to begin.
  /// Of the writes that wait for a row, the first one comes before the others.
  void look_behind(std::uint64_t first, std::uint64_t last) {
    to_look_at_.insert(of_more_rows_.begin(), of_more_rows_.end());
    for (std::uint64_t row = first; row <= last; ++row) {
      bool write_seen = false;
      for_each_waiting(row, [&](Job& other) {
        if (!other.plan.locks || !std::exchange(write_seen, true)) to_look_at_.emplace(other.number, &other);
        return true;
      });
    }
  }

  bool any_to_look_at() const { return !to_look_at_.empty(); }

  /// The earliest waiting job that may be able to begin; null if there is none.
  Job* next() {
    if (to_look_at_.empty()) return nullptr;
    Job* const job = to_look_at_.begin()->second;
    to_look_at_.erase(to_look_at_.begin());
    return job;
  }

  /// Visits the jobs that wait for a row, in order, until visit(job) is false. It may remove the job.
  template <class Visit>
  void for_each_waiting(std::uint64_t row, Visit visit) {
    auto i = waiting_.lower_bound({row, 0});
    while (i != waiting_.end() && i->first.first == row)
      if (!visit(*(i++)->second)) return;
  }

 private:
  bool follows_write(const Job& job) const {
    const auto overlaps = [&](const Job& other) {
      if (!other.write) return false;
      for (const Part& a : job.parts)
        for (const Part& b : other.parts)
          if (a.unit == b.unit && a.from < b.from + b.sectors && b.from < a.from + a.sectors) return true;
      return false;
    };
    for (const Part& p : job.parts) {
      const std::uint64_t row = p.unit.row;
      for (auto i = waiting_.lower_bound({row, 0}); i != waiting_.end() && i->first.first == row; ++i) {
        if (i->second == &job) break;
        if (overlaps(*i->second)) return true;
      }
      if (const auto held = taken_.find(row); held != taken_.end() && overlaps(*held->second)) return true;
    }
    return false;
  }

  const bool shared_;
  std::uint64_t numbers_ = 0;
  std::map<std::uint64_t, const Job*> taken_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Job*> waiting_;  // by row and number
  std::map<std::uint64_t, Job*> to_look_at_;                         // by number
  std::map<std::uint64_t, Job*> of_more_rows_;  // waiting ones whose plan, a correction, has fewer rows than they take
};

}  // namespace sunstar::io::redundant
