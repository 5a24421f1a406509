// SPDX-License-Identifier: MIT
#include "sw/requests/distributions/segmented_mapping.h"

#include <algorithm>

namespace sunstar::requests {

Mapping::Range SegmentedMapping::in_block(std::uint64_t segment) const {
  const std::uint64_t first = segment * file_.transfers, end = first + file_.transfers;
  const std::uint64_t from = std::clamp(from_, first, end), to = std::clamp(to_, from, end);
  return {(from - first) * file_.transfer_bytes, (to - first) * file_.transfer_bytes};
}

template <class Visit>
void SegmentedMapping::visit(std::uint64_t offset, std::uint64_t bytes, Visit visit) const {
  const std::uint64_t block_bytes = file_.block_bytes(), n = file_.processors, end = offset + bytes;
  for (std::uint64_t block = offset / block_bytes; block * block_bytes < end; ++block) {
    const std::uint64_t segment = block / n;
    const Range part = in_block(segment);
    const std::uint64_t begin = std::max(offset, block * block_bytes + part.begin);
    const std::uint64_t stop = std::min(end, block * block_bytes + part.end);
    if (begin >= stop) continue;
    const auto processor = static_cast<std::uint32_t>((block + n - file_.shift) % n);
    if (!visit(Piece{processor, begin, segment * block_bytes + (begin - block * block_bytes), stop - begin})) return;
  }
}

Mapping::Range SegmentedMapping::extent() const {
  const std::uint64_t first = from_ / file_.transfers, last = (to_ - 1) / file_.transfers;
  return {first * file_.segment_bytes() + in_block(first).begin,
          (last + 1) * file_.segment_bytes() - file_.block_bytes() + in_block(last).end};
}

bool SegmentedMapping::touches(std::uint64_t offset, std::uint64_t bytes) const {
  const Range all = extent();  // one collective of many touches little of a large file
  if (offset >= all.end || offset + bytes <= all.begin) return false;
  bool any = false;
  visit(offset, bytes, [&any](const Piece&) { return !(any = true); });
  return any;
}

void SegmentedMapping::describe(Words& out) const {
  out.insert(out.end(), {static_cast<std::uint64_t>(Form::segmented), file_.transfer_bytes, file_.transfers,
                         file_.segments, file_.processors, file_.shift, from_, to_});
}

std::optional<Piece> SegmentedMapping::chunk(std::uint32_t processor, std::uint64_t memory_offset) const {
  const std::uint64_t size = file_.transfer_bytes, at = std::max(memory_offset, from_ * size);
  if (at >= to_ * size) return std::nullopt;
  const std::uint64_t end = std::min((at / file_.block_bytes() + 1) * file_.block_bytes(), to_ * size);
  return Piece{processor, file_.offset(processor, at / size) + at % size, at, end - at};
}

void SegmentedMapping::pieces(std::uint64_t offset, std::uint64_t bytes, std::vector<Piece>& out) const {
  visit(offset, bytes, [&out](const Piece& piece) {
    out.push_back(piece);
    return true;
  });
}

}  // namespace sunstar::requests
