// SPDX-License-Identifier: MIT
#pragma once
#include <cassert>

#include "models/core/fifo.h"
#include "models/core/quantity.h"

namespace sunstar::network {

/// Room in the input FIFO of one node's interface, as its senders see it: end-to-end credits. A request takes a place
/// when it leaves its sender and gives it back when the receiving processor has taken it out of the FIFO.
class InputRoom {
 public:
  explicit InputRoom(std::uint32_t places) : places_(places) { assert(places > 0); }

  /// Takes a place for a request that leaves at `now`, or returns false.
  bool take(Time now) {
    while (!leaving_.empty() && leaving_.front() <= now) {
      leaving_.pop_front();
      --taken_;
    }
    if (taken_ == places_) return false;
    ++taken_;
    return true;
  }

  /// The request that arrived will be out of the FIFO at `when`; calls come in order of `when`, or nearly so; an
  /// earlier `when` than the last counts as the last.
  void give_back(Time when) {
    if (!leaving_.empty() && when < leaving_.back()) when = leaving_.back();
    leaving_.push_back(when);
  }

  /// All places are free: the node at the port has started anew.
  void reset() {
    taken_ = 0;
    leaving_ = {};
  }

  /// When the next place is known to become free; Time::max() if that depends on requests not taken out yet.
  Time next_free() const { return leaving_.empty() ? Time::max() : leaving_.front(); }

 private:
  std::uint32_t places_;
  std::uint32_t taken_ = 0;
  Fifo<Time> leaving_;
};

}  // namespace sunstar::network
