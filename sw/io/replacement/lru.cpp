// SPDX-License-Identifier: MIT
#include <boost/intrusive/set.hpp>

#include "sw/io/replacement/replacement.h"

namespace sunstar::io::replacement {
namespace {

// Exact least recently used: every access moves its block to the back of the list.
class Lru final : public Replacement {
 public:
  void inserted(CacheEntry& block) override {
    block.turn = turns_++;
    order_.push_back(block);
    if (next_ == order_.end()) --next_;
  }
  void touched(CacheEntry& block) override {
    dropped(block);
    inserted(block);
  }
  void dropped(CacheEntry& block) override {
    if (block.ready.is_linked()) ready_.erase(ready_.iterator_to(block));
    if (next_ == order_.iterator_to(block)) ++next_;
    order_.erase(order_.iterator_to(block));
    block.note = 0;
  }

  CacheEntry* choose_ready(const BlockKey*) override {
    while (!ready_.empty()) {
      CacheEntry& block = *ready_.begin();
      if (block.replaceable() == CacheEntry::Replaceable::yes) return &block;
      ready_.erase(ready_.begin());
    }
    for (; next_ != order_.end(); ++next_) {
      if (next_->replaceable() == CacheEntry::Replaceable::yes) return &*next_;
      next_->note = passed;
    }
    return nullptr;
  }
  void became_replaceable(CacheEntry& block) override {
    if (block.note == passed && !block.ready.is_linked()) ready_.insert(block);
  }

 private:
  std::array<Order*, 2> lists(const BlockKey*) override { return {&order_}; }

  struct EarlierTurn {
    bool operator()(const CacheEntry& a, const CacheEntry& b) const { return a.turn < b.turn; }
  };
  using Ready = boost::intrusive::set<
      CacheEntry, boost::intrusive::compare<EarlierTurn>,
      boost::intrusive::member_hook<CacheEntry, boost::intrusive::set_member_hook<>, &CacheEntry::ready>>;

  static constexpr std::uint8_t passed = 1;
  std::uint64_t turns_ = 0;
  Order order_;  // the block unused for longest comes first
  // choose_ready() looks at each block once: `next_` is the first that it has not passed. Blocks that it has passed
  // join `ready_` when they become replaceable.
  Order::iterator next_ = order_.end();
  Ready ready_;
};

}  // namespace

const ReplacementPolicy lru{"lru", "the block that has not been used for longest",
                            [](std::uint32_t) -> std::unique_ptr<Replacement> { return std::make_unique<Lru>(); }};

}  // namespace sunstar::io::replacement
