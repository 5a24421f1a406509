// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include "models/core/param.h"
#include "models/core/problems.h"
#include "models/core/quantity.h"
#include "models/core/random.h"
#include "models/core/statistics.h"
#include "models/kernel/timetable.h"
#include "models/kernel/wave_file.h"
#include "models/network/cube/cube.h"
#include "models/network/input_room.h"
#include "models/network/route.h"
#include "models/network/cube/router_params.h"

namespace sunstar::network {

/// The routers and links of a machine.
struct NetworkParams {
  std::string model = "worm";
  Topology topology = Topology::torus;
  std::vector<std::uint32_t> shape = {6, 6};
  Duration router_delay = 20_ns;
  Bandwidth link_bandwidth = 200_MBps;
  Bytes router_buffer = 16_B;
  std::uint32_t input_fifo = 64;
  Duration timing_variation = 2_us;
  RouterParams router;

  /// Time of a flit on a link.
  Duration flit_time() const { return link_bandwidth.time_for(router.flit_size.count); }
};
BOOST_DESCRIBE_STRUCT(NetworkParams, (),
                      (model, topology, shape, router_delay, link_bandwidth, router_buffer, input_fifo,
                       timing_variation, router))

std::vector<std::string> network_models();

inline std::vector<Param> parameters(const NetworkParams*) {
  return {
      {"model", "how messages are simulated: worm reserves channels a message at a time, flit moves every flit", "", "",
       network_models()},
      {"topology", "with or without wrap-around links"},
      {"shape", "routers in each dimension (TR94-226, Table 1: 6x6)", "1", "1024"},
      Param{"router_delay", "time the head of a message needs through one router (TR94-226, Table 1)", "1ps", "1ms"}
          .used_if("model", {"worm"}),
      {"link_bandwidth", "of each link in each direction (TR94-226, Table 1)", "1kB/s", "1TB/s"},
      Param{"router_buffer",
            "input buffer of a router port, which a blocked worm fills before it holds the channel behind it", "0B",
            "1MiB"}
          .used_if("model", {"worm"}),
      {"input_fifo", "requests that the input FIFO of an interface holds before its senders have to wait", "1",
       "65536"},
      {"timing_variation",
       "largest random delay of a message of a node, uniform from zero: breaks artificial symmetry; synthetic traffic "
       "has none",
       "0ns", "1ms"},
      {"router", "the routers"},
  };
}
/// Rules across members.
void check(const NetworkParams&, const std::string& path, Problems&);

/// What every network model is: one pair of sockets a router, to which the node there is bound, and the border of the
/// network behind them. How a message gets from one node to the other is the model's.
///
/// A node hands over a message with nb_transport_fw(BEGIN_REQ) on `from_node`, at the annotated delay; the payload
/// carries a Route. A request then waits for room in its receiver's input FIFO. The network keeps the message until its
/// tail has arrived and passes it on with nb_transport_fw(BEGIN_REQ) on `to_node`. For requests the node answers
/// END_REQ on the backward path, annotated with the time at which the message will have left its input FIFO. Every
/// payload holds one reference that the receiver releases.
class Network : public sc_core::sc_module {
 public:
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<Network>> from_node;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<Network>> to_node;

  /// Creates the model that `params.model` names. `seed` drives ties and the timing variation. Without a timetable
  /// shared with the nodes it has its own.
  static std::unique_ptr<Network> create(const sc_core::sc_module_name& name, const NetworkParams& params,
                                         std::uint64_t seed, Timetable* timetable = nullptr);

  const Cube& cube() const { return cube_; }
  virtual void add_statistics(StatisticSet&);
  /// Shows what the model has to show in a wave file, which must outlive the simulation. Before it starts. All show for
  /// each router
  /// "<name>.router7.held", requests to its node that wait for room in the input FIFO there.
  virtual void trace(WaveFile&);
  /// One line a message that waits in or before the network; for the report of a deadlock.
  virtual void describe_waiting(std::vector<std::string>&) const;
  /// Messages under way or waiting.
  virtual std::uint64_t in_flight() const { return due_.size() + waiting_count_; }
  /// How long a message over `hops` links takes that nobody stops.
  virtual Duration zero_load(std::uint32_t hops, std::uint64_t bytes) const = 0;
  /// Whether messages wait inside the network that will never move again.
  virtual bool deadlocked() const { return false; }
  /// Called when it comes to that.
  std::function<void()> when_deadlocked = [] {};
  /// Where the model has been used beyond what it is good for, a sentence each.
  virtual std::vector<std::string> warnings() const { return {}; }

  std::uint64_t messages() const { return messages_; }
  std::uint64_t message_bytes() const { return message_bytes_; }
  /// Share of the time since the statistics were reset for which bytes passed the channel.
  double utilisation(std::uint32_t channel) const;

 protected:
  /// With its route, so that this need not be looked up again.
  struct Message {
    tlm::tlm_generic_payload* payload = nullptr;
    Route* route = nullptr;
  };

  Network(const sc_core::sc_module_name& name, const NetworkParams& params, std::uint64_t seed, Timetable* timetable);

  void end_of_elaboration() override;
  /// The message leaves its node now, unless others of the node are before it.
  virtual void inject(Message) = 0;
  /// For which time bytes have passed the channel so far.
  virtual Duration busy(std::uint32_t channel) const = 0;
  /// Asked when the tail of the message should be there, until it is zero: what has held it up since it was said when
  /// that would be.
  virtual Duration late(const Message&) { return {}; }
  /// What call_at() asked for.
  virtual void called(std::uint32_t) {}
  void call_at(Time when, std::uint32_t argument) { push(when, Due::calls, {}, argument); }
  /// A message begins its way; once each.
  void count(const Message& message) {
    ++messages_;
    message_bytes_ += message.payload->get_data_length();
  }
  /// The tail of the message is there at `tail`, not before now.
  void arrives(Message message, Time tail);
  bool varies(const Message& message) const { return message.route->varies && timing_variation_ps_ != 0; }

  std::unique_ptr<Timetable> own_timetable_;
  Timetable& timetable_;
  RandomStream random_;
  WaveFile* waves_ = nullptr;

 private:
  struct Due {
    /// `message` arrives at `router` or enters the network now; there may be room in the input FIFO of `router`; the
    /// model asked to be called.
    enum What : std::uint32_t { arrives, enters, room, calls };
    Time when;
    std::uint64_t order;  // ties go by order of entry
    Message message;
    std::uint32_t router;
    What what;
    bool operator>(const Due& other) const { return when != other.when ? when > other.when : order > other.order; }
  };
  tlm::tlm_sync_enum accept(int router, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time& delay);
  tlm::tlm_sync_enum taken(int router, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time& delay);
  Duration variation() { return Duration{static_cast<std::int64_t>(random_.below(timing_variation_ps_))}; }
  void enter(Message);
  void push(Time when, Due::What what, Message message, std::uint32_t router);
  void ring();
  void deliver(std::uint32_t router, tlm::tlm_generic_payload& message) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    receivers_[router]->nb_transport_fw(message, phase, delay);
  }
  void admit_waiting(std::uint32_t router);
  void look_again(std::uint32_t router);
  void show_waiting(std::uint32_t router);

  struct Border : Timetable::Alarm {
    Border(Timetable& timetable, Network& n) : Alarm(timetable), network(n) {}
    void ring() override { network.ring(); }
    using Alarm::set;
    Network& network;
  };

  Border border_;
  Cube cube_;
  std::uint64_t timing_variation_ps_;
  // Which of several messages goes first is decided on the way out of the network for messages that are shorter than
  // the variation and on the way in for longer ones; a message varies there.
  double varies_on_arrival_;  // bytes
  std::vector<InputRoom> room_;
  std::vector<std::deque<Message>> waiting_;
  std::vector<char> looking_;
  std::uint64_t waiting_count_ = 0;
  std::uint64_t waited_ = 0;
  std::vector<Due> due_;  // a heap, earliest first
  std::uint64_t order_ = 0;
  std::uint64_t messages_ = 0, message_bytes_ = 0;
  std::vector<WaveFile::Signal> shown_held_;            // by router
  Time counted_from_{};                                 // by the utilisations
  std::vector<Duration> busy_before_;                   // by channel, until then
  std::vector<tlm::tlm_fw_transport_if<>*> receivers_;  // to_node, looked up once
};

}  // namespace sunstar::network
