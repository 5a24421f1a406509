// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <algorithm>

#include "models/kernel/busy_share.h"
#include "models/kernel/probe.h"
#include "models/kernel/timetable.h"
#include "models/network/input_room.h"
#include "models/network/network_faults.h"
#include "models/network/route.h"

namespace sunstar::network {

/// The parameters that every fabric has.
struct FabricParams {
  std::uint32_t ports = 1;
  std::uint32_t input_fifo = 64;    ///< requests that the input FIFO behind a port holds before their senders must wait
  Duration timing_variation{};      ///< largest random delay of a message, uniform from zero
  Bandwidth port_bandwidth{200e6};  ///< bandwidth of every link; decides where the random delay is added, see Fabric
  std::uint32_t channels = 0;       ///< channels whose use the fabric counts, see busy()
  std::uint32_t ports_per_router = 0;  ///< Places::ports_per_router
};

/// A fabric connects nodes: it has a pair of sockets for each port that has a node. Derived classes decide how a
/// message gets from one port to another: they implement inject() and call arrives(). This class has the tasks that all
/// fabrics share at the border: bounded input FIFOs, the timing variation, delivery in order of time, and the counts.
///
/// A node hands over a message with nb_transport_fw(BEGIN_REQ) on `from_node`, after the annotated delay; the payload
/// carries a Route. A request then waits for room in its receiver's input FIFO. The fabric keeps the message until its
/// tail has arrived and passes it on with nb_transport_fw(BEGIN_REQ) on `to_node`. For requests the node answers
/// END_REQ on the backward path, annotated with the time at which the message will have left its input FIFO. Every
/// payload holds one reference that the receiver releases.
///
/// With faults (docs/faults.md), messages vanish on entry, or on arrival after occupying the network all the way. A
/// dropped request gives its place in the input FIFO back.
///
/// A message that takes at most the timing variation at `port_bandwidth` gets its random delay on its way out of the
/// fabric, a longer message on its way in. These are the places where the order of competing messages is decided.
class Fabric : public sc_core::sc_module {
 public:
  using FromNode = tlm_utils::passthrough_target_socket<Fabric>;
  using ToNode = tlm_utils::simple_initiator_socket_tagged<Fabric>;

  /// The sockets of a port. The first call, which must come before elaboration ends, creates them; then both must be
  /// bound. No message may go to a port without sockets.
  FromNode& from_node(std::uint32_t port) { return sockets(port).from_node; }
  ToNode& to_node(std::uint32_t port) { return sockets(port).to_node; }

  std::uint32_t ports() const { return static_cast<std::uint32_t>(room_.size()); }
  /// The name of a port: "port7", or "router7" if each port belongs to a router.
  std::string port_name(std::uint32_t port) const { return port_noun() + std::to_string(port); }

  /// Adds the counts of messages, of their bytes and of the requests held back. Derived classes add their own
  /// statistics.
  virtual void add_statistics(StatisticSet&);
  /// To be called before the simulation starts.
  void probe(const Probe& probe) {
    if (probe.waves) show(*probe.waves);
  }
  /// Adds a line for each message that waits in or before the fabric, for the report of a deadlock.
  virtual void describe_waiting(std::vector<std::string>&) const;
  /// Messages in flight or waiting.
  virtual std::uint64_t in_flight() const;
  /// The unloaded latency of a message of `bytes` bytes from port to port.
  virtual Duration zero_load(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const = 0;
  /// The same for a message that has arrived.
  virtual Duration zero_load_of(const Route& route) const { return zero_load(route.from, route.to, route.bytes); }
  /// Whether messages wait inside the fabric that will never move again.
  virtual bool deadlocked() const { return false; }
  std::function<void()> when_deadlocked = [] {};
  /// A sentence for each way in which the run went beyond the model's validity.
  virtual std::vector<std::string> warnings() const { return {}; }

  /// A link inside the fabric, in one direction. Links that share a medium share its name and its channel.
  struct Link {
    std::string name;      ///< below the fabric's name, as in statistics: "router7.up0"
    std::string from, to;  ///< names of ports, or of parts between them: "switch"
    std::uint32_t channel;
  };
  virtual std::vector<Link> links() const { return {}; }
  Bandwidth link_bandwidth() const { return link_bandwidth_; }
  /// How the links connect the ports: "torus", "mesh", "dragonfly", "switch" or "hub"; "direct" without links.
  virtual std::string topology() const { return "direct"; }
  /// Share of the time, since the statistics were reset, for which bytes passed the channel.
  double utilisation(std::uint32_t channel) const;

  /// Adds a fault at a port, or at a link by its channel. A link or router may go down only if detours are safe.
  void add_fault_at_port(std::uint32_t port, const FaultEffects& effect, faults::Strikes strikes) {
    faults().add_at_port(port, effect, std::move(strikes));
  }
  /// Adds router-down, at a router of Places::ports_per_router.
  void add_fault_at_router(std::uint32_t router, const FaultEffects& effect, faults::Strikes strikes) {
    faults().add_at_router(router, effect, std::move(strikes));
  }
  void add_fault_at_link(std::uint32_t channel, const FaultEffects& effect, faults::Strikes strikes) {
    faults().add_at_link(channel, effect, std::move(strikes));
  }
  /// Why messages that go round a link could wait for one another for ever, and what to set; empty: they cannot.
  virtual std::string unsafe_detours() const { return {}; }
  /// The node at the port has stopped, or is up again, and its input FIFO is empty: earlier messages neither leave it
  /// nor reach it any more. May be called at any time.
  void take_down(std::uint32_t port);
  void bring_up(std::uint32_t port) { faults().bring_up(port); }
  bool cut_off(std::uint32_t port) { return faults_ && faults_->port_down(port, now()); }
  enum class Loss : std::uint8_t {
    no_way,   ///< the message did not enter
    lost,     ///< the message did not arrive
    refused,  ///< the message arrived spoilt
  };
  /// Called for each message that vanishes, before its payload is released.
  std::function<void(const Route&, Loss)> when_dropped = [](const Route&, Loss) {};
  /// Called for each message that now arrives for the second time.
  std::function<void(const Route&)> when_duplicated = [](const Route&) {};
  struct Count {
    std::uint64_t messages = 0, bytes = 0;
  };
  Count dropped(Loss why) const { return dropped_[static_cast<std::size_t>(why)]; }
  Count duplicated() const { return duplicated_; }

  std::uint64_t messages() const { return messages_; }
  std::uint64_t message_bytes() const { return message_bytes_; }

 protected:
  /// A message together with its route, to save looking the route up again.
  struct Message {
    tlm::tlm_generic_payload* payload = nullptr;
    Route* route = nullptr;
  };

  /// `seed` drives the timing variation and random_. A fabric that shares no timetable with its nodes creates its own.
  Fabric(const sc_core::sc_module_name& name, const FabricParams& params, std::uint64_t seed, Timetable* timetable);

  void end_of_elaboration() override;
  virtual std::string port_noun() const { return "port"; }
  /// Creates the fabric's signals, and shows them from then on. Every fabric has for each port "<name>.port7.held":
  /// requests that wait for room in the input FIFO of its node.
  virtual void show(WaveFile&);
  /// The time for which bytes have passed the channel so far.
  virtual Duration busy(std::uint32_t) const { return {}; }
  /// Adds the channel's utilisation as the statistic `name` below the fabric's own.
  void add_utilisation(StatisticSet&, const std::string& name, const std::string& what, std::uint32_t channel);
  /// The message leaves its node now, unless other messages of that node are ahead of it. The derived class asks
  /// sets_out() where it decides the way, fills in `hops` and `entered` of the route, calls count() once, and calls
  /// arrives() once it knows when the tail will arrive.
  virtual void inject(Message) = 0;
  /// Decides the way and the fate of a message that is about to leave its node. Returns whether it leaves; otherwise a
  /// fault has taken it, or delays it and injects it again.
  bool sets_out(Message message) { return !faults_ || sets_out_with_faults(message); }
  /// The tail's delay against the time last announced, to arrives() or by this call. The fabric asks at the announced
  /// time, and again after each delay in the answer, until the answer is zero.
  virtual Duration late(const Message&) { return {}; }
  /// Decides the way of a message that is about to leave, round links that are down; only with faults. While no link is
  /// down, the way and the random numbers drawn are those of a fabric without faults.
  virtual void choose_way(Route&) {}
  /// Adds the channels of the links that the route crosses, as numbered by links().
  virtual void add_links(const Route&, std::vector<std::uint32_t>&) const {}
  virtual bool link_down(std::uint32_t channel) { return faults().link_down(channel, now()); }
  /// Whether one of these links is down.
  bool broken(const Route&);
  /// Whether the message never leaves its node.
  virtual bool stays(const Route&) const { return false; }
  bool has_faults() const { return faults_ != nullptr; }
  NetworkFaults& faults() {
    if (!faults_) faults_ = std::make_unique<NetworkFaults>(ports(), ports_per_router_);
    return *faults_;
  }
  /// The call that call_at() asked for.
  virtual void called(std::uint32_t) {}
  void call_at(Time when, std::uint32_t argument) { push(std::max(when, now()), Due::calls, {}, argument); }
  /// Counts a message that enters the fabric; to be called once for each.
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
  friend class WormTraffic;
  struct Due {
    /// arrives: `message` reaches port `where`; again: for the second time. enters: `message` enters the fabric;
    /// delayed: it has room already. room: there may be room in the input FIFO of port `where`. calls: the model asked
    /// to be called with `where`.
    enum What : std::uint32_t { arrives, enters, room, calls, again, delayed };
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
  void leave(Message message) {
    if (faults_) [[unlikely]]
      message.route->fate.to_life = faults_->life(message.route->to);
    inject(message);
  }
  void push(Time when, Due::What what, Message message, std::uint32_t where);
  void ring();
  tlm::tlm_sync_enum pass_on(std::uint32_t port, tlm::tlm_generic_payload& message) {
    assert(receivers_[port]);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    return receivers_[port]->nb_transport_fw(message, phase, delay);
  }
  void deliver(std::uint32_t port, const Message& message) {
    if (faults_) [[unlikely]]
      deliver_with_faults(message);
    else pass_on(port, *message.payload);
  }
  // network_faults.cpp
  bool sets_out_with_faults(Message);
  void deliver_with_faults(Message);
  void deliver_again(Message);
  bool arrives_well(const Route&);
  void drop(Message, Loss);
  void admit_waiting(std::uint32_t port);
  void look_again(std::uint32_t port);
  void show_waiting(std::uint32_t port);

  Timetable::Call<Fabric, &Fabric::ring> border_;
  Bandwidth link_bandwidth_;
  std::uint32_t ports_per_router_;
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
  std::unique_ptr<NetworkFaults> faults_;               // null: nothing can go wrong
  std::vector<std::uint32_t> links_;                    // of the message being looked at
  std::array<Count, 3> dropped_{};                      // by Loss
  Count duplicated_;
};

}  // namespace sunstar::network
