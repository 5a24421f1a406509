// SPDX-License-Identifier: MIT
#pragma once
#include <boost/json.hpp>
#include <deque>
#include <map>

#include "models/core/statistics.h"
#include "models/network/message_monitor.h"
#include "platforms/machine/assembly/drive_bus.h"
#include "platforms/machine/assembly/faults.h"
#include "platforms/machine/assembly/firmware_probe.h"
#include "sw/io/nodes.h"

namespace sunstar::machine {

/// A machine built from its blueprint: nodes on a fabric, buses and drives on the nodes that do I/O, an executive on
/// every node. The file system and the workload that run on it (run.h) determine what it does.
class Machine : public sc_core::sc_module {
 public:
  /// A node's memory, for buffers, in bytes.
  using MemoryOf = std::function<std::uint64_t(const NodeSpec&)>;

  /// With a probe, monitors sit on the sockets.
  Machine(const sc_core::sc_module_name& name, const Blueprint& blueprint, std::uint64_t seed, const MemoryOf& memory,
          const Probe& probe = {});
  ~Machine() override;

  /// Gives drives, buses and the network their faults. From now on all waits have limits.
  void add_faults(const std::vector<Fault>& faults, const Blueprint& blueprint, std::uint64_t seed);
  /// Lets a node's fault begin at its time; call it when the simulation starts. `when_stopped` is called with the
  /// number of a node that loses its power.
  void schedule_node_faults(std::function<void(std::uint32_t)> when_stopped);
  std::uint64_t given_up() const;
  bool stopped() const { return stopped_; }
  /// How often faults have struck so far, by effect.
  const std::map<std::string, std::uint64_t>& struck() const { return struck_; }
  /// Applies the losses of power so far to the media.
  void settle_faults();
  io::DiskDriver::Troubles troubles() const;

  /// Starts the drivers of the disks, and the store; from then on nodes() is what a file system sees.
  void start_drivers(io::Store& store, const std::string& queue_order, const io::DriverParams& params);
  /// Shows firmware's counters in the wave file if their names begin with a node's; they must outlive the simulation.
  void show(const StatisticSet& counters);
  /// Puts a process on each of these compute processors. nodes().compute and compute() count processes from then on.
  void place_processes(const std::vector<std::uint32_t>& compute_processors);
  io::Nodes& nodes() { return seen_; }
  messages::Protocol& protocol() { return protocol_; }
  /// The run is over: daemons that sleep are not woken again, and no node fails any more. Drives write their buffers to
  /// their media.
  void retire();
  os::Os& compute(std::uint32_t processor) { return seen_.compute[processor]->os; }

  /// The drives in the order of the stripe: it goes round the I/O processors, and takes each one's drives bus after
  /// bus.
  std::vector<io::Drive> drives();
  network::Fabric& fabric() { return *fabric_; }
  /// Bytes of lists of pieces in all messages so far: they describe the data and are none themselves.
  std::uint64_t list_bytes() const;
  /// Messages that interfaces have passed on with a wrong byte.
  std::uint64_t passed_spoilt() const;
  /// Bytes of its memory that a node has taken so far.
  std::uint64_t memory_taken(hal::NodeId node) const { return nodes_[node]->ram.allocated(); }
  /// When the last byte written so far is on a medium.
  Time on_medium() const;
  void add_statistics(StatisticSet&);
  /// See blueprint.h.
  boost::json::object structure(const Blueprint& blueprint, std::string_view fabric) const;
  /// The waiting threads and what they wait for, one line each.
  std::vector<std::string> waiting() const;

  /// The counts of the monitors on the sockets, beside those of the models; empty without files.
  struct Comparison {
    std::string what;
    std::uint64_t monitored, reported;
  };
  std::vector<Comparison> compare_monitors() const;

 private:
  void add_node(const Blueprint& blueprint, std::size_t i, std::uint64_t seed, const MemoryOf& memory);
  void add_buses(const Blueprint& blueprint, const NodeSpec& spec, node::Node& node, std::uint64_t seed);
  void stripe_over_disks();
  io::DiskDriver& driver(const io::Place& drive) { return seen_.io[drive.io_processor].drivers[drive.unit]; }
  void report();

  Probe probe_;
  Timetable timetable_;   // of the fabric and all processors
  PayloadPool payloads_;  // of all messages
  os::Common common_;
  messages::Protocol protocol_;
  std::vector<std::uint32_t> port_of_;
  std::unique_ptr<network::Fabric> fabric_;
  std::unique_ptr<network::MessageMonitor> message_monitor_;
  std::vector<std::unique_ptr<node::Node>> nodes_;
  disk::DriveTypes drive_types_;
  std::vector<std::unique_ptr<DriveBus>> buses_;
  std::vector<std::unique_ptr<os::Os>> executives_;
  // The former executives of nodes that were started again: others refer to them.
  std::vector<std::unique_ptr<os::Os>> earlier_executives_;
  struct NodeFault {
    std::uint32_t node;
    faults::Strikes strikes;
    node::FaultEffects effect;
    std::function<void(Time)> when_struck;
    bool over = false;  // only a pause strikes again: programs of a stopped node do not come back
  };
  void set_fault_clock();
  void strike_nodes();
  void strike(NodeFault& fault);
  void stop(std::uint32_t node);
  void start_again(std::uint32_t node);
  void stop_itself(std::uint32_t node, std::string_view why);
  void look_at_port(std::uint32_t node, std::uint32_t times_down, std::uint32_t looks);
  std::deque<NodeFault> node_faults_;
  std::optional<Timetable::Call<Machine, &Machine::strike_nodes>> fault_clock_;  // no node's: it runs while they pause
  std::function<void(std::uint32_t)> when_stopped_;
  bool stopped_ = false, ports_go_down_ = false;
  std::vector<std::unique_ptr<FirmwareProbe>> firmware_probes_;  // by node; only if there is a probe
  std::vector<std::unique_ptr<messages::Endpoint>> endpoints_, later_endpoints_;
  io::Nodes seen_;
  struct IoNode {
    node::Node* node;
    messages::Endpoint* endpoint;
    std::vector<disk::StorageDevice*> disks;  // bus after bus
  };
  std::vector<IoNode> io_;
  std::map<std::string, std::uint64_t> struck_;
  std::vector<io::Place> places_;
  std::vector<disk::StorageDevice*> disks_;
};

}  // namespace sunstar::machine
