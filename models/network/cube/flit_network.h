// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <vector>

#include "models/network/cube/cube_network.h"
#include "models/network/cube/flit_core.h"

namespace sunstar::network {

/// The flit model as a SystemC module: all routers share one alarm of the timetable, which rings once for each cycle in
/// which something happens.
///
/// The edges of the routers' clock lie at whole multiples of `router.cycle`; a message handed over between two edges
/// leaves at the next.
class FlitNetwork : public CubeNetwork {
 public:
  FlitNetwork(const sc_core::sc_module_name& name, const CubeParams& params, std::uint64_t seed,
              Timetable* timetable = nullptr);

  void add_statistics(StatisticSet&) override;
  /// Messages are numbered from 1 in the order in which they enter the network; 0 is none.
  /// In a deadlock the circle of buffers that wait for one another comes first.
  void describe_waiting(std::vector<std::string>&) const override;
  std::uint64_t in_flight() const override { return CubeNetwork::in_flight() + core_.packets(); }
  bool deadlocked() const override { return core_.deadlocked(); }

 private:
  /// Shows whose flit passes each channel, who has each virtual channel, and the queues of the nodes.
  struct Shown final : FlitCore::Observer {
    Shown(FlitNetwork& network, WaveFile& waves);
    void owned(std::uint32_t channel, std::uint32_t vc, const FlitCore::Packet*, FlitCore::Cycle when) override;
    void passes(std::uint32_t channel, const FlitCore::Packet&, FlitCore::Cycle when, FlitCore::Cycle cycles) override;
    void leaving(std::uint32_t router);

    FlitNetwork& network;
    WaveFile& waves;
    std::uint32_t vcs;
    std::vector<WaveFile::Signal> flit, owner, queue;  // by channel; by channel and virtual channel; by router
  };

  void use(const VcClassRule& rule) override { core_.use(rule); }
  void inject(Message) override;
  void show(WaveFile&) override;
  Duration zero_load_over(std::uint32_t hops, std::uint64_t bytes) const override;
  /// The packet of a message: its flits, without `from` and `to`.
  FlitCore::Packet packet_of(std::uint64_t bytes) const;
  Duration busy(std::uint32_t channel) const override {
    return static_cast<std::int64_t>(core_.busy(channel)) * cycle_;
  }
  void cycle();
  Time edge(FlitCore::Cycle c) const { return Time{static_cast<std::int64_t>(c) * cycle_}; }

  Duration cycle_;
  std::uint64_t flit_bytes_;
  std::uint32_t vcs_;
  FlitCore core_;
  /// Rings at the cycles of the routers, after all messages that enter the network at that time.
  Timetable::Call<FlitNetwork, &FlitNetwork::cycle> clock_;
  std::uint32_t entered_ = 0;  // messages so far
  std::unique_ptr<Shown> shown_;
  FlitCore::Cycle due_ = FlitCore::never;  // the cycle the clock is set to
};

}  // namespace sunstar::network
