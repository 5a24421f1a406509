// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "models/core/fifo.h"
#include "models/network/fabric.h"
#include "models/network/switch/switch_core.h"

namespace sunstar::network {

/// A multistage switch as a SystemC module. A message costs one event of the timetable, and one more if the link from
/// its port is busy.
class SwitchNetwork final : public Fabric {
 public:
  SwitchNetwork(const sc_core::sc_module_name& name, const SwitchParams& params, std::uint64_t seed,
                Timetable* timetable = nullptr);

  Duration zero_load(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const override {
    return core_.zero_load(from, to, bytes);
  }
  std::uint64_t in_flight() const override { return Fabric::in_flight() + sending_count_; }
  /// Adds the utilisation of the link to each port.
  void add_statistics(StatisticSet&) override;
  /// The links to the ports; those from the ports are not counted.
  std::vector<Link> links() const override;
  std::string topology() const override { return "switch"; }

 private:
  Duration busy(std::uint32_t port) const override { return core_.busy(port); }
  void inject(Message) override;
  void add_links(const Route& route, std::vector<std::uint32_t>& links) const override { links.push_back(route.to); }
  void show(WaveFile&) override;
  void called(std::uint32_t from) override;
  void start(Message);
  void show_leaving(std::uint32_t port);

  SwitchCore core_;
  std::vector<Fifo<Message>> sending_;  // by port: messages behind the one that is leaving
  std::uint64_t sending_count_ = 0;
  std::vector<WaveFile::Signal> shown_leaving_, shown_output_;  // by port
};

}  // namespace sunstar::network
