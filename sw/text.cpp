// SPDX-License-Identifier: MIT
#include "sw/text.h"

#include <algorithm>
#include <numeric>

namespace sunstar::text {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string list(const std::vector<std::string>& names) {
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) all += i + 1 == names.size() ? " and " : ", ";
    all += names[i];
  }
  return all;
}

std::string allowed(std::string_view given, const std::vector<std::string>& names) {
  const std::string* nearest = nullptr;
  std::size_t least = std::max<std::size_t>(given.size() / 2, 1) + 1;
  for (const std::string& name : names)
    if (const std::size_t d = edit_distance(given, name); d < least) {
      least = d;
      nearest = &name;
    }
  return (nearest ? "did you mean \"" + *nearest + "\"? Allowed are " : std::string("allowed are ")) + list(names);
}

}  // namespace sunstar::text
