// SPDX-License-Identifier: MIT
#pragma once
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
  Range extent() const override;
  bool touches(std::uint64_t offset, std::uint64_t bytes) const override;
  void describe(Words& out) const override;
  std::optional<Piece> chunk(std::uint32_t processor, std::uint64_t memory_offset) const override;
  void pieces(std::uint64_t offset, std::uint64_t bytes, std::vector<Piece>& out) const override;

 private:
  /// The bytes of a segment's blocks that belong to these transfers, counted from the beginning of each block.
  Range in_block(std::uint64_t segment) const;
  /// Calls visit(piece) for the pieces in a range of the file, until it returns false.
  template <class Visit>
  void visit(std::uint64_t offset, std::uint64_t bytes, Visit visit) const;

  Segments file_;
  std::uint64_t from_, to_;
};

}  // namespace sunstar::requests
