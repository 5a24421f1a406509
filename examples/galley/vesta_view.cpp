// SPDX-License-Identifier: MIT
#include "examples/galley/vesta_view.h"

#include <algorithm>
#include <cassert>

namespace sunstar::file_systems::galley {

namespace {
std::uint32_t cells_of_partition(const VestaView& view, std::uint32_t cells, std::uint32_t h) {
  const std::uint64_t round = std::uint64_t{view.hbs} * view.hn, before = std::uint64_t{view.hbs} * h;
  const std::uint64_t rest = cells % round;
  const std::uint64_t of_rest = rest > before ? std::min<std::uint64_t>(rest - before, view.hbs) : 0;
  return static_cast<std::uint32_t>(cells / round * view.hbs + of_rest);
}
}  // namespace

VestaPartition::VestaPartition(const VestaView& view, std::uint32_t cells_of_file, std::uint32_t h, std::uint32_t v)
    : view_(view), cells_of_file_(cells_of_file), h_(h), v_(v), cells_(cells_of_partition(view, cells_of_file, h)) {
  assert(view.valid() && h < view.hn && v < view.vn);
}

VestaPartition::Place VestaPartition::place(std::uint64_t position) const {
  assert(cells_ > 0);
  const std::uint64_t block = position / position_stride(), in_blocks = position % position_stride();
  Place at;
  at.cell = cell(static_cast<std::uint32_t>(in_blocks / view_.vbs));
  at.row = row_of_block(block) + in_blocks % view_.vbs;
  return at;
}

// Block b of the cell stands at the positions from b * position_stride() + before on.
VestaPartition::Strips VestaPartition::strips(std::uint32_t mine, std::uint64_t first, std::uint64_t count) const {
  assert(mine < cells_);
  const std::uint64_t stride = position_stride(), before = std::uint64_t{mine} * view_.vbs, after = before + view_.vbs;
  const std::uint64_t end = first + count;
  std::uint64_t block = first < after ? 0 : (first - after) / stride + 1;
  std::uint64_t blocks_end = end <= before ? 0 : (end - before - 1) / stride + 1;
  Strips all;
  const auto add = [&](std::uint64_t b, std::uint64_t repetitions) {
    const std::uint64_t begin = b * stride + before;
    Strip strip;
    strip.position = std::max(begin, first);
    strip.row = row_of_block(b) + (strip.position - begin);
    strip.bsus = std::min(begin + view_.vbs, end) - strip.position;
    strip.repetitions = repetitions;
    all.push_back(strip);
  };
  const auto cut = [&](std::uint64_t b) {
    const std::uint64_t begin = b * stride + before;
    return begin < first || begin + view_.vbs > end;
  };
  if (count == 0 || block >= blocks_end) return all;
  if (cut(block)) add(block++, 1);
  const bool last_cut = block < blocks_end && cut(blocks_end - 1);
  if (last_cut) --blocks_end;
  if (block < blocks_end) add(block, blocks_end - block);
  if (last_cut) add(blocks_end, 1);
  return all;
}

}  // namespace sunstar::file_systems::galley
