// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "models/network/fabric.h"
#include "models/network/fat_tree/fat_tree.h"
#include "models/network/fat_tree/fat_tree_params.h"
#include "models/network/worm/worm_traffic.h"

namespace sunstar::network {

/// A fat tree as a SystemC module, by the worm model. Where links are down, messages go round them if the routing is
/// adaptive: by those ports up from which a way leads down to the receiver.
class FatTreeNetwork final : public Fabric, private WormTraffic {
 public:
  FatTreeNetwork(const sc_core::sc_module_name& name, const FatTreeParams& params, std::uint64_t seed,
                 Timetable* timetable = nullptr);

  const FatTree& tree() const { return tree_; }
  Duration zero_load(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const override {
    return core_.zero_load(tree_.switches_between(from, to) - 1, bytes) + cable_;
  }
  std::uint64_t in_flight() const override { return Fabric::in_flight() + waiting(); }
  void describe_waiting(std::vector<std::string>&) const override;
  bool deadlocked() const override { return WormTraffic::deadlocked(); }
  /// Adds the utilisation of each channel.
  void add_statistics(StatisticSet&) override;
  std::vector<Link> links() const override;
  std::string topology() const override { return "fat tree"; }

 private:
  using Message = Fabric::Message;
  void inject(Message message) override { WormTraffic::inject(message); }
  void called(std::uint32_t what) override { WormTraffic::called(what); }
  Duration late(const Message& message) override { return core_.late(message.route->ticket); }
  Duration busy(std::uint32_t channel) const override { return core_.busy(channel); }
  void show(WaveFile&) override;
  void choose_way(Route&) override;
  void add_links(const Route&, std::vector<std::uint32_t>&) const override;
  std::uint32_t injection(std::uint32_t port) const override { return tree_.injection(port); }
  WormCore::Path path(const Route&) override;
  std::uint32_t least_loaded(const FatTree::Up& up) const;
  bool find_way(Route& route, std::uint32_t level, std::uint32_t w);

  FatTree tree_;
  bool adaptive_;
  Duration cable_;
  WormCore core_;
  std::vector<WormCore::Hop> path_;
};

}  // namespace sunstar::network
