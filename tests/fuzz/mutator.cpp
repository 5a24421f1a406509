// SPDX-License-Identifier: MIT
#include "tests/fuzz/mutator.h"

#include <algorithm>

namespace sunstar::fuzz {

namespace {
constexpr std::size_t longest = 1 << 16;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
}  // namespace

std::string Mutator::number() {
  static const std::vector<std::string> odd{
      "0",    "-1",  "-0",   "1e400", "1e-400", "0.1", "1e9",      "nan",
      "1e18", "inf", "0x10", "1.",    ".5",     "+1",  "00000001", "9" + std::string(60, '9')};
  switch (random_.below(4)) {
    case 0: return any(odd);
    case 1: return std::to_string(random_.below(300));
    case 2: return std::to_string((std::uint64_t{1} << random_.below(64)) + random_.below(3) - 1);
    default: return std::to_string(random_.below(1u << 20)) + "." + std::to_string(random_.below(1000));
  }
}

std::string Mutator::operator()(const std::vector<std::string>& corpus) {
  std::string text = any(corpus);
  for (std::uint64_t changes = 1 + random_.below(1 + random_.below(8)); changes > 0; --changes) change(text, corpus);
  if (text.size() > longest) text.resize(longest);
  return text;
}

void Mutator::change(std::string& text, const std::vector<std::string>& corpus) {
  const std::size_t at = place(text);
  const auto some = [&] { return std::min<std::size_t>(1 + random_.below(1 + random_.below(64)), text.size() - at); };
  switch (random_.below(10)) {
    case 0:  // a bit
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ 1 << random_.below(8));
      break;
    case 1:  // a byte
      text.insert(at, 1, static_cast<char>(random_.below(256)));
      break;
    case 2:  // less
      text.erase(at, some());
      break;
    case 3:  // the same again, at times many times
      for (std::uint64_t n = random_.below(20) == 0 ? 200 : 1; n > 0; --n) text.insert(at, text, at, some());
      break;
    case 4: {  // a part of another text
      const std::string& other = any(corpus);
      const std::size_t from = place(other);
      text.insert(at, other, from, random_.below(200));
      break;
    }
    case 5:
    case 6: {  // a number
      const auto from = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_digit);
      const auto to = std::find_if_not(from, text.end(), is_digit);
      text.replace(from, to, number());
      break;
    }
    case 7:
    case 8:  // a word
      if (!words_.empty()) text.insert(at, any(words_));
      break;
    default: {  // two lines change places
      const std::size_t end = text.find('\n', at);
      if (end == std::string::npos) break;
      const std::string line = text.substr(at, end - at);
      text.erase(at, end - at);
      text.insert(place(text), line);
    }
  }
}

}  // namespace sunstar::fuzz
