// SPDX-License-Identifier: MIT
#include "sw/io/replacement/replacement.h"

namespace sunstar::io::replacement {
namespace {

// Exact least recently used: every access moves its block to the back of the list.
class Lru final : public Replacement {
 public:
  void inserted(CacheEntry& block) override { order_.push_back(block); }
  void touched(CacheEntry& block) override { order_.splice(order_.end(), order_, order_.iterator_to(block)); }
  void dropped(CacheEntry& block) override { order_.erase(order_.iterator_to(block)); }

 private:
  std::array<Order*, 2> lists(const BlockKey*) override { return {&order_}; }

  Order order_;  // the one that has not been used for longest comes first
};

}  // namespace

const ReplacementPolicy lru{"lru", "the block that has not been used for longest",
                            [](std::uint32_t) -> std::unique_ptr<Replacement> { return std::make_unique<Lru>(); }};

}  // namespace sunstar::io::replacement
