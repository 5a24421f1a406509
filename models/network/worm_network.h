// SPDX-License-Identifier: MIT
#pragma once
#include <deque>

#include "models/core/random.h"
#include "models/network/input_room.h"
#include "models/network/network.h"
#include "models/network/worm_core.h"

namespace sunstar::network {

/// The worm model as a SystemC module: one timed event a message.
class WormNetwork : public Network {
 public:
  WormNetwork(const sc_core::sc_module_name& name, const NetworkParams& params, std::uint64_t seed);

  const Torus& torus() const override { return core_.torus(); }
  void add_statistics(StatisticSet&) override;
  void describe_waiting(std::vector<std::string>&) const override;
  std::uint64_t in_flight() const override { return due_.size() + waiting_count_; }

 private:
  struct Due {
    Time when;
    std::uint64_t order;                  // ties go by order of injection
    tlm::tlm_generic_payload* message;    // null: look again for room at `router`
    std::uint32_t router;
    bool operator>(const Due& other) const { return when != other.when ? when > other.when : order > other.order; }
  };
  struct Waiting {
    tlm::tlm_generic_payload* message;
    Time since;
  };

  tlm::tlm_sync_enum accept(int router, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum taken(int router, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time& delay) override;
  void inject(tlm::tlm_generic_payload& message, Time when);
  void push(Time when, tlm::tlm_generic_payload* message, std::uint32_t router);
  void deliver();
  void admit_waiting(std::uint32_t router);
  void look_again(std::uint32_t router);

  WormCore core_;
  std::int64_t timing_variation_ps_;
  RandomStream random_;
  std::vector<InputRoom> room_;
  std::vector<std::deque<Waiting>> waiting_;
  std::vector<char> looking_;
  std::uint64_t waiting_count_ = 0;
  std::uint64_t waited_ = 0;
  std::vector<Due> due_;  // a heap, earliest first
  std::uint64_t order_ = 0;
  sc_core::sc_event due_event_;
};

}  // namespace sunstar::network
