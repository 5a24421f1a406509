// SPDX-License-Identifier: MIT
#include "sw/file_systems/pvfs/cache/replacement_policies.h"

namespace sunstar::file_systems::pvfs::replacement {
namespace {

// Exact least recently used: every access moves its block to the back of the list.
class Lru final : public Replacement {
 public:
  std::uint32_t inserted(Block& block) override {
    order_.push_back(block);
    return 1;
  }
  std::uint32_t touched(Block& block) override {
    order_.splice(order_.end(), order_, order_.iterator_to(block));
    return 1;
  }
  Choice choose(const BlockKey*) override {
    VictimSearch search;
    search.in(order_);
    return search.choice();
  }
  void replaced(Block& block) override { order_.erase(order_.iterator_to(block)); }
  void dropped(Block& block) override { order_.erase(order_.iterator_to(block)); }

 private:
  Order order_;  // the one that has not been used for longest comes first
};

}  // namespace

const ReplacementPolicy lru{"lru", "the block that has not been used for longest",
                            [](std::uint32_t) -> std::unique_ptr<Replacement> { return std::make_unique<Lru>(); }};

}  // namespace sunstar::file_systems::pvfs::replacement
