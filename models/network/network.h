// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "models/core/param.h"
#include "models/core/quantity.h"
#include "models/core/statistics.h"
#include "models/core/timetable.h"
#include "models/core/wave_file.h"
#include "models/network/cube.h"

namespace sunstar::network {

using namespace sunstar::literals;

/// The routers and links of a machine.
struct NetworkParams {
  std::string model = "worm";
  std::vector<std::uint32_t> shape = {6, 6};
  Duration router_delay = 20_ns;
  Bandwidth link_bandwidth = 200_MBps;
  Bytes router_buffer = 16_B;
  std::uint32_t input_fifo = 64;
  Duration timing_variation = 2_us;
};
BOOST_DESCRIBE_STRUCT(NetworkParams, (),
                      (model, shape, router_delay, link_bandwidth, router_buffer, input_fifo, timing_variation))

std::vector<std::string> network_models();

inline std::vector<Param> parameters(const NetworkParams*) {
  return {
      {"model", "how messages are simulated: worm reserves channels a message at a time", "", "", network_models()},
      {"shape", "routers in each dimension of the torus (TR94-226, Table 1: 6x6)", "1", "1024"},
      {"router_delay", "time the head of a message needs through one router (TR94-226, Table 1)", "1ps", "1ms"},
      {"link_bandwidth", "of each link in each direction (TR94-226, Table 1)", "1kB/s", "1TB/s"},
      {"router_buffer", "input buffer of a router port, which a blocked worm fills before it holds the channel behind it",
       "0B", "1MiB"},
      {"input_fifo", "requests that the input FIFO of an interface holds before its senders have to wait", "1", "65536"},
      {"timing_variation",
       "largest random delay of a message on its way out of the network, uniform from zero: breaks artificial symmetry",
       "0ns", "1ms"},
  };
}

/// The interface of every network model: one pair of sockets a router, to which the node there is bound.
///
/// A node hands over a message with nb_transport_fw(BEGIN_REQ) on `from_node`, at the annotated delay; the payload
/// carries a Route. The network keeps it until its tail has arrived and passes it on with nb_transport_fw(BEGIN_REQ) on
/// `to_node`. For requests the node answers END_REQ on the backward path, annotated with the time at which the
/// message will have left its input FIFO. Every payload holds one reference that the receiver releases.
class Network : public sc_core::sc_module {
 public:
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged<Network>> from_node;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged<Network>> to_node;

  /// Creates the model that `params.model` names. `seed` drives ties and the timing variation. Without a timetable shared
  /// with the nodes it has its own.
  static std::unique_ptr<Network> create(const sc_core::sc_module_name& name, const NetworkParams& params,
                                         std::uint64_t seed, Timetable* timetable = nullptr);

  virtual const Cube& cube() const = 0;
  virtual void add_statistics(StatisticSet&) = 0;
  /// Shows what the model has to show in a wave file, which must outlive the simulation. Before it starts.
  virtual void trace(WaveFile&) {}
  /// One line a message that waits in or before the network; for the report of a deadlock.
  virtual void describe_waiting(std::vector<std::string>&) const = 0;
  /// Messages under way or waiting.
  virtual std::uint64_t in_flight() const = 0;

  std::uint64_t messages() const { return messages_; }
  std::uint64_t message_bytes() const { return message_bytes_; }

 protected:
  Network(const sc_core::sc_module_name& name, std::uint32_t routers, Timetable* timetable);

  void end_of_elaboration() override;
  /// Passes a message on to the node at `router`.
  void deliver(std::uint32_t router, tlm::tlm_generic_payload& message) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    receivers_[router]->nb_transport_fw(message, phase, delay);
  }

  virtual tlm::tlm_sync_enum accept(int router, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time& delay) = 0;
  virtual tlm::tlm_sync_enum taken(int router, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time& delay) = 0;

  std::unique_ptr<Timetable> own_timetable_;
  Timetable& timetable_;
  std::uint64_t messages_ = 0;
  std::uint64_t message_bytes_ = 0;

 private:
  std::vector<tlm::tlm_fw_transport_if<>*> receivers_;  // to_node, looked up once
};

}  // namespace sunstar::network
