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

/// The pages of files that a node has, stripe by stripe. Stripes without pages take no memory of the host, and only
/// pages that are there count. The owner waits and sends; the cache does neither.
class PageCache {
 public:
  /// The pages of one stripe of a file. Ranges are offsets in the stripe; valid() are whole pages.
  struct Stripe final : io::ClientBlock {
    Stripe(os::Os& os, std::byte* memory) : ClientBlock(memory), mutex(os, "a stripe of the cache") {}
    os::Mutex mutex;  ///< of the fetching or writing thread
  };

  PageCache(os::Os& os, const io::Volume& volume, std::uint64_t size);

  /// The stripe, made if there is room for `bytes` more in it: null if clean ones must be written back first. It
  /// becomes the most recently used one, and stays while it is pinned.
  Stripe* obtain(const BlockKey& key, std::uint32_t bytes);
  /// Pages of a stripe have come, or been written.
  void add_valid(Stripe& stripe, io::ByteRange pages);
  void add_dirty(Stripe& stripe, io::ByteRange bytes);
  /// Takes dirty bytes of an object in that extent for sending, at most `most` of them in whole pages. When they have
  /// been sent, their stripes are sent().
  struct Taken {
    Stripe* stripe;
    io::ByteRange pages;
  };
  std::vector<Taken> take(ObjectId object, const Extent& extent, std::uint64_t most);
  /// Whether bytes of the object in that extent are on their way.
  bool sending(ObjectId object, const Extent& extent) { return any_in(object, extent, &io::ClientBlock::sending); }
  /// Whether it has changed bytes of the object in that extent still to send.
  bool dirty_in(ObjectId object, const Extent& extent) { return any_in(object, extent, &io::ClientBlock::dirty); }
  /// Forgets the pages of that extent, which are clean.
  void drop(ObjectId object, const Extent& extent);
  /// Forgets an object. Calls visit(stripe, range) for changed bytes.
  template <class Visit>
  void forget(ObjectId object, Visit visit) {
    for_each_in(object, {0, striped::no_end}, [&](Stripe& stripe, io::ByteRange) {
      for (const io::ByteRange range : stripe.dirty()) visit(stripe, range);
      stripe.discard_dirty();
      return true;
    });
    objects_[object].dirty_bytes = 0;
    drop(object, {0, striped::no_end});
  }

  /// Changed bytes of an object that nobody sends yet.
  std::uint64_t dirty_bytes(ObjectId object) const {
    const auto found = objects_.find(object);
    return found == objects_.end() ? 0 : found->second.dirty_bytes;
  }
  /// Objects that have had pages in it.
  std::vector<ObjectId> objects() const;
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Stripe& stripe : stripes_)
      if (stripe.holds_block()) visit(stripe);
  }
  /// The pages that a range touches, up to the end of the file.
  io::ByteRange whole_pages(const BlockKey& key, io::ByteRange range) const;

 private:
  struct Object {
    std::map<std::uint64_t, Stripe*> stripes;  // by row
    std::uint64_t dirty_bytes = 0;
  };
  ObjectId object_of(const BlockKey& key) const { return striped::object_of(volume_, key.file, key.number); }
  std::uint64_t row_of(const BlockKey& key) const { return key.number / volume_.stripes(key.file).objects; }
  bool make_room(std::uint64_t bytes, std::size_t stripes);
  void invalidate(Stripe& stripe, io::ByteRange range);
  io::ByteRanges take(Stripe& stripe, io::ByteRange wanted, std::uint64_t& most, std::vector<Taken>& taken) const;
  bool any_in(ObjectId object, const Extent& extent, const io::ByteRanges& (io::ClientBlock::*which)() const);
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
};

/// The most stripes of `stripe` bytes that a cache of `size` bytes holds. Each has addresses for all of its pages.
inline std::uint64_t most_stripes(std::uint64_t size, std::uint64_t stripe) {
  return size / std::min<std::uint64_t>(stripe, 4 * striped::page) + 16;
}

}  // namespace sunstar::file_systems::locking
