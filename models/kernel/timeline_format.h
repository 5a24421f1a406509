// SPDX-License-Identifier: MIT
#pragma once
#include <boost/unordered/unordered_flat_map.hpp>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <utility>

#include "models/core/quantity.h"

namespace sunstar {

/// The spans of a timeline that one request goes through, kept until they can be written as one chain of arrows. Spans
/// arrive in the order of their ends, arrows go in the order of their beginnings, and the last span is known only when
/// no more arrive. So a request's points are written once many other requests have had points since its last one. The
/// memory is bounded: a very long chain is written piece by piece, and a request that sleeps for very long begins
/// another chain.
class Flows {
 public:
  static constexpr std::uint32_t last_turn = ~std::uint32_t{0};
  struct Point {
    Time at{};  ///< when the point's span begins
    std::uint32_t group = 0, track = 0;
    std::uint32_t turn = last_turn;  ///< the order of spans that begin at the same time
    std::uint64_t span = 0;          ///< the span's number
  };
  /// Writes the next point of a request's chain. `before`: the arrow's origin; null for the first point.
  using Write = std::function<void(std::uint32_t request, const Point* before, const Point& point, bool last)>;

  explicit Flows(Write write, std::size_t most_requests = 4096, std::size_t most_points = 64)
      : write_(std::move(write)), most_requests_(most_requests), most_points_(most_points) {}

  void add(std::uint32_t request, const Point& point);
  /// Writes all remaining points.
  void finish();

 private:
  struct Chain {
    std::vector<Point> points;
    std::optional<Point> written;  // the last written point
  };
  using Chains = boost::unordered_flat_map<std::uint32_t, Chain>;

  void write(std::uint32_t request, Chain& chain, std::size_t points, bool last);
  void write_all(Chains& chains);

  Write write_;
  std::size_t most_requests_, most_points_;
  Chains young_, old_;  // old: saw no point while most_requests_ others were active
};

/// The file of a timeline in one format. A Timeline decides what is recorded and calls it in this order: a group before
/// its tracks and values, a track before its spans, the spans of a request before the arrows between them.
class TimelineFormat {
 public:
  /// Numbers that go with a span.
  using Figures = std::initializer_list<std::pair<std::string_view, std::uint64_t>>;
  /// A span, or an instant, which has no `end`.
  struct Span {
    std::uint64_t number;  ///< from 1 on
    std::uint32_t group, track;
    std::string_view name;
    Time start;
    std::optional<Time> end;
    Figures figures;
    std::uint32_t request;  ///< 0: none
  };

  virtual ~TimelineFormat() = default;
  virtual void group(std::uint32_t number, const std::string& name) = 0;
  /// `number` is unique among the tracks of all groups. Within its group, tracks stand in order of `place`.
  virtual void track(std::uint32_t group, std::uint32_t number, const std::string& name, std::uint32_t place) = 0;
  virtual void add(const Span&) = 0;
  /// The next point of the arrows through a request's spans, as Flows::Write.
  virtual void flow(std::uint32_t request, const Flows::Point* before, const Flows::Point& point, bool last) = 0;
  virtual void value(std::uint32_t group, const std::string& counter, Time at, std::uint64_t value) = 0;
  /// Bytes so far, before compression.
  virtual std::uint64_t size() const = 0;
  /// `truncation`: a sentence, if the file lacks something; `end`: the end of the last span. Throws ConfigError if the
  /// file could not be written whole.
  virtual void close(const std::optional<std::string>& truncation, Time end) = 0;

  static std::int64_t nanoseconds(Time t) { return t.time_since_epoch().count() / 1000; }
};

// The formats. Each throws ConfigError if the file cannot be written.
std::unique_ptr<TimelineFormat> ftr_file(const std::filesystem::path& path);
std::unique_ptr<TimelineFormat> trace_events(const std::filesystem::path& path);

}  // namespace sunstar
