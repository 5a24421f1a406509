// SPDX-License-Identifier: MIT
#include "sw/io/store/redundant/block_design.h"

#include <algorithm>

namespace sunstar::io::redundant {
namespace {

/// Every difference but 0 modulo `disks` occurs equally often between two elements.
struct DifferenceSet {
  std::uint32_t disks;
  Tuple elements;
};
const DifferenceSet difference_sets[] = {
    {7, {0, 1, 3}},
    {7, {0, 1, 2, 4}},
    {11, {1, 3, 4, 5, 9}},
    {11, {0, 2, 6, 7, 8, 10}},
    {13, {0, 1, 3, 9}},
    {15, {0, 1, 2, 4, 5, 8, 10}},
    {19, {1, 4, 5, 6, 7, 9, 11, 16, 17}},
    {21, {3, 6, 7, 12, 14}},
    {31, {1, 5, 11, 24, 25, 27}},
    {37, {1, 7, 9, 10, 12, 16, 26, 33, 34}},
    {57, {0, 1, 3, 13, 32, 36, 43, 52}},
};

std::uint64_t combinations(std::uint64_t n, std::uint64_t k) {
  std::uint64_t c = 1;
  for (std::uint64_t i = 1; i <= k && c <= most_tuples; ++i) c = c * (n - k + i) / i;
  return c;
}

}  // namespace

bool has_block_design(std::uint32_t disks, std::uint32_t group) {
  if (group < 2 || group > disks) return false;
  return combinations(disks, std::min(group, disks - group)) <= most_tuples ||
         std::any_of(std::begin(difference_sets), std::end(difference_sets),
                     [&](const DifferenceSet& s) { return s.disks == disks && s.elements.size() == group; });
}

std::vector<Tuple> block_design(std::uint32_t disks, std::uint32_t group) {
  std::vector<Tuple> tuples;
  if (!has_block_design(disks, group)) return tuples;
  for (const DifferenceSet& s : difference_sets)
    if (s.disks == disks && s.elements.size() == group) {
      for (std::uint32_t shift = 0; shift < disks; ++shift) {
        Tuple& tuple = tuples.emplace_back();
        for (std::uint32_t e : s.elements) tuple.push_back((e + shift) % disks);
      }
      return tuples;
    }
  Tuple next(group);
  for (std::uint32_t i = 0; i < group; ++i) next[i] = i;
  for (;;) {
    tuples.push_back(next);
    std::uint32_t i = group;
    while (i > 0 && next[i - 1] == disks - group + i - 1) --i;
    if (i == 0) return tuples;
    ++next[i - 1];
    for (; i < group; ++i) next[i] = next[i - 1] + 1;
  }
}

std::string block_design_rule() {
  std::string known;
  for (const DifferenceSet& s : difference_sets)
    known += (known.empty() ? "" : ", ") + std::to_string(s.elements.size()) + " of " + std::to_string(s.disks);
  return "a group of which there are at most " + std::to_string(most_tuples) + " among the disks, or one of " + known;
}

}  // namespace sunstar::io::redundant
