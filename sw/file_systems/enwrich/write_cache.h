// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <limits>
#include <optional>

#include "models/core/fifo.h"
#include "sw/file_systems/enwrich/params.h"

namespace sunstar::file_systems::enwrich {

/// One write in the directory of a compute processor's cache. It takes 24 bytes there and in messages to the I/O
/// processors (Purakayastha, Ellis and Kotz 1995, section 3.1).
struct DirectoryEntry {
  std::uint16_t processor = 0;
  std::uint16_t file = 0;
  std::uint32_t bytes = 0;
  std::uint64_t time_stamp = 0;  ///< ps; the entries of one processor all differ
  std::uint64_t offset = 0;      ///< bytes into the file
  bool operator==(const DirectoryEntry&) const = default;
};
static_assert(sizeof(DirectoryEntry) == 24);

inline constexpr std::uint64_t entry_bytes = sizeof(DirectoryEntry);

/// The book-keeping of one compute processor's write cache, which is a log. Writes are appended to a directory and to
/// the data, a ring. A flush takes the entries that were there when it began, or those of one file. The room of an
/// entry is free when the entries before it have been flushed as well.
class WriteCache {
 public:
  /// Bytes from the beginning of the ring to an entry's data, which never wrap around its end.
  using Position = std::uint64_t;
  struct Room {
    std::uint32_t bytes = 0;         ///< that can be appended now, in one entry
    bool directory_is_full = false;  ///< which is why `bytes` is 0
  };

  /// `block_bytes` is the file system's. A write that does not fit is cut where a block ends, if possible.
  WriteCache(const WriteCacheParams& params, std::uint32_t block_bytes)
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

  /// How many of the first bytes of a write of `bytes` at `offset` of a file fit in.
  Room room(std::uint64_t offset, std::uint64_t bytes) const {
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

  /// Appends what room() allowed; returns where its data belong. The time stamp is later than any before.
  Position append(const DirectoryEntry& entry) {
    assert(entries_.empty() || entries_.back().entry.time_stamp < entry.time_stamp);
    assert(entry.bytes > 0 && entry.bytes <= room(entry.offset, entry.bytes).bytes);
    entries_.push_back({.entry = entry, .data = end_});
    data_bytes_ += entry.bytes;
    end_ += entry.bytes;
    if (end_ == data_ring_) end_ = 0;
    return entries_.back().data;
  }

  /// Begins a flush of everything now in the cache, or of what it holds of one file.
  void begin_flush(std::optional<std::uint32_t> file = std::nullopt) {
    for (Kept& k : entries_)
      if (k.state == State::held && (!file || k.entry.file == *file)) k.state = State::flushing;
  }

  /// The flush has taken its entries.
  void end_flush() {
    for (Kept& k : entries_)
      if (k.state == State::flushing) k.state = State::flushed;
    for (; !entries_.empty() && entries_.front().state == State::flushed; entries_.pop_front())
      data_bytes_ -= entries_.front().entry.bytes;
    if (entries_.empty()) end_ = 0;
  }

  /// Calls visit(entry) for the entries of the flush under way, in order.
  template <class Visit>
  void for_each_flushing(Visit visit) const {
    for (const Kept& k : entries_)
      if (k.state == State::flushing) visit(k.entry);
  }
  /// The same for all entries that no flush has taken.
  template <class Visit>
  void for_each_held(Visit visit) const {
    for (const Kept& k : entries_)
      if (k.state != State::flushed) visit(k.entry);
  }

  enum class State : std::uint8_t { held, flushing, flushed };
  struct Kept {
    DirectoryEntry entry;
    Position data;
    State state = State::held;
  };

  /// The entry with that time stamp; null unless the flush under way takes it.
  const Kept* flushing(std::uint64_t time_stamp) const {
    const auto found =
        std::ranges::lower_bound(entries_, time_stamp, {}, [](const Kept& k) { return k.entry.time_stamp; });
    const bool there = found != entries_.end() && found->entry.time_stamp == time_stamp;
    return there && found->state == State::flushing ? &*found : nullptr;
  }

  std::size_t entries() const { return entries_.size(); }
  std::uint64_t data_bytes() const { return data_bytes_; }

  /// Share of the cache, or of the fuller of its two parts, that is filled.
  double fullness() const {
    const auto share = [](std::uint64_t used, std::uint64_t of) {
      return static_cast<double>(used) / static_cast<double>(of);
    };
    if (division_ == CacheDivision::shared) return share(data_bytes() + entries_.size() * entry_bytes, size_);
    return std::max(share(data_bytes(), data_ring_), share(entries_.size(), most_entries_));
  }

  std::uint64_t most_entries() const { return most_entries_; }
  std::uint64_t data_ring() const { return data_ring_; }

 private:
  std::uint64_t size_;
  CacheDivision division_;
  std::uint32_t block_bytes_;
  std::uint64_t most_entries_, data_ring_;
  Fifo<Kept> entries_;
  std::uint64_t data_bytes_ = 0;
  Position end_ = 0;  // where the next entry's data belong
};

}  // namespace sunstar::file_systems::enwrich
