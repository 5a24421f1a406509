// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "models/core/fifo.h"
#include "models/network/ethernet/lan.h"
#include "models/network/fabric.h"

namespace sunstar::network {

/// An Ethernet as a SystemC module: a hub or a switch with one station at each port. Each station sends its messages,
/// as one or several frames, in the order in which it got them, requests once their receivers have room (Fabric). So a
/// receiver never has to refuse a frame, and nothing waits on the medium for anything but the medium.
class EthernetNetwork final : public Fabric {
 public:
  EthernetNetwork(const sc_core::sc_module_name& name, const EthernetParams& params, std::uint64_t seed,
                  Timetable* timetable = nullptr);

  Duration zero_load(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const override;
  std::uint64_t in_flight() const override { return Fabric::in_flight() + queued_; }
  /// Adds frames and their bytes; collisions, deferrals and attempts of half-duplex media; pauses of a switch; and the
  /// utilisation of the hub, or of the link to each port.
  void add_statistics(StatisticSet&) override;
  /// Shows, besides, "<name>.hub.sending", the number of stations that send at once, or for each port of a switch
  /// "<name>.port7.output", the bytes of frames that wait there or leave.
  void describe_waiting(std::vector<std::string>&) const override;
  std::vector<std::string> warnings() const override;
  /// The cables between the stations and the hub, which all carry the same frames, or from the switch to the stations.
  std::vector<Link> links() const override;
  std::string topology() const override { return params_.medium; }

 private:
  struct Sending {
    Message message;
    std::uint64_t left_bytes;  // not handed over in frames yet
  };

  void inject(Message) override;
  bool stays(const Route& route) const override { return route.from == route.to; }
  void add_links(const Route& route, std::vector<std::uint32_t>& links) const override {
    links.push_back(params_.medium == "hub" ? 0 : route.to);
  }
  void show(WaveFile&) override;
  void hand_over(std::uint32_t port);
  void proceed();
  Duration busy(std::uint32_t port) const override { return lan_->busy(port); }

  const EthernetParams params_;
  std::unique_ptr<Lan> lan_;
  Timetable::Call<EthernetNetwork, &EthernetNetwork::proceed> look_;
  std::vector<Fifo<Sending>> sending_;  // by port: messages not all of whose frames have left
  std::vector<Message> last_frames_;    // by tag: messages whose last frame is under way
  std::vector<std::uint32_t> free_tags_;
  std::uint64_t queued_ = 0;             // messages in both
  std::vector<WaveFile::Signal> shown_;  // by signal of the medium
};

}  // namespace sunstar::network
