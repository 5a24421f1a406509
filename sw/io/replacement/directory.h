// SPDX-License-Identifier: MIT
#pragma once
#include <bit>
#include <cassert>

#include "sw/io/replacement/replacement.h"

namespace sunstar::io {

/// The directory of a cache: which buffer holds which block, which buffers are free, and which block makes room. An
/// Entry, derived from CacheEntry, stands for a buffer; the cache owns the entries, and they must outlive the
/// directory. Waiting, pinning and transfers between buffers and disk are the cache's own affair.
template <class Entry>
class BlockDirectory {
 public:
  /// For at most `most` entries; it begins without any. The hash table begins with `buckets`, rounded up to a power of
  /// two, and grows with the blocks in it.
  BlockDirectory(std::string_view policy, std::uint32_t most, std::uint32_t buckets = 1)
      : buckets_(std::bit_ceil(buckets)), policy_(make_replacement(policy, most)) {}

  struct Found {
    Entry* entry = nullptr;  ///< null: there is none
    std::uint32_t steps = 0;
  };
  /// The block's entry; the steps are entries looked at in its bucket's chain.
  Found find(const BlockKey& key) {
    Found found;
    for (CacheEntry& e : bucket(key)) {
      ++found.steps;
      if (e.key_ == key) {
        found.entry = &of(e);
        break;
      }
    }
    return found;
  }
  void touch(Entry& entry) { policy_->touched(entry); }

  /// The entry for a block that has none: the first free entry, or the policy's choice. Null if there is none. The next
  /// call must be assign(), or an entry must have changed.
  Entry* candidate(const BlockKey& wanted) {
    if (!free_.empty()) return &of(free_.front());
    return choose(&wanted).entry;
  }
  /// The same for a cache that calls became_replaceable(), and whose entries are never replaced `last`. It need not
  /// look at every entry that is not replaceable.
  Entry* ready_candidate(const BlockKey& wanted) {
    if (!free_.empty()) return &of(free_.front());
    CacheEntry* const e = policy_->choose_ready(&wanted);
    return e ? &of(*e) : nullptr;
  }
  void became_replaceable(Entry& entry) { policy_->became_replaceable(entry); }
  /// The policy's choice among the entries that are not free, with the policy's steps.
  Found choose(const BlockKey* wanted) {
    const Replacement::Choice choice = policy_->choose(wanted);
    return {choice.entry ? &of(*choice.entry) : nullptr, choice.steps};
  }
  /// Gives the block an entry: a new entry, or the entry from candidate(), whose old block leaves.
  void assign(Entry& entry, const BlockKey& key) {
    CacheEntry& e = entry;
    if (e.free_) {
      free_.erase(free_.iterator_to(e));
      e.free_ = false;
    } else if (e.holds_block_) {
      leave(e);
      policy_->replaced(e);
    } else if (e.order.is_linked()) {
      policy_->dropped(e);
    }
    e.key_ = key;
    e.holds_block_ = true;
    if (++blocks_ > buckets_.size()) grow();
    bucket(key).push_front(e);
    policy_->inserted(e);
  }

  /// The place of a newly free buffer in the list of free buffers.
  enum class Place : std::uint8_t { front, back };
  /// Adds a new entry.
  void add(Entry& entry, Place place = Place::back) {
    CacheEntry& e = entry;
    e.free_ = true;
    free_.insert(place == Place::front ? free_.begin() : free_.end(), e);
  }
  /// The block that choose() has just returned leaves its entry, which becomes free.
  void release(Entry& entry) {
    leave(entry);
    policy_->replaced(entry);
    add(entry);
  }
  /// The block is out of date: it leaves its entry, which becomes free.
  void drop(Entry& entry, Place place = Place::back) {
    leave(entry);
    policy_->dropped(entry);
    add(entry, place);
  }
  /// The block is out of date, but its entry waits for its turn to be replaced.
  void forget(Entry& entry) { leave(entry); }
  std::size_t free() const { return free_.size(); }

  /// The first entry, in the order in which they would be replaced, for which `fits` is true; null if there is none.
  template <class Fits>
  Entry* first(Fits fits) {
    CacheEntry* const found = policy_->first([&](CacheEntry& e) { return fits(of(e)); });
    return found ? &of(*found) : nullptr;
  }

 private:
  using Chain = boost::intrusive::list<
      CacheEntry, boost::intrusive::constant_time_size<false>,
      boost::intrusive::member_hook<CacheEntry, boost::intrusive::list_member_hook<>, &CacheEntry::chain_>>;
  static Entry& of(CacheEntry& e) { return static_cast<Entry&>(e); }
  Chain& bucket(const BlockKey& key) { return buckets_[hash_value(key) & (buckets_.size() - 1)]; }
  void leave(CacheEntry& e) {
    assert(e.holds_block_);
    Chain& chain = bucket(e.key_);
    chain.erase(chain.iterator_to(e));
    e.holds_block_ = false;
    --blocks_;
  }
  void grow() {
    std::vector<Chain> old(2 * buckets_.size());
    old.swap(buckets_);
    for (Chain& chain : old)
      while (!chain.empty()) {
        CacheEntry& e = chain.front();
        chain.pop_front();
        bucket(e.key_).push_front(e);
      }
  }

  std::vector<Chain> buckets_;
  std::size_t blocks_ = 0;
  Replacement::Order free_;
  std::unique_ptr<Replacement> policy_;
};

}  // namespace sunstar::io
