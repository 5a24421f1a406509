// SPDX-License-Identifier: MIT
#include "models/kernel/timeline.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "models/core/error.h"
#include "models/core/limit_reached.h"

namespace sunstar {

namespace {

// Microseconds, to the picosecond.
std::string microseconds(std::int64_t ps) {
  char text[40];
  std::snprintf(text, sizeof text, "%lld.%06lld", static_cast<long long>(ps / 1'000'000),
                static_cast<long long>(ps % 1'000'000));
  return text;
}

std::string json_string(std::string_view s) {
  std::string q = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') q += '\\';
    q += c;
  }
  return q += '"';
}

}  // namespace

Timeline::Timeline(std::filesystem::path path, std::uint64_t limit)
    : path_(std::move(path)), limit_(limit), out_(path_, std::ios::binary) {
  if (!out_) throw ConfigError(path_.string() + " cannot be written: " + std::strerror(errno) + ".");
  text_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
}

Timeline::~Timeline() {
  try {
    close();
  } catch (const ConfigError&) {
  }
}

const char* Timeline::separator() { return std::exchange(first_, false) ? "\n" : ",\n"; }

void Timeline::name(std::string_view what, std::uint32_t group, std::uint32_t track, const std::string& name) {
  text_ += separator();
  text_ += "{\"ph\":\"M\",\"name\":" + json_string(what) + ",\"pid\":" + std::to_string(group) +
           ",\"tid\":" + std::to_string(track) + ",\"args\":{\"name\":" + json_string(name) + "}}";
}

std::uint32_t Timeline::group(const std::string& name_of_group) {
  name("process_name", ++groups_, 0, name_of_group);
  return groups_;
}

Timeline::Track Timeline::track(std::uint32_t group, const std::string& name_of_track) {
  name("thread_name", group, ++tracks_, name_of_track);
  return {group, tracks_};
}

bool Timeline::admit(Time end) {
  if (bytes_ >= limit_) {
    ++left_out_;
    return false;
  }
  ++spans_;
  last_end_ = std::max(last_end_, end);
  return true;
}

void Timeline::begin_event(char phase, std::string_view name, std::uint32_t group, Time at) {
  text_ += separator();
  text_ += "{\"ph\":\"";
  text_ += phase;
  text_ += "\",\"name\":" + json_string(name) + ",\"pid\":" + std::to_string(group) +
           ",\"ts\":" + microseconds(at.time_since_epoch().count());
}

void Timeline::end_event(Figures figures) {
  if (figures.size() > 0) {
    text_ += ",\"args\":{";
    const char* comma = "";
    for (const auto& [key, value] : figures) {
      text_ += comma + json_string(key) + ":" + std::to_string(value);
      comma = ",";
    }
    text_ += '}';
  }
  text_ += '}';
}

void Timeline::span(Track track, std::string_view name, Time start, Time end, Figures figures) {
  if (!admit(end)) return;
  begin_event('X', name, track.group, start);
  text_ += ",\"tid\":" + std::to_string(track.number) + ",\"dur\":" + microseconds((end - start).count());
  end_event(figures);
  write();
}

void Timeline::overlapping(std::uint32_t group, std::string_view category, std::string_view name, Time start, Time end,
                           Figures figures) {
  if (!admit(end)) return;
  const std::string rest = ",\"tid\":0,\"cat\":" + json_string(category) + ",\"id\":" + std::to_string(spans_);
  begin_event('b', name, group, start);
  text_ += rest;
  end_event(figures);
  begin_event('e', name, group, end);
  text_ += rest;
  end_event({});
  write();
}

void Timeline::write() {
  if (text_.size() < (1 << 16) && bytes_ + text_.size() < limit_) return;
  bytes_ += text_.size();
  out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
  text_.clear();
}

std::optional<std::string> Timeline::truncation() const {
  if (left_out_ == 0) return std::nullopt;
  return limit_reached("timeline", last_end_, limit_) + ", and " + std::to_string(left_out_) +
         " later spans were left out.";
}

void Timeline::close() {
  if (closed_) return;
  closed_ = true;
  text_ += "\n]";
  if (const auto sentence = truncation()) text_ += ",\"otherData\":{\"truncated\":" + json_string(*sentence) + "}";
  text_ += "}\n";
  out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
  out_.close();
  if (!out_) throw ConfigError(path_.string() + " cannot be written: " + std::strerror(errno) + ".");
}

}  // namespace sunstar
