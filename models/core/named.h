// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cassert>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

// Tables of policies that a configuration chooses by their member `name`.
namespace sunstar {

/// The entry of that name, which was checked when the configuration was read.
template <class Table>
const auto& named(const Table& table, std::string_view name) {
  const auto found = std::ranges::find_if(table, [&](const auto& entry) { return entry.name == name; });
  assert(found != std::end(table));
  return *found;
}

template <class Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& entry : table) names.emplace_back(entry.name);
  return names;
}

}  // namespace sunstar
