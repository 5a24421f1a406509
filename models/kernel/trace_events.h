// SPDX-License-Identifier: MIT
#pragma once
#include <filesystem>

#include "models/kernel/text_output.h"
#include "models/kernel/timeline_format.h"

namespace sunstar {

/// A timeline in the trace-event format of Chrome (JSON), for Perfetto (ui.perfetto.dev) or chrome://tracing; through
/// gzip if its name ends in .gz. Times are whole nanoseconds, which is what Perfetto keeps: rounded down, so that spans
/// that touch or contain one another still do.
class TraceEvents final : public TimelineFormat {
 public:
  /// Throws ConfigError if the file cannot be written.
  explicit TraceEvents(const std::filesystem::path& path);

  static std::int64_t nanoseconds(Time t) { return t.time_since_epoch().count() / 1000; }
  void group(std::uint32_t number, const std::string& name) override;
  void track(std::uint32_t group, std::uint32_t number, const std::string& name, std::uint32_t place) override;
  void add(const Span&) override;
  void flow(std::uint32_t request, const Flows::Point* before, const Flows::Point& point, bool last) override;
  void value(std::uint32_t group, const std::string& counter, Time at, std::uint64_t value) override;
  std::uint64_t size() const override { return size_; }
  void close(const std::optional<std::string>& truncation, Time end) override;

 private:
  void begin_event(char phase, std::string_view name, std::uint32_t group, std::uint32_t track);
  void text(std::string_view characters);
  void number(std::uint64_t);
  void microseconds(std::int64_t ns);
  void label(std::string_view what, std::uint32_t group, std::uint32_t track, std::string_view key,
             std::string_view value);
  void order(std::string_view what, std::uint32_t group, std::uint32_t track, std::uint32_t index);
  void end_event();
  void put();

  TextOutput out_;
  std::string text_;  // not yet put
  std::uint64_t bytes_ = 0, size_ = 0;
  bool first_ = true;
};

}  // namespace sunstar
