// SPDX-License-Identifier: MIT
#include <charconv>

#include "models/kernel/recording.h"
#include "models/kernel/timeline_format.h"

namespace sunstar {
namespace {
constexpr std::size_t portion_of_text = 1 << 16;  // bytes that are written at a time

/// A timeline in the trace-event format of Chrome (JSON), for Perfetto (ui.perfetto.dev) or chrome://tracing; through
/// gzip if its name ends in .gz. Times are whole nanoseconds, Perfetto's unit, rounded down, so that spans that touch
/// or contain one another still do.
class TraceEvents final : public TimelineFormat {
 public:
  /// Throws ConfigError if the file cannot be written.
  explicit TraceEvents(const std::filesystem::path& path) : out_(path) {
    text_.reserve(2 * portion_of_text);
    text_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  }

  void group(std::uint32_t number, const std::string& name) override {
    label("process_name", number, 0, name);
    order("process_sort_index", number, 0, number);
  }
  void track(std::uint32_t group, std::uint32_t number, const std::string& name, std::uint32_t place) override {
    label("thread_name", group, number, name);
    order("thread_sort_index", group, number, place);
  }
  void add(const Span& s) override {
    begin_event(s.end ? 'X' : 'i', s.name, s.group, s.track);
    text_ += s.end ? ",\"ts\":" : ",\"s\":\"t\",\"ts\":";
    const std::int64_t from = nanoseconds(s.start);
    microseconds(from);
    if (s.end) {
      text_ += ",\"dur\":";
      microseconds(nanoseconds(*s.end) - from);
    }
    const char* before = ",\"args\":{";
    const auto figure = [&](std::string_view key, std::uint64_t value) {
      text_ += std::exchange(before, ",");
      text(key);
      text_ += ':';
      number(value);
    };
    for (const auto& [key, value] : s.figures) figure(key, value);
    if (s.request != 0) figure("request", s.request);
    if (s.figures.size() > 0 || s.request != 0) text_ += '}';
    end_event();
  }
  void flow(std::uint32_t request, const Flows::Point* before, const Flows::Point& point, bool last) override {
    begin_event(!before ? 's' : last ? 'f' : 't', "request", point.group, point.track);
    text_ += ",\"cat\":\"request\",\"id\":";
    number(request);
    text_ += ",\"ts\":";
    microseconds(nanoseconds(point.at));
    if (before && last) text_ += ",\"bp\":\"e\"";
    end_event();
  }
  void value(std::uint32_t group, const std::string& counter, Time at, std::uint64_t value) override {
    begin_event('C', counter, group, 0);
    text_ += ",\"ts\":";
    microseconds(nanoseconds(at));
    text_ += ",\"args\":{\"value\":";
    number(value);
    text_ += '}';
    end_event();
  }
  std::uint64_t size() const override { return size_; }
  void close(const std::optional<std::string>& truncation, Time) override {
    text_ += "\n]";
    if (truncation) {
      text_ += ",\"otherData\":{\"truncated\":";
      text(*truncation);
      text_ += '}';
    }
    text_ += "}\n";
    put();
    out_.close();
  }

 private:
  void begin_event(char phase, std::string_view name, std::uint32_t group, std::uint32_t track) {
    text_ += std::exchange(first_, false) ? "\n{\"ph\":\"" : ",\n{\"ph\":\"";
    text_ += phase;
    text_ += "\",\"name\":";
    text(name);
    text_ += ",\"pid\":";
    number(group);
    text_ += ",\"tid\":";
    number(track);
  }
  void text(std::string_view characters) {
    text_ += '"';
    for (const char c : characters) {
      if (c == '"' || c == '\\') text_ += '\\';
      text_ += c;
    }
    text_ += '"';
  }
  void number(std::uint64_t n) {
    char digits[20];
    text_.append(digits, std::to_chars(digits, digits + sizeof digits, n).ptr);
  }
  void microseconds(std::int64_t ns) {
    number(static_cast<std::uint64_t>(ns / 1000));
    const auto rest = static_cast<unsigned>(ns % 1000);
    const char digits[] = {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                           static_cast<char>('0' + rest % 10)};
    text_.append(digits, sizeof digits);
  }
  void label(std::string_view what, std::uint32_t group, std::uint32_t track, std::string_view name) {
    begin_event('M', what, group, track);
    text_ += ",\"args\":{\"name\":";
    text(name);
    text_ += "}}";
  }
  void order(std::string_view what, std::uint32_t group, std::uint32_t track, std::uint32_t index) {
    begin_event('M', what, group, track);
    text_ += ",\"args\":{\"sort_index\":";
    number(index);
    text_ += "}}";
  }
  void end_event() {
    text_ += '}';
    size_ = bytes_ + text_.size();
    if (text_.size() >= portion_of_text) put();
  }
  void put() {
    bytes_ += text_.size();
    out_.put(text_);
    text_.clear();
  }

  TextOutput out_;
  std::string text_;  // not yet written
  std::uint64_t bytes_ = 0, size_ = 0;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<TimelineFormat> trace_events(const std::filesystem::path& path) {
  return std::make_unique<TraceEvents>(path);
}

}  // namespace sunstar
