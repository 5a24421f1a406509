// SPDX-License-Identifier: MIT
#include "sw/file_systems/enwrich/flush_plan.h"

#include <algorithm>
#include <cassert>
#include <queue>
#include <tuple>

#include "sw/os/counted.h"

namespace sunstar::file_systems::enwrich {

namespace {

std::uint64_t end_of(const DirectoryEntry& e) { return e.offset + e.bytes; }

bool older(const DirectoryEntry& a, const DirectoryEntry& b) {
  return std::tie(a.time_stamp, a.processor) < std::tie(b.time_stamp, b.processor);
}

void append(std::vector<Extent>& out, const DirectoryEntry& e, std::uint64_t from, std::uint64_t to) {
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

}  // namespace

std::vector<Extent> latest(std::vector<DirectoryEntry> entries) {
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
    const bool new_file = i == 0 || entries[i - 1].file != e.file;
    if (new_file) at = e.offset;
    advance(e.offset);
    open.push(&e);
    if (i + 1 == entries.size() || entries[i + 1].file != e.file) {
      while (!open.empty()) {
        advance(end_of(*open.top()));
        while (!open.empty() && end_of(*open.top()) <= at) open.pop();
      }
    }
  }
  return out;
}

std::uint64_t sorted_runs(std::span<const DirectoryEntry> entries) {
  const auto before = [](const DirectoryEntry& a, const DirectoryEntry& b) {
    return std::tie(a.file, a.offset) < std::tie(b.file, b.offset);
  };
  std::uint64_t runs = entries.empty() ? 0 : 1;
  for (std::size_t i = 1; i < entries.size(); ++i) runs += before(entries[i], entries[i - 1]);
  return runs;
}

FlushPlan::FlushPlan(std::vector<DirectoryEntry> entries, std::uint32_t block_bytes,
                     const std::function<bool(std::uint64_t)>& mine) {
  const os::Counted<os::Cost::directory_entry> mark;
  for (const Extent& e : latest(std::move(entries))) {
    const std::uint64_t end = e.offset + e.bytes;
    for (std::uint64_t block = e.offset / block_bytes; block * block_bytes < end; ++block) {
      if (!mine(block)) continue;
      const std::uint64_t from = std::max(e.offset, block * block_bytes), to = std::min(end, (block + 1) * block_bytes);
      if (blocks_.empty() || blocks_.back().file != e.file || blocks_.back().block != block)
        blocks_.push_back({e.file, block, pieces_.size(), 0});
      ++blocks_.back().pieces;
      pieces_.push_back({e.processor, from, e.time_stamp, to - from});
    }
  }
}

std::uint64_t FlushPlan::pieces(std::uint32_t file, std::uint64_t block, std::vector<workload::Piece>& out) const {
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

}  // namespace sunstar::file_systems::enwrich
