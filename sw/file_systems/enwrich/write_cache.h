// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <deque>
#include <optional>

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
  WriteCache(const WriteCacheParams& params, std::uint32_t block_bytes);

  /// How many of the first bytes of a write of `bytes` at `offset` of a file fit in.
  Room room(std::uint64_t offset, std::uint64_t bytes) const;
  /// Appends what room() allowed; returns where its data belong. The time stamp is later than any before.
  Position append(const DirectoryEntry& entry);

  /// Begins a flush of everything now in the cache, or of what it holds of one file.
  void begin_flush(std::optional<std::uint32_t> file = std::nullopt);
  /// The flush has taken its entries.
  void end_flush();
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

  /// The entry with that time stamp, which must be there, and the position of its data.
  struct Found {
    const DirectoryEntry& entry;
    Position data;
  };
  Found find(std::uint64_t time_stamp) const;
  bool has(std::uint64_t time_stamp) const;

  std::size_t entries() const { return entries_.size(); }
  std::uint64_t data_bytes() const { return data_bytes_; }
  /// Share of the cache, or of the fuller of its two parts, that is filled.
  double fullness() const;
  /// The most entries that the directory can hold.
  std::uint64_t most_entries() const { return most_entries_; }
  std::uint64_t data_ring() const { return data_ring_; }

 private:
  enum class State : std::uint8_t { held, flushing, flushed };
  struct Kept {
    DirectoryEntry entry;
    Position data;
    State state = State::held;
  };
  std::uint64_t size_;
  CacheDivision division_;
  std::uint32_t block_bytes_;
  std::uint64_t most_entries_, data_ring_;
  std::deque<Kept> entries_;
  std::uint64_t data_bytes_ = 0;
  Position end_ = 0;  // where the next entry's data belong
};

}  // namespace sunstar::file_systems::enwrich
