// SPDX-License-Identifier: MIT

#include "models/network/cube/cube_network.h"
#include "models/network/cube/cube_worms.h"
#include "models/network/worm/worm_traffic.h"

namespace sunstar::network {
namespace {

class WormNetwork : public CubeNetwork, private WormTraffic {
 public:
  WormNetwork(const sc_core::sc_module_name& name, const CubeParams& params, std::uint64_t seed, Timetable* timetable)
      : CubeNetwork(name, params, seed, timetable),
        WormTraffic(*this, core_),
        core_(cube(),
              {params.router_delay, params.link_bandwidth, static_cast<std::uint32_t>(params.router_buffer.count),
               params.router.cycle},
              vc_class_rule(params.router.vc_class_rule)) {}

  /// Shows, besides what all fabrics show, "<name>.router7.up0": messages that have reserved the channel, more than two
  /// only for moments; and "<name>.router7.leaving": messages of the router's node behind the leaving one.
  std::uint64_t in_flight() const override { return CubeNetwork::in_flight() + waiting(); }
  void describe_waiting(std::vector<std::string>& lines) const override {
    WormTraffic::describe_waiting(lines);
    CubeNetwork::describe_waiting(lines);
  }
  /// Whether worms wait and none can ever go on, which some rules for virtual channels allow.
  bool deadlocked() const override { return WormTraffic::deadlocked(); }
  /// Warns if links were busier than the worm model allows (docs/validation.md).
  std::vector<std::string> warnings() const override {
    return WormTraffic::warnings(WormCore::good_utilisation, "machine.network.model=flit");
  }

 private:
  using Message = Fabric::Message;
  Duration zero_load_over(std::uint32_t hops, std::uint64_t bytes) const override {
    return core_.zero_load(hops, bytes);
  }
  void inject(Message message) override { WormTraffic::inject(message); }
  void show(WaveFile& waves) override {
    const std::string prefix = std::string(name()) + ".";
    std::vector<WaveFile::Signal> messages;
    for (std::uint32_t c = 0; c < cube().channels(); ++c)
      messages.push_back(waves.number(prefix + cube().channel_name(c)));
    CubeNetwork::show(waves);
    WormTraffic::show(waves);
    core_.observe(
        [&waves, messages](std::uint32_t channel, Time when, int by) { waves.step(messages[channel], when, by); });
  }
  void called(std::uint32_t what) override { WormTraffic::called(what); }
  Duration late(const Message& message) override { return core_.late(message.route->ticket); }
  Duration busy(std::uint32_t channel) const override { return core_.busy(channel); }
  std::uint32_t injection(std::uint32_t router) const override { return cube().injection(router); }
  WormCore::Path path(const Route& route) override {
    return core_.path(route.from, route.to, random_of(route), route.fate.forced);
  }

  CubeWorms core_;
};

}  // namespace

std::unique_ptr<CubeNetwork> worm_network(const sc_core::sc_module_name& name, const CubeParams& params,
                                          std::uint64_t seed, Timetable* timetable) {
  return std::make_unique<WormNetwork>(name, params, seed, timetable);
}

}  // namespace sunstar::network
