// SPDX-License-Identifier: MIT
#include "sw/io/store/redundant/geometry.h"

#include <algorithm>
#include <cassert>

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
  std::vector<char> chosen(disks, false);
  std::fill_n(chosen.begin(), group, true);
  do {
    Tuple& tuple = tuples.emplace_back();
    for (std::uint32_t d = 0; d < disks; ++d)
      if (chosen[d]) tuple.push_back(d);
  } while (std::ranges::prev_permutation(chosen).found);
  return tuples;
}

std::string block_design_rule() {
  std::string known;
  for (const DifferenceSet& s : difference_sets)
    known += (known.empty() ? "" : ", ") + std::to_string(s.elements.size()) + " of " + std::to_string(s.disks);
  return "a group with at most " + std::to_string(most_tuples) + " choices among the disks, or one of " + known;
}

Geometry::Geometry(std::uint32_t disks, std::uint32_t data, std::uint32_t checks, std::uint32_t unit_sectors,
                   std::vector<Cell> cells)
    : disks_(disks),
      data_(data),
      checks_(checks),
      unit_sectors_(unit_sectors),
      table_rows_(static_cast<std::uint32_t>(cells.size() / (data + checks))),
      cells_(std::move(cells)) {
  assert(data_ > 0 && unit_sectors_ > 0 && cells_.size() == std::size_t{table_rows_} * members());
  for (const Cell& c : cells_) depth_ = std::max(depth_, c.unit + 1);
  cell_of_.assign(std::size_t{disks_} * depth_, -1);
  std::uint32_t deepest = 0;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const Cell& c = cells_[i];
    cell_of_[std::size_t{c.disk} * depth_ + c.unit] = static_cast<std::int64_t>(i);
    deepest = std::max(deepest, c.unit + 1);
    if ((i + 1) % members() == 0) deepest_.push_back(deepest);
  }
}

Geometry Geometry::striped(std::uint32_t disks, std::uint32_t unit_sectors) {
  std::vector<Cell> row;
  for (std::uint32_t d = 0; d < disks; ++d) row.push_back({d, 0});
  return {disks, disks, 0, unit_sectors, std::move(row)};
}

Geometry Geometry::mirrored(std::uint32_t disks, std::uint32_t copies, std::uint32_t unit_sectors) {
  assert(copies > 1 && disks % copies == 0);
  std::vector<Cell> cells;
  for (std::uint32_t d = 0; d < disks / copies; ++d)
    for (std::uint32_t c = 0; c < copies; ++c) cells.push_back({d + c * (disks / copies), 0});
  return {disks, 1, copies - 1, unit_sectors, std::move(cells)};
}

Geometry Geometry::parity_disk(std::uint32_t disks, std::uint32_t unit_sectors) {
  assert(disks > 1);
  Geometry g = striped(disks, unit_sectors);
  return {disks, disks - 1, 1, unit_sectors, std::move(g.cells_)};
}

Geometry Geometry::rotated(std::uint32_t disks, std::uint32_t checks, Rotation rotation, std::uint32_t unit_sectors) {
  assert(disks > checks && (checks == 1 || checks == 2));
  const bool left = rotation == Rotation::left_symmetric || rotation == Rotation::left_asymmetric;
  const bool symmetric = rotation == Rotation::left_symmetric || rotation == Rotation::right_symmetric;
  std::vector<Cell> cells;
  for (std::uint32_t row = 0; row < disks; ++row) {
    const std::uint32_t p = left ? disks - 1 - row : row, q = (p + checks - 1) % disks;
    for (std::uint32_t k = 0, d = symmetric ? q + 1 : 0; k < disks - checks; ++d) {
      if (d % disks == p || d % disks == q) continue;
      cells.push_back({d % disks, row});
      ++k;
    }
    cells.push_back({p, row});
    if (checks == 2) cells.push_back({q, row});
  }
  return {disks, disks - checks, checks, unit_sectors, std::move(cells)};
}

Geometry Geometry::declustered(std::uint32_t disks, std::uint32_t group, std::uint32_t unit_sectors) {
  const std::vector<Tuple> design = block_design(disks, group);
  assert(!design.empty());
  std::vector<Cell> cells;
  std::vector<std::uint32_t> used(disks, 0);
  for (std::uint32_t parity = 0; parity < group; ++parity)
    for (const Tuple& tuple : design) {
      // The parity's place moves from the last of the tuple to the first.
      const std::uint32_t p = group - 1 - parity;
      for (std::uint32_t i = 0; i < group; ++i)
        if (i != p) cells.push_back({tuple[i], used[tuple[i]]++});
      cells.push_back({tuple[p], used[tuple[p]]++});
    }
  return {disks, group - 1, 1, unit_sectors, std::move(cells)};
}

std::uint64_t Geometry::rows(std::uint64_t disk_sectors) const {
  const std::uint64_t units = disk_sectors / unit_sectors_;
  const auto left = static_cast<std::uint32_t>(units % depth_);
  const auto fit = std::upper_bound(deepest_.begin(), deepest_.end(), left) - deepest_.begin();
  return units / depth_ * table_rows_ + static_cast<std::uint64_t>(fit);
}

Extent Geometry::at(Member m, std::uint32_t from, std::uint32_t sectors) const {
  const Cell& c = cell(m);
  return {c.disk, (m.row / table_rows_ * depth_ + c.unit) * unit_sectors_ + from, sectors};
}

std::optional<Member> Geometry::member_at(std::uint32_t disk, std::uint64_t sector) const {
  const std::uint64_t unit = sector / unit_sectors_;
  const std::int64_t found = cell_of_[std::size_t{disk} * depth_ + unit % depth_];
  if (found < 0) return std::nullopt;
  const auto index = static_cast<std::uint64_t>(found);
  return Member{unit / depth_ * table_rows_ + index / members(), static_cast<std::uint32_t>(index % members())};
}

}  // namespace sunstar::io::redundant
