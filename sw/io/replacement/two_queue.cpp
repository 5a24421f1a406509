// SPDX-License-Identifier: MIT
#include <algorithm>

#include "sw/io/replacement/ghost_list.h"
#include "sw/io/replacement/replacement.h"

namespace sunstar::io::replacement {
namespace {

// 2Q, full version (Johnson, Shasha, "2Q: a low overhead high performance buffer management replacement algorithm",
// VLDB 1994). A new block goes through the queue A1in, where further accesses do not count, because they probably
// belong to the first. A1out remembers blocks that have left A1in. A block wanted while A1out remembers it goes to Am,
// whose order is least recently used. Kin is a quarter of the blocks and Kout half of them, as in the paper.
//
// The paper replaces a block at a miss. A harvester may do it in advance, so that A1out is longer than Kout
// until the next block is allocated.
class TwoQueue final : public Replacement {
 public:
  explicit TwoQueue(std::uint32_t blocks)
      : most_in_(std::max<std::size_t>(blocks / 4, 1)), most_out_(std::max<std::size_t>(blocks / 2, 1)) {}

  void inserted(CacheEntry& block) override {
    const bool again = a1out_.find(block.key()) != nullptr;
    while (a1out_.size() > most_out_) a1out_.pop();
    if (again) a1out_.erase(block.key());
    block.note = again ? in_am : in_a1in;
    (again ? am_ : a1in_).push_back(block);
  }

  void touched(CacheEntry& block) override {
    if (block.note == in_am) am_.splice(am_.end(), am_, am_.iterator_to(block));
  }

  void replaced(CacheEntry& block) override {
    if (block.note == in_a1in) a1out_.push(block.key());
    dropped(block);
  }
  void dropped(CacheEntry& block) override {
    Order& list = block.note == in_a1in ? a1in_ : am_;
    list.erase(list.iterator_to(block));
  }

 private:
  std::array<Order*, 2> lists(const BlockKey*) override {
    if (a1in_.size() > most_in_) return {&a1in_, &am_};
    return {&am_, &a1in_};
  }

  enum : std::uint8_t { in_a1in, in_am };
  const std::size_t most_in_, most_out_;  // Kin and Kout
  Order a1in_, am_;                       // the next victim comes first
  GhostList a1out_;                       // the same
};

}  // namespace

const ReplacementPolicy two_queue{
    "2q", "two queues: a block that is used again after it has left the first joins the second",
    [](std::uint32_t blocks) -> std::unique_ptr<Replacement> { return std::make_unique<TwoQueue>(blocks); }};

}  // namespace sunstar::io::replacement
