// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cassert>
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
              std::vector<Piece> runs, Holders holders)
      : file_bytes_(file_bytes), memory_(std::move(memory)) {
    std::erase_if(runs, [](const Piece& run) { return run.bytes == 0; });
    for (const Piece& run : runs) {
      assert(run.processor < processors() && run.file_offset + run.bytes <= file_bytes_);
      assert(run.memory_offset + run.bytes <= (*memory_)[run.processor]);
      requested_ += run.bytes;
    }
    if (holders == Holders::one) {
      std::ranges::stable_sort(runs, {}, &Piece::file_offset);
      std::uint64_t covered = 0;  // runs placed so far hold everything of this run below here
      for (Piece& run : runs) {
        const std::uint64_t end = run.file_offset + run.bytes;
        const std::uint64_t cut = std::min(run.bytes, covered - std::min(covered, run.file_offset));
        run.file_offset += cut;
        run.memory_offset += cut;
        run.bytes -= cut;
        covered = std::max(covered, end);
      }
      std::erase_if(runs, [](const Piece& run) { return run.bytes == 0; });
    }

    std::ranges::sort(runs, {}, [](const Piece& run) { return std::pair(run.processor, run.memory_offset); });
    for (const Piece& run : runs) {
      held_ += run.bytes;
      if (!by_memory_.empty()) {
        Piece& last = by_memory_.back();
        assert(last.processor != run.processor || last.file_offset <= run.file_offset);
        if (last.processor == run.processor && last.file_offset + last.bytes == run.file_offset &&
            last.memory_offset + last.bytes == run.memory_offset) {
          last.bytes += run.bytes;
          continue;
        }
      }
      by_memory_.push_back(run);
    }
    first_.assign(processors() + 1, 0);
    for (const Piece& chunk : by_memory_) ++first_[chunk.processor + 1];
    for (std::size_t p = 1; p < first_.size(); ++p) first_[p] += first_[p - 1];

    by_offset_ = by_memory_;
    std::ranges::stable_sort(by_offset_, {}, &Piece::file_offset);
    latest_end_.reserve(by_offset_.size());
    for (std::uint64_t latest = 0; const Piece& piece : by_offset_)
      latest_end_.push_back(latest = std::max(latest, piece.file_offset + piece.bytes));
  }

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

  bool touches(std::uint64_t offset, std::uint64_t bytes) const override {
    const auto after = std::ranges::lower_bound(by_offset_, offset + bytes, {}, &Piece::file_offset);
    return after != by_offset_.begin() &&
           latest_end_[static_cast<std::size_t>(after - by_offset_.begin()) - 1] > offset;
  }

  std::optional<Piece> chunk(std::uint32_t processor, std::uint64_t memory_offset) const override {
    const auto begin = by_memory_.begin() + static_cast<std::ptrdiff_t>(first_[processor]);
    const auto end = by_memory_.begin() + static_cast<std::ptrdiff_t>(first_[processor + 1]);
    const auto found = std::partition_point(
        begin, end, [&](const Piece& chunk) { return chunk.memory_offset + chunk.bytes <= memory_offset; });
    if (found == end) return std::nullopt;
    Piece chunk = *found;
    if (chunk.memory_offset < memory_offset) {
      const std::uint64_t skip = memory_offset - chunk.memory_offset;
      chunk.file_offset += skip;
      chunk.memory_offset += skip;
      chunk.bytes -= skip;
    }
    return chunk;
  }

  void pieces(std::uint64_t offset, std::uint64_t bytes, std::vector<Piece>& out) const override {
    const std::uint64_t end = offset + bytes;
    // No piece before this one reaches beyond `offset`.
    auto i = static_cast<std::size_t>(std::ranges::upper_bound(latest_end_, offset) - latest_end_.begin());
    for (; i < by_offset_.size() && by_offset_[i].file_offset < end; ++i) {
      const Piece& whole = by_offset_[i];
      const std::uint64_t from = std::max(offset, whole.file_offset),
                          to = std::min(end, whole.file_offset + whole.bytes);
      if (from < to)
        out.push_back({whole.processor, from, whole.memory_offset + (from - whole.file_offset), to - from});
    }
  }

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
