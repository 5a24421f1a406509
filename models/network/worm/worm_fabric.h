// SPDX-License-Identifier: MIT
#pragma once
#include "models/network/worm/worm_core.h"
#include "models/network/worm/worm_traffic.h"

namespace sunstar::network {

/// A fabric of switches with credits, by the worm model. A derived class has the links, the paths and the ways round
/// what is down.
class WormFabric : public Fabric, protected WormTraffic {
 public:
  std::uint64_t in_flight() const override { return Fabric::in_flight() + waiting(); }

  void describe_waiting(std::vector<std::string>& lines) const override {
    WormTraffic::describe_waiting(lines);
    Fabric::describe_waiting(lines);
  }

  bool deadlocked() const override { return WormTraffic::deadlocked(); }

  /// Adds the utilisation of each link.
  void add_statistics(StatisticSet& set) override {
    Fabric::add_statistics(set);
    for (const Link& link : links())
      add_utilisation(set, link.name + "_utilisation", "share of time for which bytes passed the channel",
                      link.channel);
  }

  /// With queues in order, warns of links that were busier than those for which worms were compared with flits.
  std::vector<std::string> warnings() const override {
    if (!in_order()) return {};
    return WormTraffic::warnings(WormCore::good_step_by_step, "docs/validation.md");
  }

 protected:
  using Message = Fabric::Message;
  struct Timing {
    Duration hop;         ///< a head's delay on a link and in the switch at its end
    Duration node_cable;  ///< a message's delay to its node
    Bytes buffer;         ///< of each virtual channel
    bool step_by_step;    ///< heads ask for a channel when they are there; always so with queues in order
  };

  WormFabric(const sc_core::sc_module_name& name, const FabricParams& params, std::uint64_t seed, Timetable* timetable,
             Queues queues, const Timing& timing)
      : Fabric(name, params, seed, timetable),
        WormTraffic(*this, core_, timing.node_cable),
        queues_(queues),
        core_(params.channels, {.router_delay = timing.hop,
                                .link_bandwidth = params.port_bandwidth,
                                .buffer_bytes = static_cast<std::uint32_t>(timing.buffer.count),
                                .turnaround = in_order() ? params.port_bandwidth.time_for(1) : Duration{},
                                .credits = true,
                                .step_by_step = timing.step_by_step || in_order(),
                                .in_order = in_order()}) {}

  /// The channel to the node at the port.
  virtual std::uint32_t ejection(std::uint32_t port) const = 0;
  bool in_order() const { return queues_ == Queues::in_order; }
  WormCore& core() { return core_; }
  const WormCore& core() const { return core_; }

  void show(WaveFile& waves) override {
    std::vector<WaveFile::Signal> messages;
    for (const Link& link : links()) {
      messages.resize(std::max<std::size_t>(messages.size(), link.channel + 1), WaveFile::unseen);
      messages[link.channel] = waves.number(std::string(name()) + "." + link.name);
    }
    Fabric::show(waves);
    WormTraffic::show(waves);
    core_.observe(
        [&waves, messages](std::uint32_t channel, Time when, int by) { waves.step(messages[channel], when, by); });
  }

 private:
  void inject(Message message) override { WormTraffic::inject(message); }
  void called(std::uint32_t what) override { WormTraffic::called(what); }
  Duration late(const Message& message) override { return core_.late(message.route->ticket); }
  Duration busy(std::uint32_t channel) const override { return core_.busy(channel); }

  // A node has a queue for each receiver and sends to the receiver that is ready first: otherwise a long message to a
  // busy receiver would hold up messages to others. It looks at as many messages as it may have receivers.
  std::size_t next_to_leave(const Fifo<Message>& waiting) const override {
    if (in_order()) return 0;
    std::size_t best = 0;
    Duration least = Duration::max();
    for (std::size_t i = 0; i < waiting.size() && i < ports() && least > Duration{}; ++i) {
      const std::uint32_t to = (waiting.begin() + static_cast<std::ptrdiff_t>(i))->route->to;
      if (const Duration load = core_.backlog(ejection(to), now()); load < least) {
        least = load;
        best = i;
      }
    }
    return best;
  }

  Queues queues_;
  WormCore core_;
};

}  // namespace sunstar::network
