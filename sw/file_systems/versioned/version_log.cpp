// SPDX-License-Identifier: MIT
#include "sw/file_systems/versioned/version_log.h"

namespace sunstar::file_systems::versioned {

using io::ByteRange;

void VersionLog::add_free(std::uint64_t at, std::uint64_t bytes) {
  free_.emplace(at, bytes);
  by_size_.emplace(bytes, at);
}

void VersionLog::remove_free(std::map<std::uint64_t, std::uint64_t>::iterator run) {
  by_size_.erase({run->second, run->first});
  free_.erase(run);
}

std::byte* VersionLog::take(std::uint64_t bytes) {
  const auto fits = by_size_.lower_bound({bytes, 0});
  if (fits == by_size_.end()) return nullptr;
  const auto [size, at] = *fits;
  remove_free(free_.find(at));
  if (size > bytes) add_free(at + bytes, size - bytes);
  used_ += bytes;
  return memory_ + at;
}

void VersionLog::give_back(const std::byte* data, std::uint64_t bytes) {
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

void VersionLog::publish(const Key& key, ByteRange range, std::byte* data) {
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

std::vector<VersionLog::Piece> VersionLog::newest(const Key& key, ByteRange range) const {
  std::vector<Piece> pieces;
  const auto stripe = stripes_.find(key);
  if (stripe == stripes_.end()) return pieces;
  const auto& newest = stripe->second.newest;
  auto at = newest.upper_bound(range.from);
  if (at != newest.begin() && std::prev(at)->second.to > range.from) --at;
  for (; at != newest.end() && at->first < range.to; ++at) {
    const ByteRange part{std::max(at->first, range.from), std::min(at->second.to, range.to)};
    pieces.push_back({part, at->second.data + (part.from - at->first)});
  }
  return pieces;
}

std::uint32_t VersionLog::bytes(const Key& key) const {
  const auto stripe = stripes_.find(key);
  return stripe == stripes_.end() ? 0 : stripe->second.bytes;
}

VersionLog::Version VersionLog::begin_merge(const Key& key) {
  Stripe& stripe = stripes_.at(key);
  stripe.merging = true;
  order_.erase(stripe.writes.front().version);
  return last_;
}

void VersionLog::end_merge(const Key& key, Version up_to) {
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

}  // namespace sunstar::file_systems::versioned
