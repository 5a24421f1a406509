// SPDX-License-Identifier: MIT
#pragma once
#include <initializer_list>
#include <string_view>
#include <vector>

#include "sw/io/replacement/directory.h"
#include "tests/support/catch.h"

namespace sunstar::test {

using BlockNumbers = std::vector<std::uint64_t>;

struct TestBuffer final : io::CacheEntry {
  bool pinned = false, dirty = false;
  Replaceable replaceable() const override {
    return pinned ? Replaceable::no : dirty ? Replaceable::last : Replaceable::yes;
  }
};

/// A cache whose blocks are replaced when a block is wanted that is not there, as in papers about replacement.
struct ReplacementRig {
  ReplacementRig(std::string_view policy, std::uint32_t blocks) : buffers(blocks), directory(policy, blocks) {
    for (TestBuffer& b : buffers) directory.add(b);
  }

  /// Returns whether the block was there.
  bool access(std::uint64_t number) {
    const io::BlockKey key{0, number};
    if (TestBuffer* const buffer = directory.find(key).entry) {
      directory.touch(*buffer);
      return true;
    }
    if (directory.free() == 0) REQUIRE(harvest(&key));
    directory.assign(*directory.candidate(key), key);
    return false;
  }
  void access(std::initializer_list<std::uint64_t> numbers) {
    for (const std::uint64_t n : numbers) access(n);
  }
  /// Frees the buffer that the policy chooses, unless it is dirty; returns whether it did.
  bool harvest(const io::BlockKey* wanted = nullptr) {
    const auto choice = directory.choose(wanted);
    steps = choice.steps;
    chosen = choice.entry;
    if (!chosen || chosen->dirty) return false;
    gone.push_back(chosen->key().number);
    directory.release(*chosen);
    return true;
  }
  TestBuffer& block(std::uint64_t number) {
    TestBuffer* const found = directory.find({0, number}).entry;
    REQUIRE(found);
    return *found;
  }

  std::vector<TestBuffer> buffers;
  io::BlockDirectory<TestBuffer> directory;
  BlockNumbers gone;     ///< blocks replaced, in order
  TestBuffer* chosen{};  ///< by the last harvest
  std::uint32_t steps;   ///< of the last harvest
};

}  // namespace sunstar::test
