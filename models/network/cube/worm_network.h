// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/fifo.h"
#include "models/network/cube/cube_network.h"
#include "models/network/cube/worm_core.h"

namespace sunstar::network {

/// The worm model as a SystemC module. A message costs one event of the timetable, one more if it cannot leave at once,
/// and one for each channel that it has to wait for.
class WormNetwork : public CubeNetwork {
 public:
  WormNetwork(const sc_core::sc_module_name& name, const CubeParams& params, std::uint64_t seed,
              Timetable* timetable = nullptr);

  /// Shows, besides what all fabrics show, "<name>.router7.up0": messages that have reserved the channel, more than two
  /// only for moments; and "<name>.router7.leaving": messages of the router's node behind the one that is leaving.
  std::uint64_t in_flight() const override { return CubeNetwork::in_flight() + waiting_count_; }
  void describe_waiting(std::vector<std::string>&) const override;
  /// Whether worms wait and none of them can ever go on: possible if the rule for the virtual channels allows it.
  bool deadlocked() const override { return waiting_count_ > 0 && core_.next() == Time::max(); }
  /// Warns if links were busier than the worm model is good for (docs/validation.md).
  std::vector<std::string> warnings() const override;

 private:
  Duration zero_load_over(std::uint32_t hops, std::uint64_t bytes) const override {
    return core_.zero_load(hops, bytes);
  }
  void use(const VcClassRule& rule) override { core_.use(rule); }
  void inject(Message) override;
  void show(WaveFile&) override;
  void called(std::uint32_t what) override;
  Duration late(const Message& message) override { return core_.late(message.route->ticket); }
  Duration busy(std::uint32_t channel) const override { return core_.busy(channel); }
  void start(Message);
  void start_next(std::uint32_t from);
  void leave_when_free(std::uint32_t from);
  void follow(const Message& message, const WormCore::Passage& passage);
  void proceed();
  void call_for_next();
  void show_leaving(std::uint32_t router);

  WormCore core_;
  std::vector<Fifo<Message>> sending_;  // by node: messages behind the one that is leaving
  std::vector<char> stuck_;             // by node: the message that is leaving waits, nobody knows how long
  std::vector<Message> waiting_;        // by ticket: messages that wait for a channel
  std::uint64_t waiting_count_ = 0;
  Time called_at_ = Time::max();                 // for the next of them
  std::vector<WaveFile::Signal> shown_leaving_;  // by router
};

}  // namespace sunstar::network
