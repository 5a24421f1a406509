// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "models/core/figure.h"
#include "models/core/quantity.h"

namespace sunstar::machine {

/// The section `over_time` of a result.
struct Course {
  double interval_s = 0;
  std::vector<std::uint64_t> moved_bytes, lost_bytes, read_bytes, written_bytes, rebuilt_bytes;
  std::vector<double> queued;
};
BOOST_DESCRIBE_STRUCT(Course, (),
                      (interval_s, moved_bytes, lost_bytes, read_bytes, written_bytes, rebuilt_bytes, queued))
inline std::vector<Figure> figures(const Course*) {
  return {{"interval_s", "length of an interval; longer than asked for if there were too many", "s"},
          {"moved_bytes", "bytes moved in each", "B"},
          {"lost_bytes", "bytes that were reported as lost in each", "B"},
          {"read_bytes", "bytes that drives read in each, not counting rebuilds", "B"},
          {"written_bytes", "bytes that drives wrote in each, not counting rebuilds", "B"},
          {"rebuilt_bytes", "bytes that rebuilds wrote on spares in each", "B"},
          {"queued", "requests that waited at all drives, mean of each"}};
}

/// The course of a run, interval by interval from the first request on: bytes moved, reported as lost, read and written
/// by drives, and rebuilt on spares, and the requests that wait at drives. If there are too many intervals, two become
/// one, and the interval doubles.
class OverTime {
 public:
  static constexpr std::size_t most = 4096;

  /// `queued`: requests that wait at all drives now.
  OverTime(Duration interval, std::function<std::uint64_t()> queued)
      : interval_(interval), queued_(std::move(queued)) {}

  void begin(Time first) { first_ = first; }
  void moved(Time now, std::uint64_t bytes) { sampled(now).moved += bytes; }
  void lost(Time now, std::uint64_t bytes) { bin(now).lost += bytes; }
  void at_drive(Time now, std::uint64_t bytes, bool write, bool rebuild) {
    if (now < first_) return;  // the file system prepares itself
    Bin& b = sampled(now);
    if (!rebuild) (write ? b.written : b.read) += bytes;
    else if (write) b.rebuilt += bytes;
  }

  Course course() const {
    Course all;
    all.interval_s = static_cast<double>(interval_.count()) / 1e12;
    double last = 0;
    for (const Bin& b : bins_) {
      all.moved_bytes.push_back(b.moved);
      all.lost_bytes.push_back(b.lost);
      all.read_bytes.push_back(b.read);
      all.written_bytes.push_back(b.written);
      all.rebuilt_bytes.push_back(b.rebuilt);
      if (b.samples > 0) last = static_cast<double>(b.queued) / static_cast<double>(b.samples);
      all.queued.push_back(last);
    }
    return all;
  }

 private:
  struct Bin {
    std::uint64_t moved = 0, lost = 0, read = 0, written = 0, rebuilt = 0, queued = 0, samples = 0;
    void add(const Bin& o) {
      moved += o.moved, lost += o.lost, read += o.read, written += o.written, rebuilt += o.rebuilt;
      queued += o.queued, samples += o.samples;
    }
  };
  Bin& sampled(Time now) {
    Bin& b = bin(now);
    b.queued += queued_();
    ++b.samples;
    return b;
  }
  Bin& bin(Time now) {
    auto i = static_cast<std::size_t>((now - first_) / interval_);
    while (i >= most) {
      halve();
      i /= 2;
    }
    if (i >= bins_.size()) bins_.resize(i + 1);
    return bins_[i];
  }
  void halve() {
    interval_ *= 2;
    for (std::size_t i = 0; i < bins_.size(); i += 2) {
      Bin both = bins_[i];
      if (i + 1 < bins_.size()) both.add(bins_[i + 1]);
      bins_[i / 2] = both;
    }
    bins_.resize((bins_.size() + 1) / 2);
  }

  Duration interval_;
  std::function<std::uint64_t()> queued_;
  Time first_ = Time::max();
  std::vector<Bin> bins_;
};

}  // namespace sunstar::machine
