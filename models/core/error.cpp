// SPDX-License-Identifier: MIT
#include "models/core/error.h"

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <locale>
#include <numeric>

namespace sunstar {

namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }

std::string without_controls(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    if (!is_control(c)) {
      shown += c;
      continue;
    }
    constexpr std::string_view digits = "0123456789abcdef";
    const auto code = static_cast<unsigned char>(c);
    shown += {'\\', 'x', digits[code / 16], digits[code % 16]};
  }
  return shown;
}

/// The first `most` bytes, or fewer, so that no character of UTF-8 is cut.
std::string_view beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
  return text.substr(0, most);
}

/// The number of letters to insert, delete or replace to turn one word into the other (Levenshtein 1965).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const auto replace = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replace});
    }
  }
  return row.back();
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::size_t longest = 1000, shown = 100;
  std::string all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (word.size() > longest)
      all += without_controls(beginning(word, shown)) + "..." + without_controls(word.substr(word.size() - 1));
    else all += without_controls(word);
    if (end < text.size()) all += text[end];
    at = end + 1;
  }
  return all;
}

std::string in_quotes(std::string_view word) {
  constexpr std::size_t longest = 200, shown = 60;
  if (word.size() <= longest) return '"' + without_controls(word) + '"';
  return '"' + without_controls(beginning(word, shown)) + "...\" (" + std::to_string(word.size()) + " characters)";
}

std::string listed(const std::vector<std::string>& words, std::string_view last, bool quotes) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 < words.size() ? ", " : " " + std::string(last) + " ";
    text += quotes ? in_quotes(words[i]) : words[i];
  }
  return text;
}

std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates) {
  const auto small = [](std::string_view w) { return boost::to_lower_copy(std::string(w), std::locale::classic()); };
  std::optional<std::string> best;
  auto least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const auto& c : candidates) {
    const auto d = edit_distance(small(word), small(c));
    if (d < least && d < std::max(word.size(), c.size())) least = d, best = c;
  }
  return best;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const auto best = nearest(word, candidates);
  return best ? "; did you mean " + in_quotes(*best) + "?" : "";
}

std::string must_be_one_of(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string near = suggestion(word, candidates);
  return "it must be " + listed(candidates, "or", false) + (near.empty() ? "." : near);
}

std::string waiting_text(const std::string& heading, const std::vector<std::string>& lines) {
  constexpr std::size_t most = 40;
  std::string text = heading;
  for (std::size_t i = 0; i < std::min(lines.size(), most); ++i) text += "\n  " + lines[i];
  if (lines.size() > most) text += "\n  and " + std::to_string(lines.size() - most) + " more";
  return text;
}

}  // namespace sunstar
