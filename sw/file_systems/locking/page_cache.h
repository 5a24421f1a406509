// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "sw/file_systems/striped/objects.h"
#include "sw/io/client_block.h"
#include "sw/io/replacement/directory.h"
#include "sw/os/mutex.h"

namespace sunstar::file_systems::locking {

using io::BlockKey;
using striped::Extent;
using striped::ObjectId;

/// The most stripes of `stripe` bytes that a cache of `size` bytes holds. Each has addresses for all of its pages.
inline std::uint64_t most_stripes(std::uint64_t size, std::uint64_t stripe) {
  return size / std::min<std::uint64_t>(stripe, 4 * striped::page) + 16;
}

/// The pages of files that a node has, stripe by stripe. Stripes without pages take no memory of the host, and only
/// pages that are there count. The owner waits and sends; the cache does neither.
class PageCache {
 public:
  /// The pages of one stripe of a file. Ranges are offsets in the stripe; valid() are whole pages.
  struct Stripe final : io::ClientBlock {
    Stripe(os::Os& os, std::byte* memory) : ClientBlock(memory), mutex(os, "a stripe of the cache") {}
    os::Mutex mutex;  ///< of the fetching or writing thread
  };

  PageCache(os::Os& os, const io::Volume& volume, std::uint64_t size)
      : os_(os),
        volume_(volume),
        size_(size),
        most_stripes_(most_stripes(size, volume.block_bytes())),
        directory_("lru", static_cast<std::uint32_t>(most_stripes_)) {}

  /// The stripe, made if there is room for `bytes` more in it: null if clean ones must be written back first. It
  /// becomes the most recently used one, and stays while it is pinned.
  Stripe* obtain(const BlockKey& key, std::uint32_t bytes) {
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

  void add_valid(Stripe& stripe, io::ByteRange pages) {
    used_ -= stripe.valid().bytes();
    stripe.add_valid(pages);
    used_ += stripe.valid().bytes();
  }

  void add_dirty(Stripe& stripe, io::ByteRange bytes) {
    const std::uint64_t before = stripe.dirty().bytes();
    stripe.add_dirty(bytes);
    count_dirty(object_of(stripe.key()), stripe.dirty().bytes(), before);
  }

  /// Takes dirty bytes of an object in that extent for sending, at most `most` of them in whole pages. When they have
  /// been sent, their stripes are sent().
  struct Taken {
    Stripe* stripe;
    io::ByteRange pages;
  };

  std::vector<Taken> take(ObjectId object, const Extent& extent, std::uint64_t most) {
    std::vector<Taken> taken;
    if (dirty_bytes(object) == 0) return taken;
    for_each_in(object, extent, [&](Stripe& stripe, io::ByteRange wanted) {
      if (!stripe.sending().empty()) return true;
      const io::ByteRanges some = take(stripe, wanted, most, taken);
      if (!some.empty()) stripe.send(some);
      count_dirty(object, 0, some.bytes());
      return most > 0;
    });
    return taken;
  }

  bool sending(ObjectId object, const Extent& extent) { return any_in(object, extent, &io::ClientBlock::sending); }
  /// Whether it has changed bytes of the object in that extent still to send.
  bool dirty_in(ObjectId object, const Extent& extent) { return any_in(object, extent, &io::ClientBlock::dirty); }

  /// Forgets the pages of that extent, which are clean.
  void drop(ObjectId object, const Extent& extent) {
    for_each_in(object, extent, [&](Stripe& stripe, io::ByteRange range) {
      invalidate(stripe, range);
      return true;
    });
  }

  /// Forgets an object. Calls visit(stripe, range) for changed bytes.
  template <class Visit>
  void forget(ObjectId object, Visit visit) {
    for_each_in(object, {0, striped::no_end}, [&](Stripe& stripe, io::ByteRange) {
      for (const io::ByteRange range : stripe.dirty()) visit(stripe, range);
      stripe.discard_dirty();
      return true;
    });
    count_dirty(object, 0, dirty_bytes(object));
    drop(object, {0, striped::no_end});
  }

  /// Changed bytes of an object that nobody sends yet.
  std::uint64_t dirty_bytes(ObjectId object) const {
    const auto found = objects_.find(object);
    return found == objects_.end() ? 0 : found->second.dirty_bytes;
  }

  /// Objects that have had pages in it.
  std::vector<ObjectId> objects() const {
    return mapped(objects_, [](const auto& of) { return of.first; });
  }

  /// Of these, those with changed bytes that nobody sends yet.
  std::vector<ObjectId> changed() const { return {changed_.begin(), changed_.end()}; }

  template <class Visit>
  void for_each(Visit visit) const {
    for (const Stripe& stripe : stripes_)
      if (stripe.holds_block()) visit(stripe);
  }

  /// The pages that a range touches, up to the end of the file.
  io::ByteRange whole_pages(const BlockKey& key, io::ByteRange range) const {
    const std::uint32_t end = volume_.bytes_in_block(key.file, key.number);
    return {static_cast<std::uint32_t>(striped::page_begin(range.from)),
            std::min(end, static_cast<std::uint32_t>(striped::page_end(range.to)))};
  }

 private:
  struct Object {
    std::map<std::uint64_t, Stripe*> stripes;  // by row
    std::uint64_t dirty_bytes = 0;
  };
  ObjectId object_of(const BlockKey& key) const { return striped::object_of(volume_, key.file, key.number); }
  std::uint64_t row_of(const BlockKey& key) const { return key.number / volume_.stripes(key.file).objects; }

  void count_dirty(ObjectId object, std::uint64_t more, std::uint64_t less) {
    std::uint64_t& all = objects_[object].dirty_bytes;
    if ((all += more - less) > 0) changed_.insert(object);
    else changed_.erase(object);
  }

  // Drops unused clean stripes until there is room for `bytes` and `stripes`.
  bool make_room(std::uint64_t bytes, std::size_t stripes) {
    while (used_ + bytes > size_ || stripes_.size() - directory_.free() + stripes > most_stripes_) {
      Stripe* const oldest = directory_.choose(nullptr).entry;
      if (!oldest || !oldest->dirty().empty()) return false;
      invalidate(*oldest, {0, volume_.block_bytes()});
    }
    return true;
  }

  // An unused stripe without pages leaves.
  void invalidate(Stripe& stripe, io::ByteRange range) {
    used_ -= stripe.valid().bytes();
    stripe.invalidate(range);
    used_ += stripe.valid().bytes();
    if (!stripe.valid().empty() || stripe.replaceable() != io::CacheEntry::Replaceable::yes) return;
    objects_[object_of(stripe.key())].stripes.erase(row_of(stripe.key()));
    directory_.drop(stripe);
  }

  // Returns the dirty bytes in the pages that it takes of a stripe.
  io::ByteRanges take(Stripe& stripe, io::ByteRange wanted, std::uint64_t& most, std::vector<Taken>& taken) const {
    io::ByteRanges some;
    for (const io::ByteRange range : stripe.dirty()) {
      if (range.to <= wanted.from || range.from >= wanted.to) continue;
      io::ByteRange pages = whole_pages(stripe.key(), range);
      const bool goes_on = !taken.empty() && taken.back().stripe == &stripe;
      if (goes_on) pages.from = std::max(pages.from, taken.back().pages.to);  // two ranges may lie in one page
      if (pages.from < pages.to) {
        pages.to =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(pages.to, pages.from + striped::page_begin(most)));
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

  bool any_in(ObjectId object, const Extent& extent, const io::ByteRanges& (io::ClientBlock::*which)() const) {
    bool any = false;
    for_each_in(object, extent, [&](Stripe& stripe, io::ByteRange wanted) {
      any = std::ranges::any_of((stripe.*which)(),
                                [&](io::ByteRange range) { return range.from < wanted.to && wanted.from < range.to; });
      return !any;
    });
    return any;
  }

  /// Calls visit(stripe, range in it) for the object's stripes in that extent, in order, until it returns false.
  template <class Visit>
  void for_each_in(ObjectId object, const Extent& extent, Visit visit) {
    const auto found = objects_.find(object);
    if (found == objects_.end()) return;
    auto& stripes = found->second.stripes;
    const std::uint64_t bytes = volume_.block_bytes();
    for (auto at = stripes.lower_bound(extent.begin / bytes); at != stripes.end();) {
      const std::uint64_t begin = at->first * bytes, end = begin + bytes;
      if (begin >= extent.end) return;
      const io::ByteRange range{static_cast<std::uint32_t>(std::clamp(extent.begin, begin, end) - begin),
                                static_cast<std::uint32_t>(std::clamp(extent.end, begin, end) - begin)};
      if (!visit(*(at++)->second, range)) return;
    }
  }

  os::Os& os_;
  const io::Volume& volume_;
  const std::uint64_t size_, most_stripes_;
  std::uint64_t used_ = 0;
  std::deque<Stripe> stripes_;
  io::BlockDirectory<Stripe> directory_;
  std::map<ObjectId, Object> objects_;
  std::set<ObjectId> changed_;
};

}  // namespace sunstar::file_systems::locking
