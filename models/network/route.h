// SPDX-License-Identifier: MIT
#pragma once
#include <tlm>

#include "models/core/critical_path.h"

namespace sunstar::network {

/// The route of a message: the extension that makes a TLM-2.0 payload a message. The sender's interface fills it in;
/// the fabric adds the facts of the journey.
struct Route : tlm::tlm_extension<Route> {
  std::uint32_t from = 0;     ///< port of the sending node
  std::uint32_t to = 0;       ///< port of the receiving node
  std::uint32_t bytes = 0;    ///< on the wire: header and data
  bool reply = false;         ///< the receiver always takes a reply; a request waits for room in its input FIFO
  bool varies = true;         ///< gets the fabric's random delay
  std::uint32_t hops = 0;     ///< links crossed, filled in by the fabric
  std::uint32_t ticket = 0;   ///< for the fabric's own use
  std::uint32_t request = 0;  ///< for observers: the request that it serves; 0: none
  Time created{};             ///< for measurements
  Time entered{};             ///< when its head left the sending node, filled in by the fabric
  Path* path = nullptr;       ///< if the run is to be explained: the path to the message's departure

  /// The effects of the fabric's faults, filled in by a fabric that has faults.
  struct Fate {
    bool decided = false;  ///< the rest is known, but for from_life and to_life, which come earlier
    bool lost = false, duplicated = false;
    bool corrupted = false;  ///< the receiver may refuse it: it answers BEGIN_REQ with TLM_COMPLETED and keeps nothing
    std::uint32_t from_life = 0, to_life = 0;  ///< how often the nodes at both ends had stopped when it was sent
    std::uint64_t random = 0;                  ///< the way, as the fabric has chosen it
    std::uint32_t forced = 0;
  } fate;

  tlm::tlm_extension_base* clone() const override { return new Route(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override { *this = static_cast<const Route&>(other); }
};

}  // namespace sunstar::network
