// SPDX-License-Identifier: MIT
#pragma once
#include "models/network/worm/queues.h"
#include "models/network/worm/worm_traffic.h"

namespace sunstar::network {

/// A fabric of switches with credits, by the worm model. A derived class has the links, the paths and the ways round
/// what is down.
class WormFabric : public Fabric, protected WormTraffic {
 public:
  std::uint64_t in_flight() const override { return Fabric::in_flight() + waiting(); }
  void describe_waiting(std::vector<std::string>& lines) const override;
  bool deadlocked() const override { return WormTraffic::deadlocked(); }
  /// Adds the utilisation of each link.
  void add_statistics(StatisticSet& set) override;
  /// With queues in order, warns of links that were busier than those for which worms were compared with flits.
  std::vector<std::string> warnings() const override;

 protected:
  using Message = Fabric::Message;
  struct Timing {
    Duration hop;         ///< a head's delay on a link and in the switch at its end
    Duration node_cable;  ///< a message's delay to its node
    Bytes buffer;         ///< of each virtual channel
    bool step_by_step;    ///< heads ask for a channel when they are there; always so with queues in order
  };
  WormFabric(const sc_core::sc_module_name& name, const FabricParams& params, std::uint64_t seed, Timetable* timetable,
             Queues queues, const Timing& timing);

  /// The channel to the node at the port.
  virtual std::uint32_t ejection(std::uint32_t port) const = 0;
  bool in_order() const { return queues_ == Queues::in_order; }
  WormCore& core() { return core_; }
  const WormCore& core() const { return core_; }
  void show(WaveFile& waves) override;

 private:
  void inject(Message message) override { WormTraffic::inject(message); }
  void called(std::uint32_t what) override { WormTraffic::called(what); }
  Duration late(const Message& message) override { return core_.late(message.route->ticket); }
  Duration busy(std::uint32_t channel) const override { return core_.busy(channel); }
  std::size_t next_to_leave(const Fifo<Message>& waiting) const override;

  Queues queues_;
  WormCore core_;
};

}  // namespace sunstar::network
