// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>

#include "sw/requests/distributions/mapping.h"

namespace sunstar::requests {

/// A file of segments, as the benchmark IOR lays them out: a segment has a block of every processor, and a block
/// consists of transfers. A processor keeps the transfers of its blocks one behind the other, in file order.
struct Segments {
  std::uint64_t transfer_bytes = 1, transfers = 1;  ///< of a block
  std::uint64_t segments = 1;
  std::uint32_t processors = 1;
  std::uint32_t shift = 0;  ///< processor p has the blocks with the number p + shift, round all; less than `processors`

  std::uint64_t block_bytes() const { return transfer_bytes * transfers; }
  std::uint64_t segment_bytes() const { return block_bytes() * processors; }
  /// Of all segments, those of one processor.
  std::uint64_t transfers_of_processor() const { return transfers * segments; }
  /// Where a processor's transfer of that number begins in the file.
  std::uint64_t offset(std::uint32_t processor, std::uint64_t transfer) const {
    return transfer / transfers * segment_bytes() + (processor + shift) % processors * block_bytes() +
           transfer % transfers * transfer_bytes;
  }
};

/// Each processor's transfers in [from, to). A chunk extends across the transfers of a block.
class SegmentedMapping : public Mapping {
 public:
  SegmentedMapping(const Segments& file, std::uint64_t from, std::uint64_t to) : file_(file), from_(from), to_(to) {}

  std::uint64_t file_bytes() const override { return file_.segment_bytes() * file_.segments; }
  std::uint32_t processors() const override { return file_.processors; }
  std::uint64_t memory_bytes(std::uint32_t) const override { return file_.block_bytes() * file_.segments; }
  unsigned distributed_dimensions() const override { return 1; }

  Range extent() const override {
    const std::uint64_t first = from_ / file_.transfers, last = (to_ - 1) / file_.transfers;
    return {first * file_.segment_bytes() + in_block(first).begin,
            (last + 1) * file_.segment_bytes() - file_.block_bytes() + in_block(last).end};
  }

  bool touches(std::uint64_t offset, std::uint64_t bytes) const override {
    const Range all = extent();  // one collective of many touches little of a large file
    if (offset >= all.end || offset + bytes <= all.begin) return false;
    bool any = false;
    visit(offset, bytes, [&any](const Piece&) { return !(any = true); });
    return any;
  }

  void describe(Words& out) const override {
    out.insert(out.end(), {static_cast<std::uint64_t>(Form::segmented), file_.transfer_bytes, file_.transfers,
                           file_.segments, file_.processors, file_.shift, from_, to_});
  }

  std::optional<Piece> chunk(std::uint32_t processor, std::uint64_t memory_offset) const override {
    const std::uint64_t size = file_.transfer_bytes, at = std::max(memory_offset, from_ * size);
    if (at >= to_ * size) return std::nullopt;
    const std::uint64_t end = std::min((at / file_.block_bytes() + 1) * file_.block_bytes(), to_ * size);
    return Piece{processor, file_.offset(processor, at / size) + at % size, at, end - at};
  }

  void pieces(std::uint64_t offset, std::uint64_t bytes, std::vector<Piece>& out) const override {
    visit(offset, bytes, [&out](const Piece& piece) {
      out.push_back(piece);
      return true;
    });
  }

 private:
  /// The bytes of a segment's blocks that belong to these transfers, counted from the beginning of each block.
  Range in_block(std::uint64_t segment) const {
    const std::uint64_t first = segment * file_.transfers, end = first + file_.transfers;
    const std::uint64_t from = std::clamp(from_, first, end), to = std::clamp(to_, from, end);
    return {(from - first) * file_.transfer_bytes, (to - first) * file_.transfer_bytes};
  }

  /// Calls visit(piece) for the pieces in a range of the file, until it returns false.
  template <class Visit>
  void visit(std::uint64_t offset, std::uint64_t bytes, Visit visit) const {
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

  Segments file_;
  std::uint64_t from_, to_;
};

}  // namespace sunstar::requests
