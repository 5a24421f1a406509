// SPDX-License-Identifier: MIT
#include "sw/file_systems/enwrich/write_cache.h"

#include <limits>

namespace sunstar::file_systems::enwrich {

namespace {
constexpr std::uint64_t entry_bytes = sizeof(DirectoryEntry);
}

WriteCache::WriteCache(const WriteCacheParams& params, std::uint32_t block_bytes)
    : size_(params.cache_size.count), division_(params.division), block_bytes_(block_bytes) {
  if (division_ == CacheDivision::fixed) {
    const auto directory = static_cast<std::uint64_t>(static_cast<double>(size_) * params.directory_fraction);
    most_entries_ = std::max<std::uint64_t>(directory / entry_bytes, 1);
    data_ring_ = std::max<std::uint64_t>(size_ - directory, 1);
  } else {
    most_entries_ = size_ / (entry_bytes + 1);
    data_ring_ = size_ - entry_bytes;
  }
}

WriteCache::Room WriteCache::room(std::uint64_t offset, std::uint64_t bytes) const {
  if (entries_.size() >= most_entries_) return {0, true};
  std::uint64_t free = data_ring_ - data_bytes();
  if (division_ == CacheDivision::shared) {
    const std::uint64_t directory = (entries_.size() + 1) * entry_bytes;
    if (directory + data_bytes() >= size_) return {0, false};
    free = std::min(free, size_ - directory - data_bytes());
  }
  if (free == 0) return {0, false};
  std::uint64_t fits = std::min({bytes, free, std::uint64_t{std::numeric_limits<std::uint32_t>::max()}});
  // The rest of the write goes into the next flush. Cut where a block ends, so that no block goes to disk twice.
  if (fits < bytes) {
    const std::uint64_t whole = (offset + fits) / block_bytes_ * block_bytes_;
    if (whole > offset) fits = whole - offset;
    else if (!entries_.empty()) return {0, false};
  }
  // An entry's data must not wrap around the end of the ring.
  return {static_cast<std::uint32_t>(std::min(fits, data_ring_ - end_)), false};
}

WriteCache::Position WriteCache::append(const DirectoryEntry& entry) {
  assert(entries_.empty() || entries_.back().entry.time_stamp < entry.time_stamp);
  assert(entry.bytes > 0 && entry.bytes <= room(entry.offset, entry.bytes).bytes);
  entries_.push_back({.entry = entry, .data = end_});
  data_bytes_ += entry.bytes;
  end_ += entry.bytes;
  if (end_ == data_ring_) end_ = 0;
  return entries_.back().data;
}

void WriteCache::begin_flush(std::optional<std::uint32_t> file) {
  for (Kept& k : entries_)
    if (k.state == State::held && (!file || k.entry.file == *file)) k.state = State::flushing;
}

void WriteCache::end_flush() {
  for (Kept& k : entries_)
    if (k.state == State::flushing) k.state = State::flushed;
  for (; !entries_.empty() && entries_.front().state == State::flushed; entries_.pop_front())
    data_bytes_ -= entries_.front().entry.bytes;
  if (entries_.empty()) end_ = 0;
}

bool WriteCache::has(std::uint64_t time_stamp) const {
  const auto found =
      std::ranges::lower_bound(entries_, time_stamp, {}, [](const Kept& k) { return k.entry.time_stamp; });
  return found != entries_.end() && found->entry.time_stamp == time_stamp && found->state == State::flushing;
}

WriteCache::Found WriteCache::find(std::uint64_t time_stamp) const {
  const auto found =
      std::ranges::lower_bound(entries_, time_stamp, {}, [](const Kept& k) { return k.entry.time_stamp; });
  assert(found != entries_.end() && found->entry.time_stamp == time_stamp);
  return {found->entry, found->data};
}

double WriteCache::fullness() const {
  const auto share = [](std::uint64_t used, std::uint64_t of) {
    return static_cast<double>(used) / static_cast<double>(of);
  };
  if (division_ == CacheDivision::shared) return share(data_bytes() + entries_.size() * entry_bytes, size_);
  return std::max(share(data_bytes(), data_ring_), share(entries_.size(), most_entries_));
}

}  // namespace sunstar::file_systems::enwrich
