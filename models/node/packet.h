// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <memory>
#include <tlm>

#include "models/network/route.h"
#include "models/node/hal.h"

namespace sunstar::node {

/// A message on its way: the header and the data, as the extension that the two network interfaces understand.
class Packet : public tlm::tlm_extension<Packet>, public hal::Message {
 public:
  tlm::tlm_generic_payload* payload = nullptr;  ///< the payload to which this belongs
  network::Route* route = nullptr;              ///< the payload's other extension, so that nobody needs to look it up

  /// Storage for `length` bytes of data; keeps the largest it has had.
  std::byte* reserve(std::uint32_t length) {
    if (length <= short_data_.size()) return short_data_.data();
    if (length > long_capacity_) {
      long_data_ = std::make_unique_for_overwrite<std::byte[]>(length);
      long_capacity_ = length;
    }
    return long_data_.get();
  }

  tlm::tlm_extension_base* clone() const override { return nullptr; }  // a message is never in two places
  void copy_from(const tlm::tlm_extension_base&) override {}

 private:
  std::array<std::byte, 64> short_data_;
  std::unique_ptr<std::byte[]> long_data_;
  std::uint32_t long_capacity_ = 0;
};

}  // namespace sunstar::node
