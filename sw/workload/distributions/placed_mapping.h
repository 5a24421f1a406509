// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <utility>

#include "sw/workload/distributions/mapping.h"

namespace sunstar::workload {

/// Places a mapping on some of a machine's compute processors, behind whatever else their buffers hold: processor q of
/// the inner mapping is processor `first` + q here, and its part begins `base[q]` bytes into its buffer. All other
/// processors hold nothing.
class PlacedMapping : public Mapping {
 public:
  PlacedMapping(std::shared_ptr<const Mapping> inner, std::uint32_t first, std::uint32_t processors,
                std::vector<std::uint64_t> base)
      : inner_(std::move(inner)), first_(first), processors_(processors), base_(std::move(base)) {}

  std::uint64_t file_bytes() const override { return inner_->file_bytes(); }
  std::uint32_t processors() const override { return processors_; }
  std::uint64_t memory_bytes(std::uint32_t p) const override {
    return holds(p) ? base_[p - first_] + inner_->memory_bytes(p - first_) : 0;
  }
  unsigned distributed_dimensions() const override { return inner_->distributed_dimensions(); }
  bool listed() const override { return inner_->listed(); }
  bool touches(std::uint64_t offset, std::uint64_t bytes) const override { return inner_->touches(offset, bytes); }
  std::optional<Piece> chunk(std::uint32_t p, std::uint64_t memory_offset) const override {
    if (!holds(p)) return std::nullopt;
    const std::uint64_t base = base_[p - first_];
    auto piece = inner_->chunk(p - first_, memory_offset < base ? 0 : memory_offset - base);
    if (piece) place(*piece);
    return piece;
  }
  void pieces(std::uint64_t offset, std::uint64_t bytes, std::vector<Piece>& out) const override {
    const std::size_t from = out.size();
    inner_->pieces(offset, bytes, out);
    for (std::size_t i = from; i < out.size(); ++i) place(out[i]);
  }

 private:
  bool holds(std::uint32_t p) const { return p >= first_ && p - first_ < inner_->processors(); }
  void place(Piece& piece) const {
    piece.memory_offset += base_[piece.processor];
    piece.processor += first_;
  }

  std::shared_ptr<const Mapping> inner_;
  std::uint32_t first_, processors_;
  std::vector<std::uint64_t> base_;  // by processor of the inner mapping
};

}  // namespace sunstar::workload
