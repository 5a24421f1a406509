// SPDX-License-Identifier: MIT
#include "sw/file_systems/locking/page_cache.h"

namespace sunstar::file_systems::locking {

using io::ByteRange;
using striped::page_begin;

PageCache::PageCache(os::Os& os, const io::Volume& volume, std::uint64_t size)
    : os_(os),
      volume_(volume),
      size_(size),
      most_stripes_(most_stripes(size, volume.block_bytes())),
      directory_("lru", static_cast<std::uint32_t>(most_stripes_)) {}

ByteRange PageCache::whole_pages(const BlockKey& key, ByteRange range) const {
  const std::uint32_t end = volume_.bytes_in_block(key.file, key.number);
  return {static_cast<std::uint32_t>(page_begin(range.from)),
          std::min(end, static_cast<std::uint32_t>(striped::page_end(range.to)))};
}

PageCache::Stripe* PageCache::obtain(const BlockKey& key, std::uint32_t bytes) {
  Stripe* stripe = directory_.find(key).entry;
  if (stripe) stripe->pin();  // make_room() must not drop it
  const bool room = make_room(bytes, stripe ? 0 : 1);
  if (stripe) stripe->unpin();
  if (!room) return nullptr;
  if (stripe) {
    directory_.touch(*stripe);
    return stripe;
  }
  if (directory_.free() > 0) stripe = directory_.candidate(key);
  else stripe = &stripes_.emplace_back(os_, os_.node().allocate(volume_.block_bytes()));
  directory_.assign(*stripe, key);
  objects_[object_of(key)].stripes.emplace(row_of(key), stripe);
  return stripe;
}

// Drops unused clean stripes until there is room for `bytes` and `stripes`.
bool PageCache::make_room(std::uint64_t bytes, std::size_t stripes) {
  while (used_ + bytes > size_ || stripes_.size() - directory_.free() + stripes > most_stripes_) {
    Stripe* const oldest = directory_.choose(nullptr).entry;
    if (!oldest || !oldest->dirty().empty()) return false;
    invalidate(*oldest, {0, volume_.block_bytes()});
  }
  return true;
}

void PageCache::add_valid(Stripe& stripe, ByteRange pages) {
  used_ -= stripe.valid().bytes();
  stripe.add_valid(pages);
  used_ += stripe.valid().bytes();
}

// An unused stripe without pages leaves.
void PageCache::invalidate(Stripe& stripe, ByteRange range) {
  used_ -= stripe.valid().bytes();
  stripe.invalidate(range);
  used_ += stripe.valid().bytes();
  if (!stripe.valid().empty() || stripe.replaceable() != io::CacheEntry::Replaceable::yes) return;
  objects_[object_of(stripe.key())].stripes.erase(row_of(stripe.key()));
  directory_.drop(stripe);
}

void PageCache::add_dirty(Stripe& stripe, ByteRange bytes) {
  std::uint64_t& all = objects_[object_of(stripe.key())].dirty_bytes;
  all -= stripe.dirty().bytes();
  stripe.add_dirty(bytes);
  all += stripe.dirty().bytes();
}

std::vector<PageCache::Taken> PageCache::take(ObjectId object, const Extent& extent, std::uint64_t most) {
  std::vector<Taken> taken;
  if (dirty_bytes(object) == 0) return taken;
  for_each_in(object, extent, [&](Stripe& stripe, ByteRange wanted) {
    if (!stripe.sending().empty()) return true;
    const io::ByteRanges some = take(stripe, wanted, most, taken);
    if (!some.empty()) stripe.send(some);
    objects_[object].dirty_bytes -= some.bytes();
    return most > 0;
  });
  return taken;
}

// Returns the dirty bytes in the pages that it takes of a stripe.
io::ByteRanges PageCache::take(Stripe& stripe, ByteRange wanted, std::uint64_t& most, std::vector<Taken>& taken) const {
  io::ByteRanges some;
  for (const ByteRange range : stripe.dirty()) {
    if (range.to <= wanted.from || range.from >= wanted.to) continue;
    ByteRange pages = whole_pages(stripe.key(), range);
    const bool goes_on = !taken.empty() && taken.back().stripe == &stripe;
    if (goes_on) pages.from = std::max(pages.from, taken.back().pages.to);  // two ranges may lie in one page
    if (pages.from < pages.to) {
      pages.to = static_cast<std::uint32_t>(std::min<std::uint64_t>(pages.to, pages.from + page_begin(most)));
      most -= pages.bytes();
      if (goes_on && taken.back().pages.to == pages.from) taken.back().pages.to = pages.to;
      else if (pages.bytes() > 0) taken.push_back({&stripe, pages});
    }
    if (range.from < pages.to) some.add({range.from, std::min(range.to, pages.to)});
    if (pages.to >= range.to) continue;
    most = 0;
    break;
  }
  return some;
}

bool PageCache::any_in(ObjectId object, const Extent& extent, const io::ByteRanges& (io::ClientBlock::*which)() const) {
  bool any = false;
  for_each_in(object, extent, [&](Stripe& stripe, ByteRange wanted) {
    any = std::ranges::any_of((stripe.*which)(),
                              [&](ByteRange range) { return range.from < wanted.to && wanted.from < range.to; });
    return !any;
  });
  return any;
}

std::vector<ObjectId> PageCache::objects() const {
  std::vector<ObjectId> all;
  for (const auto& [object, stripes] : objects_) all.push_back(object);
  return all;
}

void PageCache::drop(ObjectId object, const Extent& extent) {
  for_each_in(object, extent, [&](Stripe& stripe, ByteRange range) {
    invalidate(stripe, range);
    return true;
  });
}

}  // namespace sunstar::file_systems::locking
