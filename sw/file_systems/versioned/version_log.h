// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sw/io/byte_ranges.h"

namespace sunstar::file_systems::versioned {

/// The writes to the stripes of an I/O processor since they were merged: each write is a version, in order of arrival,
/// and each byte has the newest. Old versions take room until their stripe is merged. Knows neither time nor messages.
class VersionLog {
 public:
  using Key = std::pair<std::uint32_t, std::uint64_t>;  ///< file, and its stripe
  using Version = std::uint64_t;

  VersionLog(std::byte* memory, std::uint64_t size) : memory_(memory) { add_free(0, size); }

  /// Room for a write, the smallest free run that is large enough; null if there is none now.
  std::byte* take(std::uint64_t bytes);
  void give_back(const std::byte* data, std::uint64_t bytes);
  std::uint64_t used() const { return used_; }

  /// The bytes of a stripe are there now.
  void publish(const Key& key, io::ByteRange range, std::byte* data);
  /// The newest bytes of a stripe that the log has, in order.
  struct Piece {
    io::ByteRange range;
    const std::byte* data;
  };
  std::vector<Piece> newest(const Key& key, io::ByteRange range) const;
  /// How many bytes of a stripe are in the log.
  std::uint32_t bytes(const Key& key) const;

  /// The stripe with the oldest version that is not being merged; null if there is none.
  const Key* oldest() const { return order_.empty() ? nullptr : &order_.begin()->second; }
  bool merging(const Key& stripe) const { return stripes_.at(stripe).merging; }
  bool holds(const Key& stripe) const { return stripes_.contains(stripe); }
  bool empty() const { return stripes_.empty(); }
  /// Begins to merge a stripe's present versions. The result goes to end_merge().
  Version begin_merge(const Key& key);
  /// Versions up to that one are elsewhere now.
  void end_merge(const Key& key, Version up_to);

 private:
  struct Newest {
    std::uint32_t to;
    Version version;
    std::byte* data;
  };
  struct Write {
    Version version;
    std::byte* data;
    std::uint32_t bytes;
  };
  struct Stripe {
    std::map<std::uint32_t, Newest> newest;  // by first byte
    std::vector<Write> writes;               // by version
    std::uint32_t bytes = 0;                 // in `newest`
    bool merging = false;
  };

  void add_free(std::uint64_t at, std::uint64_t bytes);
  void remove_free(std::map<std::uint64_t, std::uint64_t>::iterator run);

  std::byte* const memory_;
  std::map<std::uint64_t, std::uint64_t> free_;                // bytes by where they begin
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_size_;  // the same, bytes first
  std::uint64_t used_ = 0;
  Version last_ = 0;
  std::map<Key, Stripe> stripes_;
  std::map<Version, Key> order_;  // stripes that are not being merged, by their oldest versions
};

}  // namespace sunstar::file_systems::versioned
