// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <memory>
#include <utility>

#include "sw/requests/distributions/mapping.h"

namespace sunstar::requests {

/// Places a mapping on some of a machine's compute processors, behind other contents of their buffers: processor q of
/// the inner mapping is processor `first` + q here, and its part begins at its base in its buffer. All other processors
/// hold nothing.
class PlacedMapping : public Mapping {
 public:
  /// From processor `from` of the inner mapping on, until the next entry, a part begins `bytes` into the buffer.
  struct Base {
    std::uint64_t from, bytes;
  };
  /// `bases` begin with processor 0 and are in order.
  PlacedMapping(std::shared_ptr<const Mapping> inner, std::uint32_t first, std::uint32_t processors,
                std::vector<Base> bases)
      : inner_(std::move(inner)), first_(first), processors_(processors), bases_(std::move(bases)) {}
  /// One base for each processor of the inner mapping.
  PlacedMapping(std::shared_ptr<const Mapping> inner, std::uint32_t first, std::uint32_t processors,
                const std::vector<std::uint64_t>& base)
      : PlacedMapping(std::move(inner), first, processors, std::vector<Base>{}) {
    for (std::uint64_t q = 0; q < base.size(); ++q)
      if (bases_.empty() || bases_.back().bytes != base[q]) bases_.push_back({q, base[q]});
  }

  std::uint64_t file_bytes() const override { return inner_->file_bytes(); }
  std::uint32_t processors() const override { return processors_; }
  void describe(Words& out) const override {
    out.insert(out.end(), {static_cast<std::uint64_t>(Form::placed), first_, processors_, bases_.size()});
    for (const Base& base : bases_) out.insert(out.end(), {base.from, base.bytes});
    inner_->describe(out);
  }
  std::uint64_t memory_bytes(std::uint32_t p) const override {
    return holds(p) ? base_of(p - first_) + inner_->memory_bytes(p - first_) : 0;
  }
  unsigned distributed_dimensions() const override { return inner_->distributed_dimensions(); }
  bool listed() const override { return inner_->listed(); }
  Range extent() const override { return inner_->extent(); }
  bool touches(std::uint64_t offset, std::uint64_t bytes) const override { return inner_->touches(offset, bytes); }
  std::optional<Piece> chunk(std::uint32_t p, std::uint64_t memory_offset) const override {
    if (!holds(p)) return std::nullopt;
    const std::uint64_t base = base_of(p - first_);
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
  std::uint64_t base_of(std::uint64_t q) const {
    if (bases_.size() == 1) return bases_.front().bytes;
    return std::prev(std::ranges::upper_bound(bases_, q, {}, &Base::from))->bytes;
  }
  void place(Piece& piece) const {
    piece.memory_offset += base_of(piece.processor);
    piece.processor += first_;
  }

  std::shared_ptr<const Mapping> inner_;
  std::uint32_t first_, processors_;
  std::vector<Base> bases_;
};

}  // namespace sunstar::requests
