// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <cassert>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/core/fifo.h"
#include "models/core/quantity.h"
#include "models/core/random.h"
#include "models/core/statistics.h"
#include "models/kernel/busy_share.h"
#include "models/kernel/probe.h"
#include "models/kernel/timetable.h"
#include "models/network/input_room.h"
#include "models/network/route.h"

namespace sunstar::network {

/// The parameters that every fabric has.
struct FabricParams {
  std::uint32_t ports = 1;
  std::uint32_t input_fifo = 64;    ///< requests that the input FIFO behind a port holds before their senders must wait
  Duration timing_variation{};      ///< largest random delay of a message, uniform from zero
  Bandwidth port_bandwidth{200e6};  ///< of every link; decides where the random delay is added, see Fabric
  std::uint32_t channels = 0;       ///< whose use the fabric counts, see busy()
};

/// A fabric connects nodes: it has a pair of sockets for each port at which there is a node. Derived classes decide how
/// a message gets from one port to another: they implement inject() and call arrives(). This class does what all
/// fabrics share at the border: bounded input FIFOs, the timing variation, delivery in order of time, and the counts.
///
/// A node hands over a message with nb_transport_fw(BEGIN_REQ) on `from_node`, after the annotated delay; the payload
/// carries a Route. A request then waits for room in its receiver's input FIFO. The fabric keeps the message until its
/// tail has arrived and passes it on with nb_transport_fw(BEGIN_REQ) on `to_node`. For requests the node answers
/// END_REQ on the backward path, annotated with the time at which the message will have left its input FIFO. Every
/// payload holds one reference that the receiver releases.
///
/// A message that takes no more time at `port_bandwidth` than the timing variation gets its random delay on its way out
/// of the fabric, a longer one on its way in. These are the places where the order of competing messages is decided.
class Fabric : public sc_core::sc_module {
 public:
  using FromNode = tlm_utils::passthrough_target_socket<Fabric>;
  using ToNode = tlm_utils::simple_initiator_socket_tagged<Fabric>;

  /// The sockets of a port. A port has them once somebody has asked for them, which must be before elaboration ends,
  /// and then both must be bound. No message may go to a port without sockets.
  FromNode& from_node(std::uint32_t port) { return sockets(port).from_node; }
  ToNode& to_node(std::uint32_t port) { return sockets(port).to_node; }

  std::uint32_t ports() const { return static_cast<std::uint32_t>(room_.size()); }
  /// The name of a port: "port7", or "router7" if each port belongs to a router.
  std::string port_name(std::uint32_t port) const { return port_noun() + std::to_string(port); }

  /// Adds the counts of messages, of their bytes and of the requests held back. Derived classes add their own
  /// statistics.
  virtual void add_statistics(StatisticSet&);
  /// Call it before the simulation starts.
  void probe(const Probe& probe) {
    if (probe.waves) show(*probe.waves);
  }
  /// Adds a line for each message that waits in or before the fabric, for the report of a deadlock.
  virtual void describe_waiting(std::vector<std::string>&) const;
  /// Messages under way or waiting.
  virtual std::uint64_t in_flight() const { return due_.size() + waiting_count_; }
  /// How long a message of `bytes` bytes takes from port to port if nothing is in its way.
  virtual Duration zero_load(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const = 0;
  /// The same for a message that has arrived.
  virtual Duration zero_load_of(const Route& route) const { return zero_load(route.from, route.to, route.bytes); }
  /// Whether messages wait inside the fabric that will never move again.
  virtual bool deadlocked() const { return false; }
  /// Called when that happens.
  std::function<void()> when_deadlocked = [] {};
  /// One sentence for each way in which the run went beyond what the model is good for.
  virtual std::vector<std::string> warnings() const { return {}; }

  /// A link inside the fabric, in one direction. Links that share a medium share its name and its channel.
  struct Link {
    std::string name;      ///< below the fabric's own, as in statistics: "router7.up0"
    std::string from, to;  ///< names of ports, or of what is between them: "switch"
    std::uint32_t channel;
  };
  virtual std::vector<Link> links() const { return {}; }
  Bandwidth link_bandwidth() const { return link_bandwidth_; }
  /// How the links connect the ports: "torus", "mesh", "switch" or "hub"; "direct" without links.
  virtual std::string topology() const { return "direct"; }
  /// Share of the time since the statistics were reset for which bytes passed the channel.
  double utilisation(std::uint32_t channel) const;

  std::uint64_t messages() const { return messages_; }
  std::uint64_t message_bytes() const { return message_bytes_; }

 protected:
  /// A message together with its route, so that nobody needs to look the route up again.
  struct Message {
    tlm::tlm_generic_payload* payload = nullptr;
    Route* route = nullptr;
  };

  /// `seed` drives the timing variation and random_. A fabric that shares no timetable with its nodes creates its own.
  Fabric(const sc_core::sc_module_name& name, const FabricParams& params, std::uint64_t seed, Timetable* timetable);

  void end_of_elaboration() override;
  virtual std::string port_noun() const { return "port"; }
  /// Creates the fabric's signals, and shows them from then on. Every fabric has for each port "<name>.port7.held":
  /// requests to its node that wait for room in the input FIFO there.
  virtual void show(WaveFile&);
  /// The time for which bytes have passed the channel so far.
  virtual Duration busy(std::uint32_t) const { return {}; }
  /// Adds the channel's utilisation as the statistic `name` below the fabric's own.
  void add_utilisation(StatisticSet&, const std::string& name, const std::string& what, std::uint32_t channel);
  /// The message leaves its node now, unless others of that node are ahead of it. The derived class fills in `hops` and
  /// `entered` of the route, calls count() once, and calls arrives() once it knows when the tail will arrive.
  virtual void inject(Message) = 0;
  /// How much later the tail arrives than was last announced, to arrives() or by this call. The fabric asks at the
  /// announced time, and again after each delay in the answer, until the answer is zero.
  virtual Duration late(const Message&) { return {}; }
  /// The call that call_at() asked for.
  virtual void called(std::uint32_t) {}
  void call_at(Time when, std::uint32_t argument) { push(when, Due::calls, {}, argument); }
  /// Counts a message that enters the fabric. Call it once for each.
  void count(const Message& message) {
    ++messages_;
    message_bytes_ += message.payload->get_data_length();
  }
  /// The tail of the message arrives at its port at `tail`, not before now.
  void arrives(Message message, Time tail);

  std::unique_ptr<Timetable> own_timetable_;
  Timetable& timetable_;
  RandomStream random_;
  WaveFile* waves_ = nullptr;

 private:
  struct Due {
    /// arrives: `message` reaches port `where`. enters: `message` enters the fabric. room: there may be room in the
    /// input FIFO of port `where`. calls: the model asked to be called with `where`.
    enum What : std::uint32_t { arrives, enters, room, calls };
    Time when;
    std::uint64_t order;  // ties go by order of entry
    Message message;
    std::uint32_t where;
    What what;
    bool operator>(const Due& other) const { return when != other.when ? when > other.when : order > other.order; }
  };
  struct Sockets {
    FromNode from_node;
    ToNode to_node;
    explicit Sockets(const std::string& port)
        : from_node(("from_node_" + port).c_str()), to_node(("to_node_" + port).c_str()) {}
  };
  Sockets& sockets(std::uint32_t port);
  tlm::tlm_sync_enum accept(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time& delay);
  tlm::tlm_sync_enum taken(int port, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time& delay);
  bool varies(const Message& message) const { return message.route->varies && timing_variation_ps_ != 0; }
  Duration variation() { return Duration{static_cast<std::int64_t>(random_.below(timing_variation_ps_))}; }
  void enter(Message);
  void push(Time when, Due::What what, Message message, std::uint32_t where);
  void ring();
  void deliver(std::uint32_t port, tlm::tlm_generic_payload& message) {
    assert(receivers_[port]);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    receivers_[port]->nb_transport_fw(message, phase, delay);
  }
  void admit_waiting(std::uint32_t port);
  void look_again(std::uint32_t port);
  void show_waiting(std::uint32_t port);

  struct Border final : Timetable::Alarm {
    Border(Timetable& timetable, Fabric& f) : Alarm(timetable), fabric(f) {}
    void ring() override { fabric.ring(); }
    using Alarm::set;
    Fabric& fabric;
  };

  Border border_;
  Bandwidth link_bandwidth_;
  std::uint64_t timing_variation_ps_;
  double varies_on_arrival_;  // messages of at most this many bytes are delayed on their way out
  std::vector<InputRoom> room_;
  std::vector<Fifo<Message>> waiting_;
  std::vector<char> looking_;
  bool accepting_ = false;
  std::uint64_t waiting_count_ = 0;
  std::uint64_t waited_ = 0;
  std::vector<Due> due_;  // a heap, earliest first
  std::uint64_t order_ = 0;
  std::uint64_t messages_ = 0, message_bytes_ = 0;
  std::vector<BusyShare> shares_;                       // by channel
  std::vector<WaveFile::Signal> shown_held_;            // by port
  std::vector<std::unique_ptr<Sockets>> sockets_;       // by port
  std::vector<tlm::tlm_fw_transport_if<>*> receivers_;  // by port: to_node, looked up once
};

}  // namespace sunstar::network
