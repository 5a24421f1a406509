// SPDX-License-Identifier: MIT
#include "models/kernel/event_log.h"

#include <array>
#include <charconv>

namespace sunstar {

namespace {

constexpr std::size_t lines_kept = 1 << 12;
constexpr std::array<std::string_view, 3> level_words{"info ", "debug", "trace"};

void append(std::string& text, std::uint64_t number) {
  char digits[20];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

}  // namespace

EventLog::EventLog(TextOutput::To to, Options options, std::function<Time()> clock)
    : Recording("--log-scope", std::move(options.scope)),
      options_(std::move(options)),
      clock_(std::move(clock)),
      out_(std::move(to)),
      most_waiting_(lines_kept) {}

EventLog::Instance EventLog::instance(const std::string& name) {
  if (!in_scope(name)) return {};
  const auto known = std::ranges::find(names_, name);
  if (known != names_.end()) return {static_cast<std::uint32_t>(known - names_.begin()) + 1};
  names_.push_back(name);
  name_width_ = std::max(name_width_, name.size());
  return {static_cast<std::uint32_t>(names_.size())};
}

void EventLog::event(Instance instance, LogLevel level, Time at, std::string_view what, Figures figures,
                     std::uint32_t request) {
  if (!instance || !tells(level) || !options_.window.contains(at)) return;
  if (bytes_ >= options_.limit) {
    ++left_out_;
    return;
  }
  std::string text(what);
  for (const auto& [key, value] : figures) append(text.append(", ").append(key).append(" "), value);
  if (request != 0) append(text.append(", request "), request);
  waiting_.push_back({at, level, instance, std::move(text)});
  if (waiting_.size() < most_waiting_ || settling_) return;
  write_before(std::min(clock_(), settle()));
  most_waiting_ = std::max(lines_kept, 2 * waiting_.size());  // sorting the lines that stay must not cost more and more
}

void EventLog::write_before(Time end) {
  std::ranges::stable_sort(waiting_, {}, &Line::at);
  const auto stay = std::ranges::find_if(waiting_, [end](const Line& line) { return line.at >= end; });
  std::for_each(waiting_.begin(), stay, [this](const Line& line) { write(line); });
  waiting_.erase(waiting_.begin(), stay);
  out_.put(text_);
  text_.clear();
}

void EventLog::write(const Line& line) {
  if (bytes_ >= options_.limit) {
    ++left_out_;
    return;
  }
  const std::size_t before = text_.size();
  char time[32];
  const std::int64_t ns = line.at.time_since_epoch().count() / 1000;
  std::snprintf(time, sizeof time, "%lld.%09lld ", static_cast<long long>(ns / 1'000'000'000),
                static_cast<long long>(ns % 1'000'000'000));
  const std::string& name = names_[line.instance.number - 1];
  text_.append(time).append(level_words[static_cast<std::size_t>(line.level)]).append(" ").append(name);
  text_.append(name_width_ - name.size() + 2, ' ').append(line.text) += '\n';
  bytes_ += text_.size() - before;
  ++lines_;
  last_ = line.at;
}

std::optional<std::string> EventLog::truncation() const {
  if (left_out_ > 0)
    return concat(limit_reached("log", last_, options_.limit), ", and ", left_out_, " later lines were left out.");
  if (closed_ && lines_ == 0) return "The log has no lines: nothing that it tells happened in its window.";
  return std::nullopt;
}

void EventLog::finish() {
  write_before(Time::max());
  out_.close();
}

}  // namespace sunstar
