// SPDX-License-Identifier: MIT
#pragma once
#include "models/network/cube/cube_network.h"
#include "models/network/cube/cube_worms.h"
#include "models/network/worm/worm_traffic.h"

namespace sunstar::network {

/// The worm model as a SystemC module.
class WormNetwork : public CubeNetwork, private WormTraffic {
 public:
  WormNetwork(const sc_core::sc_module_name& name, const CubeParams& params, std::uint64_t seed,
              Timetable* timetable = nullptr);

  /// Shows, besides what all fabrics show, "<name>.router7.up0": messages that have reserved the channel, more than two
  /// only for moments; and "<name>.router7.leaving": messages of the router's node behind the one that is leaving.
  std::uint64_t in_flight() const override { return CubeNetwork::in_flight() + waiting(); }
  void describe_waiting(std::vector<std::string>&) const override;
  /// Whether worms wait and none of them can ever go on: possible if the rule for the virtual channels allows it.
  bool deadlocked() const override { return WormTraffic::deadlocked(); }
  /// Warns if links were busier than the worm model is good for (docs/validation.md).
  std::vector<std::string> warnings() const override;

 private:
  using Message = Fabric::Message;
  Duration zero_load_over(std::uint32_t hops, std::uint64_t bytes) const override {
    return core_.zero_load(hops, bytes);
  }
  void use(const VcClassRule& rule) override { core_.use(rule); }
  void inject(Message message) override { WormTraffic::inject(message); }
  void show(WaveFile&) override;
  void called(std::uint32_t what) override { WormTraffic::called(what); }
  Duration late(const Message& message) override { return core_.late(message.route->ticket); }
  Duration busy(std::uint32_t channel) const override { return core_.busy(channel); }
  std::uint32_t injection(std::uint32_t router) const override { return cube().injection(router); }
  WormCore::Path path(const Route& route) override {
    return core_.path(route.from, route.to, random_of(route), route.fate.forced);
  }

  CubeWorms core_;
};

}  // namespace sunstar::network
