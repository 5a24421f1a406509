// SPDX-License-Identifier: MIT
#pragma once
#include <deque>

#include "models/core/random.h"
#include "models/network/input_room.h"
#include "models/network/network.h"
#include "models/network/route.h"
#include "models/network/worm_core.h"

namespace sunstar::network {

/// The worm model as a SystemC module: one event a message, from the timetable, and one more if it cannot leave at once.
class WormNetwork : public Network, private Timetable::Alarm {
 public:
  WormNetwork(const sc_core::sc_module_name& name, const NetworkParams& params, std::uint64_t seed, Timetable* timetable = nullptr);

  const Cube& cube() const override { return core_.cube(); }
  void add_statistics(StatisticSet&) override;
  /// "<name>.router7.up0": the router whose message has the channel, -1 for none; "<name>.router7.held": requests to its node
  /// that wait for room in the input FIFO there; "<name>.router7.leaving": messages of its node behind one that is leaving.
  void trace(WaveFile& waves) override;
  void describe_waiting(std::vector<std::string>&) const override;
  std::uint64_t in_flight() const override { return due_.size() + waiting_count_; }

 private:
  /// With its route, so that this need not be looked up again.
  struct Message {
    tlm::tlm_generic_payload* payload = nullptr;
    Route* route = nullptr;
  };
  struct Due {
    /// `message` arrives at `router` or enters the network now; the next one may leave the node at `router`, or there may
    /// be room in its input FIFO.
    enum What : std::uint32_t { arrives, enters, leaves, room };
    Time when;
    std::uint64_t order;  // ties go by order of entry
    Message message;
    std::uint32_t router;
    What what;
    bool operator>(const Due& other) const { return when != other.when ? when > other.when : order > other.order; }
  };
  tlm::tlm_sync_enum accept(int router, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum taken(int router, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time& delay) override;
  Duration variation();
  void enter(Message);
  void inject(Message);
  void start(Message);
  void start_next(std::uint32_t from);
  void push(Time when, Due::What what, Message message, std::uint32_t router);
  void ring() override;
  void admit_waiting(std::uint32_t router);
  void look_again(std::uint32_t router);
  void show_waiting(std::uint32_t router);

  WormCore core_;
  std::uint64_t timing_variation_ps_;
  // Which of several messages goes first is decided on the way out of the network for messages that are shorter than the
  // variation and on the way in for longer ones; a message varies there.
  double varies_on_arrival_;  // bytes
  RandomStream random_;
  std::vector<InputRoom> room_;
  std::vector<std::deque<Message>> waiting_;
  std::vector<std::deque<Message>> sending_;  // of each node: behind a message that is leaving
  std::vector<char> looking_;
  std::uint64_t waiting_count_ = 0;
  std::uint64_t waited_ = 0;
  std::vector<Due> due_;  // a heap, earliest first
  std::uint64_t order_ = 0;
  WaveFile* waves_ = nullptr;
  std::vector<WaveFile::Signal> shown_held_, shown_leaving_;  // by router
};

}  // namespace sunstar::network
