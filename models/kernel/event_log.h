// SPDX-License-Identifier: MIT
#pragma once
#include <initializer_list>

#include "models/kernel/recording.h"
#include "models/kernel/sc_time_bridge.h"

namespace sunstar {

/// The detail of an event log; each level includes the levels before it.
BOOST_DEFINE_FIXED_ENUM_CLASS(LogLevel, std::uint8_t,
                              info,   ///< messages and disk commands, as they begin and end
                              debug,  ///< their steps on the SCSI bus and at the heads, interrupts, blocks of caches
                              trace   ///< firmware threads
)
inline constexpr const char* log_levels =
    "info: messages and disk commands; debug: also bus phases, heads, interrupts, blocks of caches; trace: also "
    "threads";

/// A text file of the events of protocols, a line each, in order of time:
///
///   0.000012345 info  machine.cp0                sends a request to iop1, bytes 0, request 7
///
/// Parts may report an event early (the course of a connection is known when the bus is granted) or late (the heads'
/// work is looked up now and then): a line waits until all earlier events are known. Lines beyond the limit are left
/// out; truncation() says so.
class EventLog final : public Recording {
 public:
  static constexpr std::uint64_t default_limit = 256 << 20;
  struct Options {
    LogLevel level = LogLevel::info;
    std::uint64_t limit = default_limit;  ///< the most bytes of lines that it writes, before compression
    Window window = {};                   ///< the log's span of time
    Scope scope = {};                     ///< the instances whose events the log has
  };
  /// An instance of the machine. An instance out of scope logs nothing.
  struct Instance {
    std::uint32_t number = 0;
    explicit operator bool() const { return number != 0; }
  };
  /// Numbers that go with an event.
  using Figures = std::initializer_list<std::pair<std::string_view, std::uint64_t>>;
  /// `clock` returns a time; once the sources have settled, no event before that time will be reported. Throws
  /// ConfigError if the file cannot be written.
  EventLog(TextOutput::To to, Options options, std::function<Time()> clock = now);
  ~EventLog() { abandon(); }

  Instance instance(const std::string& name);

  bool tells(LogLevel level) const { return level <= options_.level; }
  /// An event at the instance; `request` is the request it belongs to, 0: none.
  void event(Instance instance, LogLevel level, Time at, std::string_view what, Figures figures = {},
             std::uint32_t request = 0);

  /// Lines in the file.
  std::uint64_t lines() const { return lines_; }
  std::optional<std::string> truncation() const override;

 private:
  struct Line {
    Time at{};
    LogLevel level = LogLevel::info;
    Instance instance{};
    std::string text;
  };
  void finish() override;
  void write_before(Time end);
  void write(const Line&);

  Options options_;
  std::function<Time()> clock_;
  TextOutput out_;
  std::vector<std::string> names_;
  std::size_t name_width_ = 0;
  std::vector<Line> waiting_;
  std::size_t most_waiting_ = 0;
  std::string text_;
  std::uint64_t bytes_ = 0, lines_ = 0, left_out_ = 0;
  Time last_{};
};

}  // namespace sunstar
