// SPDX-License-Identifier: MIT
#include "sw/file_systems/pvfs/cache/replacement_policies.h"

namespace sunstar::file_systems::pvfs::replacement {
namespace {

// The clock, also called second chance (Corbato, "A paging experiment with the Multics system", 1968): the blocks stand
// in a ring in the order in which they came. An access sets a block's bit and moves nothing. A hand goes round: it
// clears set bits, and takes the first block whose bit is clear already.
//
// The ring is a list whose front is under the hand; the hand moves on by moving the front to the back. A new block
// comes in behind the hand, which reaches it last.
class ApproximateLru final : public Replacement {
 public:
  std::uint32_t inserted(Block& block) override {
    block.note = used;
    ring_.push_back(block);
    return 1;
  }

  std::uint32_t touched(Block& block) override {
    block.note = used;
    return 0;
  }

  // One revolution clears the bits, the second must find a clean block if there is one. If the first saw none, it ends
  // where it began, and the choice is among the dirty blocks that it saw.
  Choice choose(const BlockKey*) override {
    Choice choice;
    Block *unused_dirty = nullptr, *any_dirty = nullptr;
    bool clean_seen = false;
    for (int revolution = 0; revolution < 2; ++revolution) {
      for (std::size_t left = ring_.size(); left > 0; --left) {
        Block& block = ring_.front();
        ++choice.steps;
        if (block.replaceable()) {
          const bool clean = block.state() != BlockState::dirty;
          if (clean && block.note != used) {
            choice.block = &block;
            return choice;
          }
          clean_seen |= clean;
          if (!clean && !any_dirty) any_dirty = &block;
          if (!clean && !unused_dirty && block.note != used) unused_dirty = &block;
          block.note = 0;
        }
        ring_.splice(ring_.end(), ring_, ring_.begin());
      }
      if (!clean_seen) break;
    }
    choice.block = unused_dirty ? unused_dirty : any_dirty;
    return choice;
  }

  void replaced(Block& block) override { ring_.erase(ring_.iterator_to(block)); }
  void dropped(Block& block) override { ring_.erase(ring_.iterator_to(block)); }

 private:
  static constexpr std::uint8_t used = 1;
  Order ring_;
};

}  // namespace

const ReplacementPolicy approximate_lru{
    "approximate-lru", "a hand goes round and takes the first block not used since it last came by: the clock",
    [](std::uint32_t) -> std::unique_ptr<Replacement> { return std::make_unique<ApproximateLru>(); }};

}  // namespace sunstar::file_systems::pvfs::replacement
