// SPDX-License-Identifier: MIT
#pragma once
#include <charconv>
#include <concepts>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// Numbers in texts, the words of messages (quoting, lists, the nearest valid name), and the two ways in which a run can
// fail for its user. Programmers' mistakes are asserted, not thrown.
namespace sunstar {

/// The parts one behind the other; numbers are written as std::to_string() writes them.
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::string all;
  const auto add = [&all]<class Part>(const Part& part) {
    if constexpr (std::is_arithmetic_v<Part> && !std::same_as<Part, char>) all += std::to_string(part);
    else all += part;
  };
  (add(parts), ...);
  return all;
}
/// Whether all of the text is a number, and which.
template <class Number>
bool is_number(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

/// The text as a message shows it: control characters appear as \x1b, and a word of more than 1000 characters shows
/// only its two ends. Line ends stay.
std::string printable(std::string_view);
/// The word in double quotes. Control characters appear as \x1b; a word of more than 200 characters shows its beginning
/// and its length.
std::string in_quotes(std::string_view);
/// `"a", "b" or "c"`: the words, in quotes unless `quotes` is false, with `last` before the last of them.
std::string listed(const std::vector<std::string>& words, std::string_view last, bool quotes = true);
/// The candidate that `word` probably means: the nearest one, if at most a third of the letters of `word` differ, or
/// two if that is more. Upper and lower case count as equal.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);
/// "; did you mean "x"?", or nothing.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);
/// The end of a sentence about a word that is none of the candidates: "it must be a, b or c; did you mean "c"?"
std::string must_be_one_of(std::string_view word, const std::vector<std::string>& candidates);

/// The report of a deadlock: `heading`, which ends in a colon, and below it lines that each name a waiting part and the
/// part it waits for. At most 40 lines are shown.
std::string waiting_text(const std::string& heading, const std::vector<std::string>& lines);

/// Some editors put it before the text of a file in UTF-8.
inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
/// Whether the text of a file is in UTF-16: with its byte order mark, or ASCII in it.
inline bool is_utf16(std::string_view text) {
  return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff") ||
         (text.size() > 1 && (text[0] == '\0') != (text[1] == '\0'));
}

/// The input cannot be used: exit code 3. `what()` holds finished sentences, one on each line, each with file, path and
/// value. The constructor takes the parts of the text, as concat().
class ConfigError : public std::runtime_error {
 public:
  template <class... Parts>
  explicit ConfigError(const Parts&... parts) : std::runtime_error(printable(concat(parts...))) {}
};

/// The simulated machine failed (deadlock, wrong bytes, a request lost): exit code 4.
class SimulationError : public std::runtime_error {
 public:
  template <class... Parts>
  explicit SimulationError(const Parts&... parts) : std::runtime_error(printable(concat(parts...))) {}
};

}  // namespace sunstar
