// SPDX-License-Identifier: MIT
#include "models/network/ethernet/lan.h"

#include "models/network/ethernet/hub.h"
#include "models/network/ethernet/store_and_forward.h"

namespace sunstar::network {

std::unique_ptr<Lan> Lan::create(const EthernetParams& params, std::uint64_t seed, std::string_view name) {
  if (params.medium == "hub") return std::make_unique<Hub>(params, seed, name);
  return std::make_unique<StoreAndForward>(params, seed, name);
}

Duration Lan::in_a_row(std::uint64_t bytes) const {
  const auto full = static_cast<std::int64_t>(params_.frames(bytes) - 1);
  return (params_.frame_time(params_.mtu.count) + params_.gap()) * full + params_.frame_time(last_payload(bytes));
}

}  // namespace sunstar::network
