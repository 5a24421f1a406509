// SPDX-License-Identifier: MIT
#include "models/network/ethernet/lan.h"

namespace sunstar::network {
namespace {

/// Stations on a hub, or on one coaxial cable: a single shared medium.
class Hub final : public Lan {
 public:
  Hub(const EthernetParams& params, std::uint64_t seed, std::string_view name)
      : Lan(params), medium_(params, Wiring::hub(params), seed, name, csma), sending_(params.ports) {}

  void send(Time now, const Frame& frame) override {
    sending_[frame.from] = frame;
    medium_.offer(now, frame.from, params_.wire_bytes(frame.payload));
  }
  Time next() const override { return medium_.next(); }
  void advance(Time now) override {
    for (const std::uint32_t station : medium_.advance(now)) {
      const Frame& frame = sending_[station];
      left.push_back(station);
      arrives(frame, now + medium_.delay(station, frame.to));
    }
    shows(0, medium_.sending());
    if (!watched) return;
    for (std::uint32_t station = 0; station < params_.ports; ++station)
      shows(1 + station, static_cast<std::uint32_t>(medium_.activity(station)));
  }
  Duration zero_load(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const override {
    return in_a_row(bytes) + medium_.delay(from, to);
  }
  std::uint32_t hops() const override { return params_.positions.empty() ? 2 : 1; }
  Duration busy(std::uint32_t) const override { return medium_.carried(); }

 private:
  CsmaCd medium_;
  std::vector<Frame> sending_;  // by station
};

}  // namespace

std::unique_ptr<Lan> Lan::create(const EthernetParams& params, std::uint64_t seed, std::string_view name) {
  if (params.medium == "hub") return std::make_unique<Hub>(params, seed, name);
  return store_and_forward(params, seed, name);
}

Duration Lan::in_a_row(std::uint64_t bytes) const {
  const auto full = static_cast<std::int64_t>(params_.frames(bytes) - 1);
  return (params_.frame_time(params_.mtu.count) + params_.gap()) * full + params_.frame_time(last_payload(bytes));
}

}  // namespace sunstar::network
