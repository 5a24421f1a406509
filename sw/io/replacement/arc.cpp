// SPDX-License-Identifier: MIT
#include <algorithm>

#include "sw/io/replacement/ghost_list.h"
#include "sw/io/replacement/replacement.h"

namespace sunstar::io::replacement {
namespace {

// The adaptive replacement cache (Megiddo, Modha, "ARC: a self-tuning, low overhead replacement cache", FAST 2003,
// Figure 4). T1 holds blocks seen once lately, T2 blocks seen more often; B1 and B2 together remember as many victims
// as the cache has blocks. A miss on B1 means that T1 is too small, a miss on B2 that it is too large: they move
// `target_`, the paper's p.
//
// The paper replaces a block at a miss. A harvester often replaces blocks in advance, before the miss that will
// need the room: the target then moves when that miss allocates its block, and ghosts beyond the limits are forgotten
// then. If choose() gets the wanted block, the policy is the paper's.
class Arc final : public Replacement {
 public:
  explicit Arc(std::uint32_t blocks) : blocks_(blocks) {}

  // Cases II, III and IV.
  void inserted(CacheEntry& block) override {
    const BlockKey& key = block.key();
    if (b1_.find(key) || b2_.find(key)) {
      learn_from(key);
      b1_.erase(key);
      b2_.erase(key);
      return put(block, t2_, in_t2);
    }
    while (t1_.size() + b1_.size() >= blocks_ && !b1_.empty()) b1_.pop();
    while (t1_.size() + t2_.size() + b1_.size() + b2_.size() >= 2 * blocks_ && !b2_.empty()) b2_.pop();
    put(block, t1_, in_t1);
  }

  // Case I.
  void touched(CacheEntry& block) override {
    dropped(block);
    put(block, t2_, in_t2);
  }

  Choice choose(const BlockKey* wanted) override {
    if (wanted) learn_from(*wanted);
    return Replacement::choose(wanted);
  }

  void replaced(CacheEntry& block) override {
    (block.note == in_t1 ? b1_ : b2_).push(block.key());
    dropped(block);
  }
  void dropped(CacheEntry& block) override {
    Order& list = block.note == in_t1 ? t1_ : t2_;
    list.erase(list.iterator_to(block));
  }

 private:
  enum : std::uint8_t { in_t1, in_t2 };

  // REPLACE.
  std::array<Order*, 2> lists(const BlockKey* wanted) override {
    const double size = static_cast<double>(t1_.size());
    if (size > target_ || (size == target_ && wanted && b2_.find(*wanted))) return {&t1_, &t2_};
    return {&t2_, &t1_};
  }

  // Moves the target once for each miss on a ghost.
  void learn_from(const BlockKey& key) {
    const auto one = static_cast<double>(b1_.size()), two = static_cast<double>(b2_.size());
    if (auto* const ghost = b1_.find(key); ghost && !ghost->counted) {
      ghost->counted = true;
      target_ = std::min(target_ + std::max(two / one, 1.0), static_cast<double>(blocks_));
    } else if (auto* const other = b2_.find(key); other && !other->counted) {
      other->counted = true;
      target_ = std::max(target_ - std::max(one / two, 1.0), 0.0);
    }
  }
  void put(CacheEntry& block, Order& list, std::uint8_t note) {
    block.note = note;
    list.push_back(block);
  }

  const std::size_t blocks_;
  Order t1_, t2_;      // least recently used first
  GhostList b1_, b2_;  // the same
  double target_ = 0;  // of the size of T1
};

}  // namespace

const ReplacementPolicy arc{
    "arc", "adaptive: balances blocks used once lately against those used more often, by the misses that each causes",
    [](std::uint32_t blocks) -> std::unique_ptr<Replacement> { return std::make_unique<Arc>(blocks); }};

}  // namespace sunstar::io::replacement
