// SPDX-License-Identifier: MIT
#pragma once
#include <deque>

#include "models/network/network.h"
#include "models/network/worm_core.h"

namespace sunstar::network {

/// The worm model as a SystemC module: one event a message, from the timetable, and one more if it cannot leave at once.
class WormNetwork : public Network {
 public:
  WormNetwork(const sc_core::sc_module_name& name, const NetworkParams& params, std::uint64_t seed, Timetable* timetable = nullptr);

  /// Beside what all show, "<name>.router7.up0": messages that have reserved the channel, two at most for long; "<name>.router7.leaving":
  /// messages of its node behind one that is leaving.
  void trace(WaveFile& waves) override;
  Duration zero_load(std::uint32_t hops, std::uint64_t bytes) const override { return core_.zero_load(hops, bytes); }
  /// Where links were busier than worms are good for (docs/validation.md).
  std::vector<std::string> warnings() const override;

 private:
  void inject(Message) override;
  void called(std::uint32_t from) override { start_next(from); }
  Duration late(const Message& message) override { return core_.late(message.route->ticket); }
  Duration busy(std::uint32_t channel) const override { return core_.busy(channel); }
  void start(Message);
  void start_next(std::uint32_t from);
  void show_leaving(std::uint32_t router);

  WormCore core_;
  std::vector<std::deque<Message>> sending_;  // of each node: behind a message that is leaving
  std::vector<WaveFile::Signal> shown_leaving_;  // by router
};

}  // namespace sunstar::network
