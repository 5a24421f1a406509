// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sw/io/client_block.h"

namespace sunstar::file_systems::versioned {

/// The writes to the stripes of an I/O processor since they were merged: each write is a version, in order of arrival,
/// and each byte has the newest. Old versions take room until their stripe is merged. Knows neither time nor messages.
class VersionLog {
 public:
  using Key = std::pair<std::uint32_t, std::uint64_t>;  ///< file, and its stripe
  using Version = std::uint64_t;

  VersionLog(std::byte* memory, std::uint64_t size) : memory_(memory) { add_free(0, size); }

  /// Room for a write, the smallest free run that is large enough; null if there is none now.
  std::byte* take(std::uint64_t bytes) {
    const auto fits = by_size_.lower_bound({bytes, 0});
    if (fits == by_size_.end()) return nullptr;
    const auto [size, at] = *fits;
    remove_free(free_.find(at));
    if (size > bytes) add_free(at + bytes, size - bytes);
    used_ += bytes;
    return memory_ + at;
  }

  void give_back(const std::byte* data, std::uint64_t bytes) {
    used_ -= bytes;
    auto at = static_cast<std::uint64_t>(data - memory_);
    const auto after = free_.lower_bound(at);
    if (after != free_.begin()) {
      if (const auto before = std::prev(after); before->first + before->second == at) {
        at = before->first;
        bytes += before->second;
        remove_free(before);
      }
    }
    if (after != free_.end() && after->first == at + bytes) {
      bytes += after->second;
      remove_free(after);
    }
    add_free(at, bytes);
  }

  std::uint64_t used() const { return used_; }

  void publish(const Key& key, io::ByteRange range, std::byte* data) {
    Stripe& stripe = stripes_[key];
    const Version version = ++last_;
    if (stripe.writes.empty() && !stripe.merging) order_.emplace(version, key);
    stripe.writes.push_back({version, data, range.bytes()});
    auto& newest = stripe.newest;
    // Bytes of others that it covers go; those that stick out at either end stay.
    auto at = newest.upper_bound(range.from);
    if (at != newest.begin() && std::prev(at)->second.to > range.from) --at;
    while (at != newest.end() && at->first < range.to) {
      const auto [from, old] = *at;
      at = newest.erase(at);
      stripe.bytes -= old.to - from;
      if (from < range.from) {
        newest.emplace(from, Newest{range.from, old.version, old.data});
        stripe.bytes += range.from - from;
      }
      if (old.to > range.to) {
        newest.emplace(range.to, Newest{old.to, old.version, old.data + (range.to - from)});
        stripe.bytes += old.to - range.to;
      }
    }
    newest.emplace(range.from, Newest{range.to, version, data});
    stripe.bytes += range.bytes();
  }

  /// The newest bytes of a stripe that the log has, in order.
  struct Piece {
    io::ByteRange range;
    const std::byte* data;
  };

  std::vector<Piece> newest(const Key& key, io::ByteRange range) const {
    std::vector<Piece> pieces;
    const auto stripe = stripes_.find(key);
    if (stripe == stripes_.end()) return pieces;
    const auto& newest = stripe->second.newest;
    auto at = newest.upper_bound(range.from);
    if (at != newest.begin() && std::prev(at)->second.to > range.from) --at;
    for (; at != newest.end() && at->first < range.to; ++at) {
      const io::ByteRange part{std::max(at->first, range.from), std::min(at->second.to, range.to)};
      pieces.push_back({part, at->second.data + (part.from - at->first)});
    }
    return pieces;
  }

  /// How many bytes of a stripe are in the log.
  std::uint32_t bytes(const Key& key) const {
    const auto stripe = stripes_.find(key);
    return stripe == stripes_.end() ? 0 : stripe->second.bytes;
  }

  /// The stripe with the oldest version that is not being merged; null if there is none.
  const Key* oldest() const { return order_.empty() ? nullptr : &order_.begin()->second; }
  bool merging(const Key& stripe) const { return stripes_.at(stripe).merging; }
  bool holds(const Key& stripe) const { return stripes_.contains(stripe); }
  bool empty() const { return stripes_.empty(); }

  /// Begins to merge a stripe's present versions. The result goes to end_merge().
  Version begin_merge(const Key& key) {
    Stripe& stripe = stripes_.at(key);
    stripe.merging = true;
    order_.erase(stripe.writes.front().version);
    return last_;
  }

  /// Versions up to that one are elsewhere now.
  void end_merge(const Key& key, Version up_to) {
    Stripe& stripe = stripes_.at(key);
    stripe.merging = false;
    for (auto at = stripe.newest.begin(); at != stripe.newest.end();) {
      if (at->second.version > up_to) {
        ++at;
        continue;
      }
      stripe.bytes -= at->second.to - at->first;
      at = stripe.newest.erase(at);
    }
    const auto left = std::ranges::upper_bound(stripe.writes, up_to, {}, &Write::version);
    for (auto one = stripe.writes.begin(); one != left; ++one) give_back(one->data, one->bytes);
    stripe.writes.erase(stripe.writes.begin(), left);
    if (stripe.writes.empty()) stripes_.erase(key);
    else order_.emplace(stripe.writes.front().version, key);
  }

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

  void add_free(std::uint64_t at, std::uint64_t bytes) {
    free_.emplace(at, bytes);
    by_size_.emplace(bytes, at);
  }

  void remove_free(std::map<std::uint64_t, std::uint64_t>::iterator run) {
    by_size_.erase({run->second, run->first});
    free_.erase(run);
  }

  std::byte* const memory_;
  std::map<std::uint64_t, std::uint64_t> free_;                // bytes by where they begin
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_size_;  // the same, bytes first
  std::uint64_t used_ = 0;
  Version last_ = 0;
  std::map<Key, Stripe> stripes_;
  std::map<Version, Key> order_;  // stripes that are not being merged, by their oldest versions
};

}  // namespace sunstar::file_systems::versioned
