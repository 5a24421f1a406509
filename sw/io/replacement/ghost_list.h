// SPDX-License-Identifier: MIT
#pragma once
#include <boost/unordered/unordered_flat_map.hpp>
#include <list>

#include "sw/io/replacement/entry.h"

namespace sunstar::io::replacement {

/// The keys of blocks that a policy has replaced and still remembers, oldest first.
class GhostList {
 public:
  struct Ghost {
    BlockKey key;
    bool counted = false;  ///< the policy has already learnt from an access to it
  };
  std::size_t size() const { return order_.size(); }
  bool empty() const { return order_.empty(); }
  /// The ghost of a block, or null.
  Ghost* find(const BlockKey& key) {
    const auto found = places_.find(key);
    return found == places_.end() ? nullptr : &*found->second;
  }
  /// Adds the newest ghost, whose key is not in the list.
  void push(const BlockKey& key) {
    order_.push_back({key});
    places_.emplace(key, std::prev(order_.end()));
  }
  /// Forgets the oldest ghost.
  void pop() {
    places_.erase(order_.front().key);
    order_.pop_front();
  }
  /// Forgets the ghost with the key, if there is one.
  void erase(const BlockKey& key) {
    const auto found = places_.find(key);
    if (found == places_.end()) return;
    order_.erase(found->second);
    places_.erase(found);
  }

 private:
  std::list<Ghost> order_;
  boost::unordered_flat_map<BlockKey, std::list<Ghost>::iterator> places_;
};

}  // namespace sunstar::io::replacement
