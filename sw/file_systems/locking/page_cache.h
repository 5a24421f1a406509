// SPDX-License-Identifier: MIT
#pragma once
#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "sw/file_systems/striped/runs.h"
#include "sw/io/byte_ranges.h"
#include "sw/os/mutex.h"

namespace sunstar::file_systems::locking {

using striped::Extent;
using striped::ObjectId;

/// The pages of files that a node has, stripe by stripe. Only stripes of which it has pages take memory of the host,
/// and only pages that it has count. Neither waits nor sends; its owner does.
class PageCache {
 public:
  struct Key {
    ObjectId object;
    std::uint64_t row = 0;  ///< of the object's stripes
    auto operator<=>(const Key&) const = default;
  };
  /// The pages of one stripe. Ranges are offsets in the stripe.
  struct Stripe {
    Stripe(os::Os& os, std::byte* m) : memory(m), mutex(os, "a stripe of the cache") {}
    std::byte* const memory;
    io::ByteRanges valid;    ///< whole pages
    io::ByteRanges dirty;    ///< written here
    io::ByteRanges sending;  ///< of those, on their way to the server
    std::uint32_t pins = 0;
    os::Mutex mutex;  ///< of whoever fetches or writes
    boost::intrusive::list_member_hook<> order;
    const Key* key = nullptr;
  };

  PageCache(os::Os& os, const io::Volume& volume, std::uint64_t size);

  /// The stripe, made if there is room for `bytes` more in it: null if clean ones must be written back first. It is
  /// used last from now on, and stays while it is pinned.
  Stripe* obtain(const Key& key, std::uint32_t bytes);
  /// Pages of a stripe have come, or been written.
  void add_valid(Stripe& stripe, io::ByteRange pages);
  void add_dirty(Stripe& stripe, io::ByteRange bytes);
  /// Takes dirty bytes of an object in that extent for sending, at most `most` of them in whole pages.
  struct Taken {
    Stripe* stripe;
    Key key;
    io::ByteRange pages;
  };
  std::vector<Taken> take(ObjectId object, const Extent& extent, std::uint64_t most);
  /// Those of one take() have been sent.
  void sent(const std::vector<Taken>& taken);
  /// Whether bytes of the object in that extent are on their way.
  bool sending(ObjectId object, const Extent& extent) const;
  /// Whether it has changed bytes of the object in that extent that are not on their way.
  bool dirty_in(ObjectId object, const Extent& extent) const;
  /// Forgets the pages of that extent, which are clean.
  void drop(ObjectId object, const Extent& extent);
  /// Forgets an object, whatever has been changed. Calls visit(stripe key, range) for that.
  template <class Visit>
  void forget(ObjectId object, Visit visit) {
    const auto found = dirty_.find(object);
    if (found == dirty_.end()) return drop(object, {0, striped::no_end});
    for (const std::uint64_t row : std::exchange(found->second.rows, {})) {
      const Key key{object, row};
      Stripe& stripe = stripes_.at(key);
      for (const io::ByteRange range : stripe.dirty) visit(key, range);
      stripe.dirty.clear();
    }
    dirty_.erase(found);
    drop(object, {0, striped::no_end});
  }

  std::uint64_t dirty_bytes(ObjectId object) const {
    const auto found = dirty_.find(object);
    return found == dirty_.end() ? 0 : found->second.bytes;
  }
  using Rows = std::set<std::uint64_t>;
  /// Objects with changed bytes that nobody sends yet, and how many bytes.
  struct Dirty {
    std::uint64_t bytes = 0;
    Rows rows;
  };
  const std::map<ObjectId, Dirty>& dirty() const { return dirty_; }
  /// Of which it has pages.
  std::set<ObjectId> objects() const;
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [key, stripe] : stripes_) visit(key, stripe);
  }

  io::ByteRange in_stripe(const Key& key, const Extent& extent) const;
  /// The pages that a range lies in, as far as the file goes.
  io::ByteRange whole_pages(const Key& key, io::ByteRange range) const;
  std::uint64_t stripe_of_file(const Key& key) const {
    return key.row * volume_.stripes(key.object.file).objects + key.object.object;
  }

 private:
  using Stripes = std::map<Key, Stripe>;
  void erase(Stripes::iterator at);
  bool make_room(std::uint64_t bytes, std::size_t stripes);
  bool any_in(ObjectId object, const Extent& extent, const Rows& rows, io::ByteRanges Stripe::*which) const;

  os::Os& os_;
  const io::Volume& volume_;
  const std::uint64_t size_, most_stripes_;
  std::uint64_t used_ = 0;
  std::vector<std::byte*> free_;
  Stripes stripes_;
  std::map<ObjectId, Dirty> dirty_;
  std::map<ObjectId, Rows> sending_;
  boost::intrusive::list<Stripe,
                         boost::intrusive::member_hook<Stripe, boost::intrusive::list_member_hook<>, &Stripe::order>>
      order_;  // the one used longest ago first
};

/// The most stripes, of that many bytes, of which a cache of that size holds pages. Each has addresses for all of its
/// pages.
inline std::uint64_t most_stripes(std::uint64_t size, std::uint64_t stripe) {
  return size / std::min<std::uint64_t>(stripe, 4 * striped::page) + 16;
}

}  // namespace sunstar::file_systems::locking
