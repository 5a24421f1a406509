// SPDX-License-Identifier: MIT
#include "sw/file_systems/locking/page_cache.h"

namespace sunstar::file_systems::locking {

using io::ByteRange;
using striped::page_begin;

PageCache::PageCache(os::Os& os, const io::Volume& volume, std::uint64_t size)
    : os_(os), volume_(volume), size_(size), most_stripes_(most_stripes(size, volume.block_bytes())) {}

ByteRange PageCache::in_stripe(const Key& key, const Extent& extent) const {
  const std::uint64_t bytes = volume_.block_bytes(), begin = key.row * bytes, end = begin + bytes;
  return {static_cast<std::uint32_t>(std::clamp(extent.begin, begin, end) - begin),
          static_cast<std::uint32_t>(std::clamp(extent.end, begin, end) - begin)};
}

ByteRange PageCache::whole_pages(const Key& key, ByteRange range) const {
  const std::uint32_t end = volume_.bytes_in_block(key.object.file, stripe_of_file(key));
  return {static_cast<std::uint32_t>(page_begin(range.from)),
          std::min(end, static_cast<std::uint32_t>(striped::page_end(range.to)))};
}

PageCache::Stripe* PageCache::obtain(const Key& key, std::uint32_t bytes) {
  auto at = stripes_.find(key);
  const bool known = at != stripes_.end();
  if (known) ++at->second.pins;  // it is not what makes room
  const bool room = make_room(bytes, known ? 0 : 1);
  if (known) --at->second.pins;
  if (!room) return nullptr;
  if (known) {
    order_.erase(order_.iterator_to(at->second));
  } else {
    if (free_.empty()) free_.push_back(os_.node().allocate(volume_.block_bytes()));
    at = stripes_.try_emplace(key, os_, free_.back()).first;
    free_.pop_back();
    at->second.key = &at->first;
  }
  order_.push_back(at->second);
  return &at->second;
}

// Clean stripes that nobody uses leave, until so many bytes and stripes have room.
bool PageCache::make_room(std::uint64_t bytes, std::size_t stripes) {
  const auto full = [&] { return used_ + bytes > size_ || stripes_.size() + stripes > most_stripes_; };
  for (auto at = order_.begin(); full() && at != order_.end();) {
    Stripe& stripe = *at++;
    if (stripe.pins > 0 || !stripe.dirty.empty() || !stripe.sending.empty()) continue;
    erase(stripes_.find(*stripe.key));
  }
  return !full();
}

void PageCache::erase(Stripes::iterator at) {
  used_ -= at->second.valid.bytes();
  free_.push_back(at->second.memory);
  order_.erase(order_.iterator_to(at->second));
  stripes_.erase(at);
}

void PageCache::add_valid(Stripe& stripe, ByteRange pages) {
  used_ -= stripe.valid.bytes();
  stripe.valid.add(pages);
  used_ += stripe.valid.bytes();
}

void PageCache::add_dirty(Stripe& stripe, ByteRange bytes) {
  Dirty& dirty = dirty_[stripe.key->object];
  dirty.bytes -= stripe.dirty.bytes();
  stripe.dirty.add(bytes);
  dirty.bytes += stripe.dirty.bytes();
  dirty.rows.insert(stripe.key->row);
}

std::vector<PageCache::Taken> PageCache::take(ObjectId object, const Extent& extent, std::uint64_t most) {
  std::vector<Taken> taken;
  const auto found = dirty_.find(object);
  if (found == dirty_.end()) return taken;
  Dirty& dirty = found->second;
  const std::uint64_t block = volume_.block_bytes();
  for (auto row = dirty.rows.lower_bound(extent.begin / block); row != dirty.rows.end() && most > 0;) {
    if (*row * block >= extent.end) break;
    const Key key{object, *row};
    Stripe& stripe = stripes_.at(key);
    const ByteRange wanted = in_stripe(key, extent);
    io::ByteRanges sending;
    if (stripe.sending.empty())
      for (const ByteRange range : stripe.dirty) {
        if (range.to <= wanted.from || range.from >= wanted.to) continue;
        ByteRange pages = whole_pages(key, range);
        const bool goes_on = !taken.empty() && taken.back().stripe == &stripe;
        if (goes_on) pages.from = std::max(pages.from, taken.back().pages.to);  // two ranges may lie in one page
        if (pages.from < pages.to) {
          pages.to = static_cast<std::uint32_t>(std::min<std::uint64_t>(pages.to, pages.from + page_begin(most)));
          most -= pages.bytes();
          if (goes_on && taken.back().pages.to == pages.from) taken.back().pages.to = pages.to;
          else if (pages.bytes() > 0) taken.push_back({&stripe, key, pages});
        }
        if (range.from < pages.to) sending.add({range.from, std::min(range.to, pages.to)});
        if (pages.to >= range.to) continue;
        most = 0;
        break;
      }
    ++row;
    if (sending.empty()) continue;
    dirty.bytes -= stripe.dirty.bytes();
    stripe.dirty.remove(sending);
    dirty.bytes += stripe.dirty.bytes();
    stripe.sending = sending;
    sending_[object].insert(key.row);
    if (stripe.dirty.empty()) dirty.rows.erase(key.row);
  }
  if (dirty.rows.empty()) dirty_.erase(found);
  return taken;
}

void PageCache::sent(const std::vector<Taken>& taken) {
  for (const Taken& one : taken) {
    if (one.stripe->sending.empty()) continue;
    one.stripe->sending.clear();
    const auto found = sending_.find(one.key.object);
    found->second.erase(one.key.row);
    if (found->second.empty()) sending_.erase(found);
  }
}

bool PageCache::sending(ObjectId object, const Extent& extent) const {
  const auto found = sending_.find(object);
  return found != sending_.end() && any_in(object, extent, found->second, &Stripe::sending);
}

bool PageCache::dirty_in(ObjectId object, const Extent& extent) const {
  const auto found = dirty_.find(object);
  return found != dirty_.end() && any_in(object, extent, found->second.rows, &Stripe::dirty);
}

bool PageCache::any_in(ObjectId object, const Extent& extent, const Rows& rows, io::ByteRanges Stripe::*which) const {
  const std::uint64_t block = volume_.block_bytes();
  for (auto row = rows.lower_bound(extent.begin / block); row != rows.end() && *row * block < extent.end; ++row) {
    const Key key{object, *row};
    const ByteRange wanted = in_stripe(key, extent);
    for (const ByteRange range : stripes_.at(key).*which)
      if (range.from < wanted.to && wanted.from < range.to) return true;
  }
  return false;
}

std::set<ObjectId> PageCache::objects() const {
  std::set<ObjectId> all;
  for (const auto& [key, stripe] : stripes_) all.insert(key.object);
  return all;
}

void PageCache::drop(ObjectId object, const Extent& extent) {
  const std::uint64_t block = volume_.block_bytes();
  for (auto at = stripes_.lower_bound({object, extent.begin / block}); at != stripes_.end();) {
    if (at->first.object != object || at->first.row * block >= extent.end) return;
    Stripe& stripe = at->second;
    used_ -= stripe.valid.bytes();
    stripe.valid.remove(in_stripe(at->first, extent));
    used_ += stripe.valid.bytes();
    const auto next = std::next(at);
    if (stripe.valid.empty() && stripe.pins == 0 && stripe.dirty.empty() && stripe.sending.empty()) erase(at);
    at = next;
  }
}

}  // namespace sunstar::file_systems::locking
