// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <queue>
#include <span>
#include <vector>

#include "sw/file_systems/enwrich/write_cache.h"
#include "sw/requests/distributions/mapping.h"

namespace sunstar::file_systems::enwrich {

/// A run of a file's bytes whose latest version one cache holds.
struct Extent {
  std::uint32_t file = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint32_t processor = 0;
  std::uint64_t time_stamp = 0;  ///< of the entry
  bool operator==(const Extent&) const = default;
};

inline std::uint64_t end_of(const DirectoryEntry& e) { return e.offset + e.bytes; }

inline bool older(const DirectoryEntry& a, const DirectoryEntry& b) {
  return std::tie(a.time_stamp, a.processor) < std::tie(b.time_stamp, b.processor);
}

inline void append(std::vector<Extent>& out, const DirectoryEntry& e, std::uint64_t from, std::uint64_t to) {
  if (from == to) return;
  if (!out.empty()) {
    Extent& last = out.back();
    if (last.file == e.file && last.processor == e.processor && last.time_stamp == e.time_stamp &&
        last.offset + last.bytes == from) {
      last.bytes += to - from;
      return;
    }
  }
  out.push_back({e.file, from, to - from, e.processor, e.time_stamp});
}

/// Finds the cache with the latest version of each byte in the entries of all directories. The extents are disjoint and
/// in order of file and offset. Where entries overlap, the later time stamp wins; of equal ones, the higher processor.
inline std::vector<Extent> latest(std::vector<DirectoryEntry> entries) {
  {
    const os::Counted<os::Cost::sort_comparison> mark;
    std::ranges::sort(entries, [](const DirectoryEntry& a, const DirectoryEntry& b) {
      return std::tie(a.file, a.offset) < std::tie(b.file, b.offset) ||
             (a.file == b.file && a.offset == b.offset && older(a, b));
    });
  }
  std::vector<Extent> out;
  out.reserve(entries.size());
  // Sweeps over the file: of the entries that cover the current offset, the youngest holds its byte.
  const auto below = [](const DirectoryEntry* a, const DirectoryEntry* b) { return older(*a, *b); };
  std::priority_queue<const DirectoryEntry*, std::vector<const DirectoryEntry*>, decltype(below)> open(below);
  std::uint64_t at = 0;
  const auto advance = [&](std::uint64_t to) {
    while (at < to) {
      while (!open.empty() && end_of(*open.top()) <= at) open.pop();
      if (open.empty()) break;
      const std::uint64_t stop = std::min(to, end_of(*open.top()));
      append(out, *open.top(), at, stop);
      at = stop;
    }
    at = to;
  };
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const DirectoryEntry& e = entries[i];
    const bool last_of_file = i + 1 == entries.size() || entries[i + 1].file != e.file;
    if (open.empty()) {
      at = e.offset;
      if (last_of_file || end_of(e) <= entries[i + 1].offset) {  // most entries overlap no other
        out.push_back({e.file, e.offset, e.bytes, e.processor, e.time_stamp});
        continue;
      }
    }
    advance(e.offset);
    while (!open.empty() && end_of(*open.top()) <= at) open.pop();
    open.push(&e);
    if (last_of_file) {
      while (!open.empty()) {
        advance(end_of(*open.top()));
        while (!open.empty() && end_of(*open.top()) <= at) open.pop();
      }
    }
  }
  return out;
}

/// Counts the runs of entries that are already in order of file and offset. They decide how long a natural merge sort
/// takes. A program that writes its part in order leaves one run in each directory.
inline std::uint64_t sorted_runs(std::span<const DirectoryEntry> entries) {
  const auto before = [](const DirectoryEntry& a, const DirectoryEntry& b) {
    return std::tie(a.file, a.offset) < std::tie(b.file, b.offset);
  };
  std::uint64_t runs = entries.empty() ? 0 : 1;
  for (std::size_t i = 1; i < entries.size(); ++i) runs += before(entries[i], entries[i - 1]);
  return runs;
}

/// What one I/O processor has to write in a flush: the blocks on its disks, each with its pieces. A piece's
/// memory_offset is the time stamp by which its processor finds the entry.
class FlushPlan {
 public:
  struct Block {
    std::uint32_t file;
    std::uint64_t block;
    std::size_t first_piece, pieces;
  };

  /// `mine` says whether a block lies on this node's disks.
  FlushPlan(std::vector<DirectoryEntry> entries, std::uint32_t block_bytes,
            const std::function<bool(std::uint64_t)>& mine) {
    const os::Counted<os::Cost::directory_entry> mark;
    pieces_.reserve(entries.size());
    // The block in which the next piece begins, in order of file and offset, and whether it is to be planned.
    std::uint32_t file = 0;
    std::uint64_t block_begin = 0, block_end = 0;
    bool planned = false;
    for (const Extent& e : latest(std::move(entries))) {
      const std::uint64_t end = e.offset + e.bytes;
      for (std::uint64_t from = e.offset; from < end;) {
        if (from >= block_end || from < block_begin || e.file != file) {
          const std::uint64_t block = from / block_bytes;
          file = e.file;
          block_begin = block * block_bytes;
          block_end = block_begin + block_bytes;
          planned = mine(block);
          if (planned) blocks_.push_back({file, block, pieces_.size(), 0});
        }
        const std::uint64_t to = std::min(end, block_end);
        if (planned) {
          ++blocks_.back().pieces;
          pieces_.push_back({e.processor, from, e.time_stamp, to - from});
        }
        from = to;
      }
    }
  }

  /// The plan's blocks, in order of file and block number.
  const std::vector<Block>& blocks() const { return blocks_; }

  /// Appends the block's pieces in file order; returns the bytes they cover. The block must be in the plan.
  std::uint64_t pieces(std::uint32_t file, std::uint64_t block, std::vector<requests::Piece>& out) const {
    const auto found = std::ranges::lower_bound(blocks_, std::pair(file, block), {},
                                                [](const Block& b) { return std::pair(b.file, b.block); });
    assert(found != blocks_.end() && found->file == file && found->block == block);
    std::uint64_t covered = 0;
    for (std::size_t i = found->first_piece; i < found->first_piece + found->pieces; ++i) {
      out.push_back(pieces_[i]);
      covered += pieces_[i].bytes;
    }
    return covered;
  }

 private:
  std::vector<Block> blocks_;
  std::vector<requests::Piece> pieces_;
};

}  // namespace sunstar::file_systems::enwrich
