// SPDX-License-Identifier: MIT
#pragma once
#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set_hook.hpp>
#include <compare>
#include <cstddef>
#include <cstdint>

#include "models/core/random.h"

namespace sunstar::io {

/// A block by its file, or by its disk, and its number there.
struct BlockKey {
  std::uint32_t file = 0;
  std::uint64_t number = 0;
  auto operator<=>(const BlockKey&) const = default;
  friend std::size_t hash_value(const BlockKey& k) { return mix64(std::uint64_t{k.file} << 40 ^ k.number); }
};

/// A cache's record of a buffer, as its directory and its replacement policy see it.
class CacheEntry {
 public:
  CacheEntry() = default;
  virtual ~CacheEntry() = default;
  CacheEntry(const CacheEntry&) = delete;
  CacheEntry& operator=(const CacheEntry&) = delete;

  /// The block in the buffer if holds_block(), else the last block in it.
  const BlockKey& key() const { return key_; }
  bool holds_block() const { return holds_block_; }

  enum class Replaceable : std::uint8_t {
    no,    ///< pinned, or on its way
    last,  ///< only if no other buffer is: a dirty buffer is more work to replace
    yes
  };
  /// Whether a policy may choose it.
  virtual Replaceable replaceable() const = 0;

  // For the replacement policy alone.
  boost::intrusive::list_member_hook<> order;
  boost::intrusive::set_member_hook<> ready;
  std::uint64_t turn = 0;
  std::uint8_t note = 0;

 private:
  template <class>
  friend class BlockDirectory;
  BlockKey key_;
  bool holds_block_ = false;
  bool free_ = false;                           // in the directory's list of free buffers
  boost::intrusive::list_member_hook<> chain_;  // of its hash bucket
};

}  // namespace sunstar::io
