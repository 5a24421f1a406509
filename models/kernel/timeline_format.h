// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "models/core/quantity.h"
#include "models/kernel/flows.h"

namespace sunstar {

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
  /// From `at` on, the counter has that value.
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
