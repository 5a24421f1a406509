// SPDX-License-Identifier: MIT
#include "sw/file_systems/galley/requests/extents.h"

#include <utility>

namespace sunstar::file_systems::galley {

void Extents::append(Extent first, std::uint64_t stride, std::uint64_t count) {
  if (stride == first.bytes) {
    first.bytes *= count;
    count = 1;
  }
  if (!runs_.empty()) {
    Run& last = runs_.back();
    const std::uint64_t begin = last.first.offset + (last.count - 1) * last.stride;
    if (begin + last.first.bytes == first.offset) {
      const Extent joined{begin, last.first.bytes + first.bytes};
      --size_;
      if (--last.count == 0) runs_.pop_back();
      add(joined, 0, 1);
      first.offset += stride;
      --count;
    }
  }
  if (count > 0) add(first, stride, count);
}

// Extents that do not touch the last one.
void Extents::add(Extent first, std::uint64_t stride, std::uint64_t count) {
  size_ += count;
  if (!runs_.empty()) {
    Run& last = runs_.back();
    const std::uint64_t step = last.count > 1 ? last.stride : first.offset - last.first.offset;
    if (last.first.bytes == first.bytes && last.first.offset + last.count * step == first.offset &&
        (count == 1 || stride == step)) {
      last.stride = step;
      last.count += count;
      return;
    }
  }
  runs_.push_back({first, stride, count, bytes()});
}

namespace {
bool disjoint(std::vector<Extent> extents) {
  std::ranges::sort(extents, {}, &Extent::offset);
  const auto overlap = [](const Extent& a, const Extent& b) { return a.offset + a.bytes > b.offset; };
  return std::ranges::adjacent_find(extents, overlap) == extents.end();
}
}  // namespace

bool Extents::apart() const {
  std::vector<Extent> spans, all;
  for (const Run& run : runs_) {
    const std::uint64_t way = (run.count - 1) * run.stride, last = run.first.offset + way;
    const bool forward = last >= run.first.offset;
    if (run.count > 1 && (forward ? run.stride : -run.stride) < run.first.bytes) return false;
    spans.push_back({std::min(run.first.offset, last), run.first.bytes + (forward ? way : -way)});
  }
  if (disjoint(std::move(spans))) return true;
  for (const Extent& extent : pieces()) all.push_back(extent);
  return disjoint(std::move(all));
}

}  // namespace sunstar::file_systems::galley
