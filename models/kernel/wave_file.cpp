// SPDX-License-Identifier: MIT
#include "models/kernel/wave_file.h"

#include <cerrno>
#include <cstring>

namespace sunstar {

namespace {

constexpr std::size_t changes_kept = 1 << 16;

// The short name of a signal within the file: printable characters.
std::string code(std::uint32_t signal) {
  std::string s;
  do {
    s += static_cast<char>('!' + signal % 94);
    signal /= 94;
  } while (signal > 0);
  return s;
}

std::string binary(std::uint32_t bits) {
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + (bits & 1)));
    bits >>= 1;
  } while (bits > 0);
  return digits;
}

std::string text_of(Time t) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g s", seconds(t));
  return text;
}

// Text within a comment of the file, which ends at the word $end.
std::string within_comment(std::string text) {
  for (std::size_t at = 0; (at = text.find("$end", at)) != std::string::npos; at += 5) text.insert(at + 1, " ");
  return text;
}

/// The scopes that a signal of that name is in: all its parts but the last.
std::vector<std::string> scopes_of(const std::string& name) {
  std::vector<std::string> all;
  std::size_t from = 0;
  for (std::size_t dot; (dot = name.find('.', from)) != std::string::npos; from = dot + 1)
    all.push_back(name.substr(from, dot - from));
  return all;
}

}  // namespace

WaveFile::WaveFile(std::filesystem::path path, Options options, std::function<Time()> clock)
    : Recording("--vcd-scope", std::move(options.scope)),
      path_(std::move(path)),
      options_(std::move(options)),
      clock_(std::move(clock)),
      out_(path_, std::ios::binary),
      planned_limit_(changes_kept) {
  if (!out_) throw ConfigError(path_.string(), " cannot be written: ", std::strerror(errno), ".");
}

WaveFile::Signal WaveFile::word(const std::string& name, const Words& words, int initial) {
  const auto same = [&](const Words& w) { return w.kind == words.kind && w.words == words.words; };
  const auto place = std::ranges::find_if(words_, same);
  const auto table = static_cast<std::size_t>(place - words_.begin());
  if (place == words_.end()) words_.push_back(words);
  return declare(name, table + 1, initial);
}

WaveFile::Signal WaveFile::declare(const std::string& name, std::size_t words, int initial) {
  if (header_written_ || !in_scope(std::string_view(name).substr(0, name.rfind('.')))) return unseen;
  traces_.push_back({name, words, initial, false, {}});
  return static_cast<Signal>(traces_.size() - 1);
}

void WaveFile::change(Signal signal, Time at, int value) {
  if (signal == unseen || at >= options_.window.to) return;
  Trace& trace = traces_[signal];
  at = std::max(at, written_until_);
  auto& planned = trace.planned;
  while (!planned.empty() && planned.back().at >= at) {
    planned.pop_back();
    --planned_;
  }
  if (value == (planned.empty() ? trace.written : planned.back().value)) return;
  planned.push_back({at, value});
  grown();
}

void WaveFile::step(Signal signal, Time at, int by) {
  if (signal == unseen || at >= options_.window.to) return;
  Trace& trace = traces_[signal];
  trace.steps = true;
  at = std::max(at, written_until_);
  auto& planned = trace.planned;
  auto place = planned.end();
  while (place != planned.begin() && std::prev(place)->at > at) --place;
  planned.insert(place, {at, by});
  grown();
}

void WaveFile::grown() {
  if (++planned_ < planned_limit_ || settling_) return;
  write_until(std::min(clock_(), settle()));
  planned_limit_ = std::max(changes_kept, 2 * planned_);
}

void WaveFile::write_header() {
  header_written_ = true;
  if (!options_.comment.empty()) text_ += "$comment\n" + within_comment(options_.comment) + "\n$end\n";
  text_ += "$version sunstar $end\n$timescale 1 ps $end\n";
  for (std::size_t w = 0; w < words_.size(); ++w) {
    text_ += "$attrbegin misc 07 " + words_[w].kind + " " + std::to_string(words_[w].words.size());
    for (const std::string& word : words_[w].words) text_ += " " + word;
    for (std::uint32_t value = 0; value < words_[w].words.size(); ++value) text_ += " " + binary(value);
    text_ += " " + std::to_string(w + 1) + " $end\n";
  }
  /// A scope of the file; the signals and scopes in it stand in the order in which they first occur.
  struct Branch {
    std::string name;
    std::vector<Signal> signals;
    std::vector<Branch> inner;
  };
  Branch whole;
  for (Signal s = 0; s < traces_.size(); ++s) {
    Branch* at = &whole;
    for (const std::string& name : scopes_of(traces_[s].name)) {
      const auto known = std::ranges::find(at->inner.rbegin(), at->inner.rend(), name, &Branch::name);
      at = known != at->inner.rend() ? &*known : &at->inner.emplace_back(Branch{name, {}, {}});
    }
    at->signals.push_back(s);
  }
  const std::function<void(const Branch&)> write = [&](const Branch& branch) {
    for (const Signal s : branch.signals) {
      const Trace& t = traces_[s];
      if (t.words > 0) text_ += "$attrbegin misc 07 \"\" " + std::to_string(t.words) + " $end\n";
      text_ += "$var integer 32 " + code(s) + " " + t.name.substr(t.name.rfind('.') + 1) + " $end\n";
    }
    for (const Branch& scope : branch.inner) {
      text_ += "$scope module " + scope.name + " $end\n";
      write(scope);
      text_ += "$upscope $end\n";
    }
  };
  write(whole);
  text_ += "$enddefinitions $end\n";
}

// All values as they are when the window begins.
void WaveFile::begin_window() {
  begun_ = true;
  text_ += '#' + std::to_string(options_.window.from.time_since_epoch().count()) + "\n$dumpvars\n";
  for (Signal s = 0; s < traces_.size(); ++s) append(traces_[s], s);
  text_ += "$end\n";
}

void WaveFile::append(const Trace& trace, Signal signal) {
  text_ += 'b' + binary(static_cast<std::uint32_t>(trace.written)) + ' ' + code(signal) + '\n';
}

// Writes the changes before `end`, in order of time and then of signal.
void WaveFile::write_until(Time end) {
  if (!header_written_) write_header();
  struct Due {
    Time at;
    Signal signal;
    int value;
  };
  std::vector<Due> due;
  for (Signal s = 0; s < traces_.size(); ++s) {
    Trace& t = traces_[s];
    int value = t.written;
    while (!t.planned.empty() && t.planned.front().at < end) {
      const Change c = take_first(t.planned);
      --planned_;
      value = t.steps ? value + c.value : c.value;
      if (t.planned.empty() || t.planned.front().at != c.at) due.push_back({c.at, s, value});
    }
  }
  std::ranges::stable_sort(due, {}, &Due::at);
  const Time from = options_.window.from;
  Time shown = begun_ ? Time::min() : from;
  for (const Due& d : due) {
    if (traces_[d.signal].written == d.value) continue;
    if (d.at <= from && from > Time{}) {
      traces_[d.signal].written = d.value;
      continue;
    }
    if (!begun_) begin_window();
    // The file may end only between two instants, so that no instant is half shown.
    if (!full_at_ && d.at != shown && bytes_ + text_.size() >= options_.limit) full_at_ = d.at;
    if (full_at_) break;
    if (d.at != shown) text_ += '#' + std::to_string(d.at.time_since_epoch().count()) + '\n';
    shown = d.at;
    traces_[d.signal].written = d.value;
    append(traces_[d.signal], d.signal);
  }
  if (!begun_ && end > from) begin_window();
  written_until_ = std::max(written_until_, end);
  bytes_ += text_.size();
  out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
  text_.clear();
}

void WaveFile::finish() {
  closed_at_ = std::min(clock_(), options_.window.to);
  write_until(closed_at_ + Duration{1});
  if (const auto sentence = truncation()) out_ << "$comment " << *sentence << " $end\n";
  if (begun_) out_ << '#' << full_at_.value_or(closed_at_).time_since_epoch().count() << '\n';
  out_.close();
  if (!out_) throw ConfigError(path_.string(), " cannot be written: ", std::strerror(errno), ".");
}

std::optional<std::string> WaveFile::truncation() const {
  if (closed_ && !begun_)
    return "The wave file has no values: the run ended at " + text_of(closed_at_) + ", before its window began.";
  if (!full_at_) return std::nullopt;
  return limit_reached("wave file", *full_at_, options_.limit) + ".";
}

}  // namespace sunstar
