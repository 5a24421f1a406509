// SPDX-License-Identifier: MIT
#include "sw/io/replacement/replacement.h"

#include <algorithm>
#include <deque>

#include "models/core/random.h"
#include "tests/support/catch.h"
#include "tests/support/replacement_rig.h"

using namespace sunstar;
using io::BlockKey;
using test::BlockNumbers;
using test::ReplacementRig;
using test::TestBuffer;

namespace {

std::vector<std::string> policy_names() { return io::replacement_parameter().allowed; }

}  // namespace

TEST_CASE("the policies say what they do") {
  for (const auto& policy : io::replacement_policies()) CHECK_FALSE(policy.help.empty());
}

TEST_CASE("lru replaces the block that has not been used for longest") {
  ReplacementRig rig("lru", 3);
  rig.access({1, 2, 3});
  CHECK(rig.access(1));
  rig.access({4, 2});  // 4 replaces 2, 2 replaces 3
  CHECK(rig.gone == BlockNumbers{2, 3});
  CHECK(rig.access(1));
}

TEST_CASE("the clock gives each used block a second chance") {
  ReplacementRig rig("approximate-lru", 3);
  rig.access({1, 2, 3});
  // The hand clears the bits of 1, 2 and 3, comes back to 1 and takes it.
  rig.access(4);
  CHECK(rig.gone == BlockNumbers{1});
  CHECK(rig.steps == 4);
  // From the hand on: 2, 3, and 4 with its bit set. Now 2 is used, so the hand passes it and takes 3.
  CHECK(rig.access(2));
  rig.access(5);
  CHECK(rig.gone == BlockNumbers{1, 3});
  CHECK(rig.steps == 2);
  // From the hand on: 4 with its bit, 2 without, 5 with it. Exact LRU would take 4.
  rig.access(6);
  CHECK(rig.gone == BlockNumbers{1, 3, 2});
  CHECK(rig.steps == 2);
}

TEST_CASE("2q keeps what is used again after it has left the first queue, and lets a scan pass") {
  // Four blocks: A1in is to have 1 (Kin), and A1out remembers 2 (Kout).
  ReplacementRig rig("2q", 4);
  rig.access({1, 2, 3, 4});  // A1in 1 2 3 4
  CHECK(rig.access(1));      // which does not count
  rig.access(5);             // A1in 2 3 4 5, A1out 1
  rig.access(1);             // A1in 3 4 5, A1out 2, Am 1
  rig.access({6, 7, 8});     // A1in 6 7 8, A1out 4 5, Am 1
  CHECK(rig.gone == BlockNumbers{1, 2, 3, 4, 5});
  CHECK(rig.access(1));
  rig.access(2);  // forgotten: A1in 7 8 2, A1out 5 6, Am 1
  rig.access(6);  // remembered: A1in 8 2, A1out 5 7, Am 1 6
  rig.access(7);  // remembered: A1in 2, A1out 5 8, Am 1 6 7
  CHECK(rig.gone == BlockNumbers{1, 2, 3, 4, 5, 6, 7, 8});
  // A1in has no more than it should, so Am gives way, and its block is forgotten.
  rig.access(9);  // A1in 2 9, A1out 5 8, Am 6 7
  CHECK(rig.gone.back() == 1);
  rig.access(1);  // A1in 9 1, A1out 8 2, Am 6 7
  CHECK(rig.gone.back() == 2);
  CHECK(rig.access(6));
}

TEST_CASE("arc moves the target of the blocks seen once by its misses") {
  ReplacementRig rig("arc", 4);
  rig.access({1, 2, 1, 3, 4});  // T1 2 3 4, T2 1, p = 0
  rig.access(5);                // 2 goes: T1 3 4 5, B1 2
  rig.access(6);                // L1 is full, so B1 forgets 2; 3 goes: T1 4 5 6, B1 3
  CHECK(rig.access(1));
  rig.access(3);  // in B1: p = 1; 4 goes: T1 5 6, T2 1 3, B1 4
  rig.access(7);  // 5 goes: T1 6 7, B1 4 5
  rig.access(8);  // L1 is full, so B1 forgets 4; 6 goes: T1 7 8, B1 5 6
  CHECK(rig.gone == BlockNumbers{2, 3, 4, 5, 6});
  rig.access(5);  // in B1: p = 2, which T1 does not exceed; 1 goes: T1 7 8, T2 3 5, B1 6, B2 1
  CHECK(rig.gone.back() == 1);
  rig.access(1);  // in B2: p = 1; 7 goes: T1 8, T2 3 5 1, B1 6 7
  CHECK(rig.gone.back() == 7);
  CHECK(rig.access(3));
  rig.access(9);  // T1 has no more than p; 5 goes
  CHECK(rig.gone.back() == 5);
}

TEST_CASE("arc and 2q learn from a miss also if room was made in advance") {
  for (const std::string policy : {"arc", "2q"}) {
    INFO(policy);
    ReplacementRig rig(policy, 4);
    rig.access({1, 2, 3, 4});
    // The harvester frees 1 and 2. Then 1 comes back: it was seen twice now, so a scan does not push it out.
    CHECK(rig.harvest());
    CHECK(rig.harvest());
    CHECK(rig.gone == BlockNumbers{1, 2});
    rig.access({1, 5, 6, 7, 8});
    CHECK(rig.access(1));
  }
}

TEST_CASE("no policy replaces a block that is pinned") {
  for (const std::string& policy : policy_names()) {
    INFO(policy);
    ReplacementRig rig(policy, 4);
    rig.access({1, 2, 3, 4});
    for (const std::uint64_t n : {1, 2, 3}) rig.block(n).pinned = true;
    CHECK(rig.harvest());
    CHECK_FALSE(rig.harvest());
    CHECK_FALSE(rig.chosen);
    rig.block(2).pinned = false;
    CHECK(rig.harvest());
    CHECK_FALSE(rig.harvest());
    CHECK(rig.gone == BlockNumbers{4, 2});
    CHECK(rig.directory.free() == 2);
  }
}

TEST_CASE("a policy that is told what became replaceable chooses as one that looks at every block") {
  for (const std::string& policy : policy_names()) {
    INFO(policy);
    ReplacementRig told(policy, 24), looks(policy, 24);
    RandomStream random(7, policy);
    const auto set_pinned = [&](std::size_t b, bool pinned) {
      const bool became = told.buffers[b].pinned && !pinned;
      told.buffers[b].pinned = looks.buffers[b].pinned = pinned;
      if (became) told.directory.became_replaceable(told.buffers[b]);
    };
    for (std::size_t b = 0; b < 24; ++b) set_pinned(b, false);
    int none = 0;
    for (int i = 0; i < 20000; ++i) {
      const BlockKey key{0, random.below(60)};
      const std::uint64_t buffer = random.below(24);
      switch (random.below(4)) {
        case 0:
          if (told.buffers[buffer].holds_block() && random.below(10) == 0) {
            told.directory.drop(told.buffers[buffer]);
            looks.directory.drop(looks.buffers[buffer]);
          }
          break;
        case 1: set_pinned(buffer, random.below(8) != 0); break;
        default: {
          TestBuffer *a = told.directory.find(key).entry, *b = looks.directory.find(key).entry;
          REQUIRE(!a == !b);
          if (a) {
            told.directory.touch(*a);
            looks.directory.touch(*b);
            break;
          }
          a = told.directory.ready_candidate(key);
          b = looks.directory.candidate(key);
          REQUIRE((a ? a - told.buffers.data() : -1) == (b ? b - looks.buffers.data() : -1));
          none += !a;
          if (!a) break;
          told.directory.assign(*a, key);
          looks.directory.assign(*b, key);
        }
      }
    }
    CHECK(none > 100);
    CHECK(none < 5000);
  }
}

TEST_CASE("every policy prefers clean blocks, and names a dirty one if there is nothing else") {
  for (const std::string& policy : policy_names()) {
    INFO(policy);
    ReplacementRig rig(policy, 4);
    rig.access({1, 2, 3, 4});
    rig.block(1).dirty = rig.block(2).dirty = true;
    CHECK(rig.harvest());
    CHECK(rig.harvest());
    std::ranges::sort(rig.gone);
    CHECK(rig.gone == BlockNumbers{3, 4});
    CHECK_FALSE(rig.harvest());
    TestBuffer* const named = rig.chosen;
    REQUIRE(named);
    const std::uint64_t number = named->key().number;
    CHECK_FALSE(rig.harvest());
    CHECK(rig.chosen == named);
    CHECK(rig.directory.free() == 2);
    named->pinned = true;  // while it is being flushed
    CHECK_FALSE(rig.harvest());
    CHECK(rig.chosen == &rig.block(3 - number));
    named->pinned = named->dirty = false;
    CHECK(rig.harvest());
    CHECK(rig.gone.back() == number);
  }
}

TEST_CASE("a block that is out of date leaves the directory at once, its buffer as the cache says") {
  for (const std::string& policy : policy_names()) {
    INFO(policy);
    ReplacementRig rig(policy, 3), other(policy, 3);
    rig.access({1, 2, 3});
    other.access({1, 2, 3});
    TestBuffer& second = rig.block(2);
    rig.directory.forget(second);  // keeps its place in the order
    CHECK_FALSE(rig.directory.find({0, 2}).entry);
    CHECK(rig.directory.free() == 0);
    CHECK(rig.directory.candidate({0, 4}) - rig.buffers.data() ==
          other.directory.candidate({0, 4}) - other.buffers.data());
    TestBuffer& third = rig.block(3);
    rig.directory.drop(third);  // is free
    CHECK_FALSE(rig.directory.find({0, 3}).entry);
    CHECK(rig.directory.candidate({0, 4}) == &third);
    rig.access(4);
    rig.block(1).pinned = rig.block(4).pinned = true;
    CHECK(rig.directory.candidate({0, 5}) == &second);
  }
}

TEST_CASE("the directory's hash table grows with its blocks") {
  ReplacementRig rig("lru", 1000);
  for (std::uint64_t n = 0; n < 1000; ++n) rig.access(n * n);
  std::uint32_t looked_at = 0;
  for (std::uint64_t n = 0; n < 1000; ++n) {
    const auto found = rig.directory.find({0, n * n});
    REQUIRE(found.entry);
    CHECK(found.entry->key().number == n * n);
    looked_at += found.steps;
  }
  // In 1,024 buckets a block has one or two before it in its chain at the most on average; without growth, 500.
  CHECK(looked_at < 2000);
}

namespace {

/// Policies as their papers write them down, for a cache that replaces at a miss. Lists begin with the most recent.
class NaivePolicy {
 public:
  explicit NaivePolicy(std::size_t blocks) : c(blocks) {}
  virtual ~NaivePolicy() = default;
  /// Returns whether the block was there.
  virtual bool access(std::uint64_t x) = 0;

 protected:
  using List = std::deque<std::uint64_t>;
  static bool has(const List& list, std::uint64_t x) { return std::ranges::find(list, x) != list.end(); }
  static void remove(List& list, std::uint64_t x) { list.erase(std::ranges::find(list, x)); }
  static std::uint64_t take_last(List& list) {
    const std::uint64_t x = list.back();
    list.pop_back();
    return x;
  }
  const std::size_t c;
};

class NaiveLru final : public NaivePolicy {
 public:
  using NaivePolicy::NaivePolicy;
  bool access(std::uint64_t x) override {
    const bool hit = has(all, x);
    if (hit) remove(all, x);
    else if (all.size() == c) all.pop_back();
    all.push_front(x);
    return hit;
  }
  List all;
};

/// Page frames in a fixed circle, and a hand.
class NaiveClock final : public NaivePolicy {
 public:
  using NaivePolicy::NaivePolicy;
  bool access(std::uint64_t x) override {
    for (auto& frame : frames)
      if (frame.page == x) return frame.used = true;
    if (frames.size() < c) {
      frames.push_back({x, true});
      return false;
    }
    for (; frames[hand].used; hand = (hand + 1) % c) frames[hand].used = false;
    frames[hand] = {x, true};
    hand = (hand + 1) % c;
    return false;
  }
  struct Frame {
    std::uint64_t page;
    bool used;
  };
  std::vector<Frame> frames;
  std::size_t hand = 0;
};

/// Megiddo and Modha, Figure 4.
class NaiveArc final : public NaivePolicy {
 public:
  using NaivePolicy::NaivePolicy;
  bool access(std::uint64_t x) override {
    if (has(t1, x) || has(t2, x)) {
      remove(has(t1, x) ? t1 : t2, x);
      t2.push_front(x);
      return true;
    }
    const double b1s = static_cast<double>(b1.size()), b2s = static_cast<double>(b2.size());
    if (has(b1, x)) {
      p = std::min(p + (b1s >= b2s ? 1 : b2s / b1s), static_cast<double>(c));
      replace(x);
      remove(b1, x);
      t2.push_front(x);
    } else if (has(b2, x)) {
      p = std::max(p - (b2s >= b1s ? 1 : b1s / b2s), 0.0);
      replace(x);
      remove(b2, x);
      t2.push_front(x);
    } else {
      if (t1.size() + b1.size() == c) {
        if (t1.size() < c) {
          b1.pop_back();
          replace(x);
        } else {
          t1.pop_back();
        }
      } else if (t1.size() + t2.size() + b1.size() + b2.size() >= c) {
        if (t1.size() + t2.size() + b1.size() + b2.size() == 2 * c) b2.pop_back();
        replace(x);
      }
      t1.push_front(x);
    }
    return false;
  }

 private:
  // The paper calls it only when the cache is full, because until then nothing has been replaced.
  void replace(std::uint64_t x) {
    const double size = static_cast<double>(t1.size());
    if (!t1.empty() && (size > p || (has(b2, x) && size == p))) b1.push_front(take_last(t1));
    else b2.push_front(take_last(t2));
  }
  List t1, t2, b1, b2;
  double p = 0;
};

/// Johnson and Shasha, the full version.
class NaiveTwoQueue final : public NaivePolicy {
 public:
  using NaivePolicy::NaivePolicy;
  bool access(std::uint64_t x) override {
    if (has(am, x)) {
      remove(am, x);
      am.push_front(x);
      return true;
    }
    if (has(a1in, x)) return true;
    if (has(a1out, x)) {
      reclaim();
      if (has(a1out, x)) remove(a1out, x);
      am.push_front(x);
    } else {
      reclaim();
      a1in.push_front(x);
    }
    return false;
  }

 private:
  void reclaim() {
    if (am.size() + a1in.size() < c) return;
    if (a1in.size() > c / 4) {
      a1out.push_front(take_last(a1in));
      if (a1out.size() > c / 2) a1out.pop_back();
    } else {
      am.pop_back();
    }
  }
  List am, a1in, a1out;
};

std::unique_ptr<NaivePolicy> naive(const std::string& policy, std::size_t blocks) {
  if (policy == "lru") return std::make_unique<NaiveLru>(blocks);
  if (policy == "approximate-lru") return std::make_unique<NaiveClock>(blocks);
  if (policy == "arc") return std::make_unique<NaiveArc>(blocks);
  REQUIRE(policy == "2q");
  return std::make_unique<NaiveTwoQueue>(blocks);
}

/// 40 blocks are used again and again at random, and between them others once each: one in four accesses. From time to
/// time a scan reads 200 others once.
BlockNumbers hot_blocks_and_scans() {
  RandomStream random(1, "hot blocks and scans");
  BlockNumbers trace;
  for (std::uint64_t round = 0; round < 20; ++round) {
    for (std::uint64_t i = 0; i < 400; ++i) trace.push_back(i % 4 == 3 ? 10000 + round * 400 + i : random.below(40));
    for (std::uint64_t i = 0; i < 200; ++i) trace.push_back(1000 + round * 200 + i);
  }
  return trace;
}

/// Blocks of very different popularity, whose ranking changes, with loops between them.
BlockNumbers changing_blocks_and_loops(std::uint64_t seed) {
  RandomStream random(seed, "changing blocks and loops");
  BlockNumbers trace;
  for (int round = 0; round < 30; ++round) {
    const std::uint64_t shift = random.below(100), loop = 20 + random.below(80);
    for (int i = 0; i < 200; ++i) {
      const double u = random.uniform();
      trace.push_back((shift + static_cast<std::uint64_t>(200 * u * u * u)) % 200);
    }
    for (std::uint64_t i = 0; i < 2 * loop; ++i) trace.push_back(shift + i % loop);
  }
  return trace;
}

std::uint64_t hits_of(const std::string& policy, std::uint32_t blocks, const BlockNumbers& trace) {
  ReplacementRig rig(policy, blocks);
  std::uint64_t hits = 0;
  for (const std::uint64_t x : trace) hits += rig.access(x);
  return hits;
}

}  // namespace

TEST_CASE("a policy finds a block exactly when its paper's algorithm does") {
  std::vector<BlockNumbers> traces{hot_blocks_and_scans()};
  for (std::uint64_t seed = 0; seed < 5; ++seed) traces.push_back(changing_blocks_and_loops(seed));
  for (const std::string policy : {"lru", "approximate-lru", "arc", "2q"})
    for (const std::uint32_t blocks : {4, 31, 64})
      for (const BlockNumbers& trace : traces) {
        ReplacementRig rig(policy, blocks);
        const auto expected = naive(policy, blocks);
        std::size_t different = 0;
        for (const std::uint64_t x : trace) different += rig.access(x) != expected->access(x);
        INFO(policy << " with " << blocks << " blocks");
        CHECK(different == 0);
      }
}

TEST_CASE("arc and 2q resist scans, lru and the clock do not") {
  // The hot blocks are used 20 x 300 times. After a scan of 200 blocks, a cache of 64 blocks that forgets has lost all
  // 40 of them: 20 x 40 misses at least. A policy that resists misses each when it is new, and few later.
  const BlockNumbers trace = hot_blocks_and_scans();
  for (const char* policy : {"lru", "approximate-lru"}) CHECK(hits_of(policy, 64, trace) <= 6000 - 20 * 40);
  for (const char* policy : {"arc", "2q"}) CHECK(hits_of(policy, 64, trace) >= 6000 - 3 * 40);
}

TEST_CASE("a dirty block that a policy names is the one that it takes when it has been flushed") {
  for (const std::string& policy : policy_names()) {
    INFO(policy);
    ReplacementRig rig(policy, 8);
    RandomStream random(3, policy);
    for (int i = 0; i < 300; ++i) {
      rig.access(random.below(20));
      if (i % 40 != 39) continue;
      for (TestBuffer& b : rig.buffers) b.dirty = true;
      REQUIRE_FALSE(rig.harvest());
      TestBuffer* const named = rig.chosen;
      REQUIRE(named);
      named->dirty = false;
      CHECK(rig.harvest());
      CHECK(rig.chosen == named);
      for (TestBuffer& b : rig.buffers) b.dirty = false;
    }
  }
}
