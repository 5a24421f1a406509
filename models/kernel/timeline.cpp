// SPDX-License-Identifier: MIT
#include "models/kernel/timeline.h"

#include <algorithm>
#include <charconv>

#include "models/core/error.h"

namespace sunstar {

namespace {
constexpr std::size_t portion = 1 << 16;  // bytes of text that are written at a time

std::int64_t nanoseconds(Time t) { return t.time_since_epoch().count() / 1000; }
}  // namespace

Timeline::Timeline(const std::filesystem::path& path, Options options)
    : Recording("--timeline-scope", std::move(options.scope)),
      options_(std::move(options)),
      out_(path),
      flows_([this](char phase, std::uint32_t request, const Flows::Point& p) { write_flow(phase, request, p); }) {
  text_.reserve(2 * portion);
  text_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
}

// --- events as text ---

void Timeline::number(std::uint64_t n) {
  char digits[20];
  text_.append(digits, std::to_chars(digits, digits + sizeof digits, n).ptr);
}

void Timeline::microseconds(std::int64_t ns) {
  number(static_cast<std::uint64_t>(ns / 1000));
  const auto rest = static_cast<unsigned>(ns % 1000);
  const char digits[] = {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                         static_cast<char>('0' + rest % 10)};
  text_.append(digits, sizeof digits);
}

void Timeline::text(std::string_view characters) {
  text_ += '"';
  for (const char c : characters) {
    if (c == '"' || c == '\\') text_ += '\\';
    text_ += c;
  }
  text_ += '"';
}

void Timeline::begin_event(char phase, std::string_view name, std::uint32_t group, std::uint32_t track) {
  text_ += std::exchange(first_, false) ? "\n{\"ph\":\"" : ",\n{\"ph\":\"";
  text_ += phase;
  text_ += "\",\"name\":";
  text(name);
  text_ += ",\"pid\":";
  number(group);
  text_ += ",\"tid\":";
  number(track);
}

void Timeline::end_event(Figures figures, std::uint32_t request) {
  const char* comma = ",\"args\":{";
  const auto figure = [&](std::string_view key, std::uint64_t value) {
    text_ += comma;
    text(key);
    text_ += ':';
    number(value);
    comma = ",";
  };
  for (const auto& [key, value] : figures) figure(key, value);
  if (request != 0) figure("request", request);
  text_ += *comma == ',' && comma[1] == '\0' ? "}}" : "}";
  write();
}

void Timeline::label(std::string_view what, std::uint32_t group, std::uint32_t track, std::string_view key,
                     std::string_view value) {
  begin_event('M', what, group, track);
  text_ += ",\"args\":{";
  text(key);
  text_ += ':';
  text(value);
  text_ += "}}";
}

void Timeline::order(std::string_view what, std::uint32_t group, std::uint32_t track, std::uint32_t index) {
  begin_event('M', what, group, track);
  text_ += ",\"args\":{\"sort_index\":";
  number(index);
  text_ += "}}";
}

void Timeline::write() {
  if (text_.size() >= portion || bytes_ + text_.size() >= options_.limit) put();
}

void Timeline::put() {
  bytes_ += text_.size();
  out_.put(text_);
  text_.clear();
}

// --- groups, tracks and counters ---

std::uint32_t Timeline::group(const std::string& name) {
  const auto at = std::ranges::find(groups_, name, &Group::name);
  if (at != groups_.end()) return static_cast<std::uint32_t>(at - groups_.begin()) + 1;
  groups_.push_back({name});
  in_scope(name);  // it exists
  return static_cast<std::uint32_t>(groups_.size());
}

bool Timeline::shows(std::uint32_t group, const std::string& instance) {
  return in_scope(instance.empty() ? groups_[group - 1].name : instance);
}

void Timeline::mention(std::uint32_t group) {
  Group& g = groups_[group - 1];
  if (std::exchange(g.named, true)) return;
  label("process_name", group, 0, "name", g.name);
  order("process_sort_index", group, 0, group);
}

Timeline::Track Timeline::track(std::uint32_t group, const std::string& name, std::uint32_t place,
                                const std::string& instance) {
  if (!shows(group, instance)) return {};
  mention(group);
  label("thread_name", group, ++tracks_, "name", name);
  order("thread_sort_index", group, tracks_, place);
  return {group, tracks_};
}

Timeline::Counter Timeline::counter(std::uint32_t group, const std::string& name, const std::string& instance,
                                    bool is_rate) {
  if (!shows(group, instance)) return 0;
  mention(group);
  Figure figure;
  figure.group = group;
  figure.name = name;
  figure.is_rate = is_rate;
  figures_.push_back(figure);
  return static_cast<Counter>(figures_.size());
}

Timeline::Counter Timeline::level(std::uint32_t group, const std::string& name, const std::string& instance) {
  return counter(group, name, instance, false);
}

Timeline::Counter Timeline::rate(std::uint32_t group, const std::string& name, const std::string& instance) {
  return counter(group, name, instance, true);
}

void Timeline::write_value(Figure& f, std::int64_t interval, std::uint64_t value) {
  const Time at{interval * options_.interval};
  if (value == f.written || bytes_ >= options_.limit || !options_.window.contains(at)) return;
  f.written = value;
  begin_event('C', f.name, f.group, 0);
  text_ += ",\"ts\":";
  microseconds(nanoseconds(at));
  text_ += ",\"args\":{\"value\":";
  number(value);
  text_ += "}}";
  write();
}

/// Writes the values of the intervals that end at `at` or before.
void Timeline::reach(Figure& f, Time at) {
  const std::int64_t interval = at.time_since_epoch() / options_.interval;
  if (interval <= f.interval) return;
  write_value(
      f, f.interval,
      f.is_rate ? static_cast<std::uint64_t>(static_cast<double>(f.seen) / seconds(options_.interval)) : f.seen);
  if (interval > f.interval + 1) write_value(f, f.interval + 1, f.is_rate ? 0 : f.value);
  f.interval = interval;
  f.seen = f.is_rate ? 0 : f.value;
}

void Timeline::set(Counter level, Time at, std::uint64_t value) {
  if (level == 0) return;
  Figure& f = figures_[level - 1];
  if (value == f.value) return;
  reach(f, at);
  f.value = value;
  f.seen = std::max(f.seen, value);
}

void Timeline::step(Counter level, Time at, std::int64_t by) {
  if (level != 0) set(level, at, figures_[level - 1].value + static_cast<std::uint64_t>(by));
}

void Timeline::count(Counter rate, Time at, std::uint64_t amount) {
  if (rate == 0) return;
  Figure& f = figures_[rate - 1];
  reach(f, at);
  f.seen += amount;
}

// --- spans ---

bool Timeline::admit(Time start, Time end) {
  if (!options_.window.meets(start, end)) return false;
  if (bytes_ >= options_.limit) {
    ++left_out_;
    return false;
  }
  ++spans_;
  last_end_ = std::max(last_end_, end);
  return true;
}

void Timeline::span(Track track, std::string_view name, Time start, Time end, Figures figures, std::uint32_t request,
                    std::uint32_t turn) {
  if (!track || !admit(start, end)) return;
  const std::int64_t from = nanoseconds(start), length = nanoseconds(end) - from;
  begin_event('X', name, track.group, track.number);
  text_ += ",\"ts\":";
  microseconds(from);
  text_ += ",\"dur\":";
  microseconds(length);
  end_event(figures, request);
  // An arrow needs a span that contains its end.
  if (request != 0 && length > 0) flows_.add(request, {start, track.group, track.number, turn});
}

void Timeline::instant(Track track, std::string_view name, Time at, Figures figures) {
  if (!track || !admit(at, at)) return;
  begin_event('i', name, track.group, track.number);
  text_ += ",\"s\":\"t\",\"ts\":";
  microseconds(nanoseconds(at));
  end_event(figures, 0);
}

void Timeline::write_flow(char phase, std::uint32_t request, const Flows::Point& p) {
  begin_event(phase, "request", p.group, p.track);
  text_ += ",\"cat\":\"request\",\"id\":";
  number(request);
  text_ += ",\"ts\":";
  microseconds(nanoseconds(p.at));
  text_ += phase == 'f' ? ",\"bp\":\"e\"}" : "}";
  write();
}

std::optional<std::string> Timeline::truncation() const {
  if (left_out_ > 0)
    return limit_reached("timeline", last_end_, options_.limit) + ", and " + std::to_string(left_out_) +
           " later spans were left out.";
  if (closed_ && spans_ == 0) return "The timeline has no spans: nothing that it records happened in its window.";
  return std::nullopt;
}

void Timeline::finish() {
  for (Figure& f : figures_) reach(f, Time{(f.interval + 2) * options_.interval});
  flows_.finish();
  text_ += "\n]";
  if (const auto sentence = truncation()) {
    text_ += ",\"otherData\":{\"truncated\":";
    text(*sentence);
    text_ += '}';
  }
  text_ += "}\n";
  put();
  out_.close();
}

}  // namespace sunstar
