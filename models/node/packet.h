// SPDX-License-Identifier: MIT
#pragma once
#include <tlm>

#include "models/network/route.h"
#include "models/node/hal.h"

namespace sunstar::node {

/// A message in flight: header and data, as an extension for the two network interfaces.
class Packet : public tlm::tlm_extension<Packet>, public hal::Message {
 public:
  tlm::tlm_generic_payload* payload = nullptr;  ///< the payload to which this belongs
  network::Route* route = nullptr;              ///< the payload's other extension, to save looking it up
  content::Content held;                        ///< its data

  tlm::tlm_extension_base* clone() const override { return nullptr; }  // a message is never in two places
  void copy_from(const tlm::tlm_extension_base&) override {}
};

}  // namespace sunstar::node
