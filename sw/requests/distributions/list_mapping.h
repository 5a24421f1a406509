// SPDX-License-Identifier: MIT
#pragma once
#include <memory>

#include "sw/requests/distributions/mapping.h"

namespace sunstar::requests {

/// A mapping given as a list of runs, such as the requests of a trace. Parts of the file may lie in no run, and runs of
/// several processors may overlap. Holders decides which processor holds a byte that lies in several runs:
///  - `every`, for reading: each processor has its own copy of each of its runs; pieces() lists all of them.
///  - `one`, for writing: the byte comes from the run that begins first in the file (of several, the one listed first),
///    and pieces() and chunk() leave it out of the others. Content depends on file and offset only, so it is the same
///    in all of them. The bytes left out are requested_bytes() - held_bytes().
///
/// A processor's runs lie in its memory in file order. There may be gaps, also before the first, so chunk(p, m) is the
/// first chunk at or after `m`. Runs that touch in both file and memory are one chunk.
class ListMapping : public Mapping {
 public:
  enum class Holders : std::uint8_t { every, one };

  /// `runs` must end within `file_bytes` and within their processor's memory, and those of one processor must have the
  /// same order in the file and in its memory. `memory` holds each processor's buffer size; other mappings may share
  /// the buffers.
  ListMapping(std::uint64_t file_bytes, std::shared_ptr<const std::vector<std::uint64_t>> memory,
              std::vector<Piece> runs, Holders holders);

  std::uint64_t file_bytes() const override { return file_bytes_; }
  std::uint32_t processors() const override { return static_cast<std::uint32_t>(memory_->size()); }
  std::uint64_t memory_bytes(std::uint32_t processor) const override { return (*memory_)[processor]; }
  /// The runs are not part of it: each processor sends its own to the nodes that they concern.
  void describe(Words& out) const override {
    out.insert(out.end(), {static_cast<std::uint64_t>(Form::list), file_bytes_});
  }
  /// Returns 1: finding a piece is a search of the list, charged as one division chain.
  unsigned distributed_dimensions() const override { return 1; }
  bool listed() const override { return true; }
  bool touches(std::uint64_t offset, std::uint64_t bytes) const override;
  std::optional<Piece> chunk(std::uint32_t processor, std::uint64_t memory_offset) const override;
  void pieces(std::uint64_t offset, std::uint64_t bytes, std::vector<Piece>& out) const override;

  std::uint64_t requested_bytes() const { return requested_; }  ///< in all runs as given
  std::uint64_t held_bytes() const { return held_; }            ///< in all chunks

 private:
  std::uint64_t file_bytes_;
  std::shared_ptr<const std::vector<std::uint64_t>> memory_;
  std::uint64_t requested_ = 0, held_ = 0;
  std::vector<Piece> by_memory_;           // by processor, then memory
  std::vector<std::size_t> first_;         // by processor: its first run in by_memory_; then the end
  std::vector<Piece> by_offset_;           // by file offset, then processor
  std::vector<std::uint64_t> latest_end_;  // of by_offset_[0..i]
};

}  // namespace sunstar::requests
