// SPDX-License-Identifier: MIT
#pragma once
#include <deque>

#include "models/network/cube/cube_network.h"
#include "models/network/cube/worm_core.h"

namespace sunstar::network {

/// The worm model as a SystemC module: one event a message, from the timetable, one more if it cannot leave at once,
/// and one for each channel that it has to wait for.
class WormNetwork : public CubeNetwork {
 public:
  WormNetwork(const sc_core::sc_module_name& name, const CubeParams& params, std::uint64_t seed,
              Timetable* timetable = nullptr);

  /// Beside what all fabrics show, "<name>.router7.up0": messages that have reserved the channel, two at most for long;
  /// "<name>.router7.leaving": messages of its node behind one that is leaving.
  void trace(WaveFile& waves) override;
  std::uint64_t in_flight() const override { return CubeNetwork::in_flight() + waiting_count_; }
  void describe_waiting(std::vector<std::string>&) const override;
  /// Whether worms wait and none of them can ever go on: possible where the rule of the virtual channels allows it.
  bool deadlocked() const override { return waiting_count_ > 0 && core_.next() == Time::max(); }
  /// Where links were busier than worms are good for (docs/validation.md).
  std::vector<std::string> warnings() const override;

 private:
  Duration zero_load_over(std::uint32_t hops, std::uint64_t bytes) const override {
    return core_.zero_load(hops, bytes);
  }
  void inject(Message) override;
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
  std::vector<std::deque<Message>> sending_;  // of each node: behind a message that is leaving
  std::vector<char> stuck_;                   // the one that is leaving the node waits, nobody knows for how long
  std::vector<Message> waiting_;              // by ticket: for a channel
  std::uint64_t waiting_count_ = 0;
  Time called_at_ = Time::max();                 // for the next of them
  std::vector<WaveFile::Signal> shown_leaving_;  // by router
};

}  // namespace sunstar::network
