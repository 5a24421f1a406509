// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "models/core/quantity.h"

namespace sunstar {

/// A file of spans of time in the trace-event format of Chrome (JSON), for Perfetto (ui.perfetto.dev) or
/// chrome://tracing. Spans lie on tracks, tracks belong to groups: a node, a SCSI bus. Spans beyond the limit are left
/// out; the file and truncation() say so.
class Timeline {
 public:
  static constexpr std::uint64_t default_limit = 64 << 20;

  struct Track {
    std::uint32_t group = 0, number = 0;
  };
  /// Numbers that go with a span.
  using Figures = std::initializer_list<std::pair<std::string_view, std::uint64_t>>;

  /// Throws ConfigError if the file cannot be written. `limit` is the most bytes of spans that it writes.
  explicit Timeline(std::filesystem::path path, std::uint64_t limit = default_limit);
  ~Timeline();
  Timeline(const Timeline&) = delete;

  std::uint32_t group(const std::string& name);
  Track track(std::uint32_t group, const std::string& name);

  /// Adds a span to a track. Spans on one track must follow or contain one another.
  void span(Track track, std::string_view name, Time start, Time end, Figures figures = {});
  /// Adds a span to a group, where it may overlap others of the same name.
  void overlapping(std::uint32_t group, std::string_view category, std::string_view name, Time start, Time end,
                   Figures figures = {});

  std::uint64_t spans() const { return spans_; }
  /// A sentence, if some spans were left out.
  std::optional<std::string> truncation() const;
  /// Throws ConfigError if the file could not be written.
  void close();

 private:
  const char* separator();
  bool admit(Time end);
  void begin_event(char phase, std::string_view name, std::uint32_t group, Time at);
  void end_event(Figures figures);
  void name(std::string_view what, std::uint32_t group, std::uint32_t track, const std::string& name);
  void write();

  std::filesystem::path path_;
  std::uint64_t limit_;
  std::ofstream out_;
  std::string text_;
  std::uint64_t bytes_ = 0, spans_ = 0, left_out_ = 0;
  std::uint32_t groups_ = 0, tracks_ = 0;
  Time last_end_{};  // of the spans written
  bool first_ = true, closed_ = false;
};

}  // namespace sunstar
