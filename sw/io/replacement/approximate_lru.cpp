// SPDX-License-Identifier: MIT
#include "sw/io/replacement/replacement.h"

namespace sunstar::io::replacement {
namespace {

// The clock, also called second chance (Corbato, "A paging experiment with the Multics system", 1968): the blocks form
// a ring in order of arrival. An access sets a block's bit and moves nothing. A hand goes round: it clears set bits,
// and takes the first block whose bit is clear already.
//
// The ring is a list whose front is under the hand; the hand moves on by moving the front to the back. A new block
// enters behind the hand, which reaches it last.
class ApproximateLru final : public Replacement {
 public:
  void inserted(CacheEntry& block) override {
    block.note = used;
    ring_.push_back(block);
  }

  void touched(CacheEntry& block) override { block.note = used; }

  // One revolution clears the bits, the second must find a block that can be replaced now, if there is one. If the
  // first saw no such block, it ends at its start, and chooses from the blocks to be replaced last that it saw.
  Choice choose(const BlockKey*) override {
    Choice choice;
    CacheEntry *unused_last = nullptr, *any_last = nullptr;
    bool other_seen = false;
    for (int revolution = 0; revolution < 2; ++revolution) {
      for (std::size_t left = ring_.size(); left > 0; --left) {
        CacheEntry& block = ring_.front();
        ++choice.steps;
        if (const auto replaceable = block.replaceable(); replaceable != CacheEntry::Replaceable::no) {
          const bool last = replaceable == CacheEntry::Replaceable::last;
          if (!last && block.note != used) {
            choice.entry = &block;
            return choice;
          }
          other_seen |= !last;
          if (last && !any_last) any_last = &block;
          if (last && !unused_last && block.note != used) unused_last = &block;
          block.note = 0;
        }
        ring_.splice(ring_.end(), ring_, ring_.begin());
      }
      if (!other_seen) break;
    }
    choice.entry = unused_last ? unused_last : any_last;
    return choice;
  }

  void dropped(CacheEntry& block) override { ring_.erase(ring_.iterator_to(block)); }

 private:
  std::array<Order*, 2> lists(const BlockKey*) override { return {&ring_}; }

  static constexpr std::uint8_t used = 1;
  Order ring_;
};

}  // namespace

const ReplacementPolicy approximate_lru{
    "approximate-lru", "a hand goes round and takes the first block not used since it last came by: the clock",
    [](std::uint32_t) -> std::unique_ptr<Replacement> { return std::make_unique<ApproximateLru>(); }};

}  // namespace sunstar::io::replacement
