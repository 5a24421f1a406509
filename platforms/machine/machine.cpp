// SPDX-License-Identifier: MIT
#include "platforms/machine/machine.h"

#include <algorithm>

#include "models/core/random.h"
#include "platforms/machine/expand.h"
#include "sw/io/disk_driver.h"

namespace sunstar::machine {

namespace {

/// A router without a node: nothing is ever sent from or to it.
class NoNode : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<NoNode> to_network;
  tlm_utils::passthrough_target_socket<NoNode> from_network;
  explicit NoNode(const sc_core::sc_module_name& name)
      : sc_module(name), to_network("to_network"), from_network("from_network") {}
};

disk::DriveStart start_of(const disk::DriveParams& params, const MachineParams& machine, std::uint64_t seed,
                          const char* name) {
  disk::DriveStart start = disk::random_start(params, seed, name);
  if (machine.first_cylinder == FirstCylinder::block_zero)
    start.cylinder = disk::Geometry(params).address(0).track.cylinder;
  if (machine.spindles == Spindles::synchronised) start.spindle_phase = RandomStream(seed, "spindles").uniform();
  return start;
}

}  // namespace

DiskBus::DiskBus(const sc_core::sc_module_name& name, const MachineParams& machine, const BusSpec& spec,
                 std::uint64_t seed, const Watchers& watchers)
    : sc_module(name), bus("bus", machine.bus, [&spec] {
        std::uint32_t n = 0;
        for (const DriveGroup& g : spec.drives) n += g.count;
        return n;
      }()) {
  for (const DriveGroup& group : spec.drives)
    for (std::uint32_t i = 0; i < group.count; ++i) {
      const disk::DriveParams& params = group.disk ? *group.disk : machine.disk;
      const std::string leaf = "disk" + std::to_string(disks.size());
      const std::string full = std::string(this->name()) + "." + leaf;
      disks.push_back(std::make_unique<scsi::Target>(
          leaf.c_str(), params, start_of(params, machine, seed, full.c_str()), machine.bus.disconnect_threshold));
    }
  if (watchers.any())
    monitor = std::make_unique<scsi::CommandMonitor>("monitor", static_cast<std::uint32_t>(disks.size()));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < disks.size(); ++i) {
    names.push_back(disks[i]->name());
    if (monitor) {
      bus.targets[i].bind(monitor->from_bus[i]);
      monitor->to_target[i].bind(disks[i]->socket);
    } else {
      bus.targets[i].bind(disks[i]->socket);
    }
    if (watchers.waves) disks[i]->trace(*watchers.waves);
  }
  if (watchers.waves) bus.trace(*watchers.waves);
  if (watchers.timeline) monitor->record(*watchers.timeline, this->name(), names);
}

void DiskBus::bind(scsi::Initiator& initiator) {
  if (monitor) {
    initiator.socket.bind(monitor->from_initiator);
    monitor->to_bus.bind(bus.initiator);
  } else {
    initiator.socket.bind(bus.initiator);
  }
}

Machine::Machine(const sc_core::sc_module_name& name, const MachineParams& params, std::uint64_t seed,
                 std::uint64_t memory_bytes, const Watchers& watchers)
    : sc_module(name), watchers_(watchers), timetable_("timetable") {
  Problems problems;
  const std::vector<NodeSpec> specs = expand(params, seed, "machine", problems);
  problems.throw_if_any();
  timetable_.run_ahead();
  network_ = network::Network::create("network", params.network, seed, &timetable_);
  const network::Cube& cube = network_->cube();
  if (watchers.any()) message_monitor_ = std::make_unique<network::MessageMonitor>("message_monitor", cube.routers());
  for (const NodeSpec& spec : specs) router_of_.push_back(cube.router_at(spec.place));

  std::vector<std::vector<std::vector<scsi::Target*>>> disks_of_io;  // by I/O processor and bus
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const NodeSpec& spec = specs[i];
    const char* kind = spec.role == Role::compute ? "cp" : spec.role == Role::io ? "iop" : "node";
    const std::size_t number = spec.role == Role::compute ? compute_.size() : spec.role == Role::io ? io_.size() : i;
    const std::string node_name = kind + std::to_string(number);
    node::Node::Setup setup;
    setup.id = static_cast<hal::NodeId>(i);
    setup.params = params.node;
    setup.memory_bytes = memory_bytes;
    setup.bus = params.bus;
    setup.seed = seed;
    setup.router_of = &router_of_;
    setup.timetable = &timetable_;
    setup.monitored = watchers.any();
    setup.sector_bytes = static_cast<std::uint32_t>(params.disk.sector_size.count);
    for (const BusSpec& bus : spec.buses) {
      std::uint32_t targets = 0;
      for (const DriveGroup& g : bus.drives) {
        targets += g.count;
        if (g.disk) setup.sector_bytes = static_cast<std::uint32_t>(g.disk->sector_size.count);
      }
      setup.targets.push_back(targets);
    }
    nodes_.push_back(std::make_unique<node::Node>(node_name.c_str(), setup));
    node::Node& node = *nodes_.back();
    bind(node.network_interface, router_of_[i]);
    if (message_monitor_) message_monitor_->set_name(router_of_[i], node.network_interface.name());
    if (watchers.waves) node.trace(*watchers.waves);
    executives_.push_back(std::make_unique<os::Os>(node, params.costs));
    if (spec.role != Role::io) compute_.push_back(executives_.back().get());
    if (spec.role == Role::compute) continue;
    io_.push_back(executives_.back().get());
    io_nodes_.push_back(&node);
    disks_of_io.emplace_back();
    for (std::size_t b = 0; b < spec.buses.size(); ++b) {
      const std::string bus_name = node_name + "_scsi" + std::to_string(b);
      buses_.push_back(std::make_unique<DiskBus>(bus_name.c_str(), params, spec.buses[b], seed, watchers));
      DiskBus& bus = *buses_.back();
      bus.bind(node.host_adapters[b]->initiator);
      disks_of_io.back().emplace_back();
      for (std::uint32_t t = 0; t < bus.disks.size(); ++t) {
        node.add_block_device(node.host_adapters[b]->device(t, bus.disks[t]->sectors()));
        disks_of_io.back().back().push_back(bus.disks[t].get());
      }
    }
  }
  // The stripe goes round the I/O processors; each gives its drives bus after bus.
  std::vector<std::vector<std::pair<scsi::Target*, std::uint32_t>>> in_turn(disks_of_io.size());
  std::size_t longest = 0;
  for (std::size_t io = 0; io < disks_of_io.size(); ++io) {
    std::uint32_t device = 0;
    for (auto& of_bus : disks_of_io[io])
      for (auto* target : of_bus) in_turn[io].push_back({target, device++});
    longest = std::max(longest, in_turn[io].size());
  }
  for (std::size_t n = 0; n < longest; ++n)
    for (std::size_t io = 0; io < in_turn.size(); ++io)
      if (n < in_turn[io].size()) {
        disks_.push_back(in_turn[io][n].first);
        places_.push_back({static_cast<std::uint32_t>(io), in_turn[io][n].second});
      }
  for (std::uint32_t r = 0; r < cube.routers(); ++r) {
    if (std::ranges::find(router_of_, r) != router_of_.end()) continue;
    auto nobody = std::make_unique<NoNode>(("no_node" + std::to_string(r)).c_str());
    bind(*nobody, r);
    idle_.push_back(std::move(nobody));
  }
  if (watchers.waves) {
    network_->trace(*watchers.waves);
    message_monitor_->trace(*watchers.waves);
  }
  if (watchers.timeline) message_monitor_->record(*watchers.timeline);
}

template <class Interface>
void Machine::bind(Interface& interface, std::uint32_t router) {
  if (message_monitor_) {
    interface.to_network.bind(message_monitor_->from_node[router]);
    message_monitor_->to_network[router].bind(network_->from_node[router]);
    network_->to_node[router].bind(message_monitor_->from_network[router]);
    message_monitor_->to_node[router].bind(interface.from_network);
  } else {
    interface.to_network.bind(network_->from_node[router]);
    network_->to_node[router].bind(interface.from_network);
  }
}

Machine::~Machine() = default;

void Machine::describe(file_systems::System& system) {
  system.compute = compute_;
  system.io = io_;
  system.disks = places_;
  system.sector_bytes = disks_.front()->sector_size();
}

Time Machine::on_medium() const {
  Time last{};
  for (const auto& node : nodes_)
    for (const auto& adapter : node->host_adapters) last = std::max(last, adapter->on_medium());
  return last;
}

void Machine::add_statistics(StatisticSet& set) {
  for (auto& node : nodes_) node->add_statistics(set);
  for (auto& bus : buses_) {
    bus->bus.register_statistics(set);
    for (auto& disk : bus->disks) disk->register_statistics(set);
  }
  network_->add_statistics(set);
}

std::vector<std::string> Machine::waiting() const {
  std::vector<std::string> lines;
  for (const auto& os : executives_) os->describe_waiting(lines);
  network_->describe_waiting(lines);
  return lines;
}

void Machine::watch(const file_systems::FileSystem& file_system) {
  if (!watchers_.waves) return;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const os::Os& os = *executives_[i];
    nodes_[i]->trace(nodes_[i]->name() + ".ready_threads", [&os] { return os.ready_threads(); });
  }
  for (std::size_t d = 0; d < disks_.size(); ++d) {
    const io::DiskPlace place = places_[d];
    io_nodes_[place.io_processor]->trace(std::string(disks_[d]->name()) + ".queue", [&file_system, place] {
      const io::DiskDriver* driver = file_system.driver(place);
      return driver ? driver->queued() : 0;
    });
  }
}

std::vector<Machine::Comparison> Machine::compare_monitors() const {
  if (!watchers_.any()) return {};
  const auto& m = *message_monitor_;
  std::vector<Comparison> all{{"messages sent", m.sent(), network_->messages()},
                              {"messages arrived", m.arrived(), network_->messages()},
                              {"message bytes sent", m.sent_bytes(), network_->message_bytes()},
                              {"message bytes arrived", m.arrived_bytes(), network_->message_bytes()}};
  for (const auto& node : nodes_)
    for (std::uint32_t master = 0; master < node->bus.from_master.size(); ++master)
      all.push_back({std::string(node->bus.name()) + ": bytes of master " + std::to_string(master),
                     node->monitored_bytes(master), node->bus.bytes(master)});
  for (const auto& bus : buses_) {
    all.push_back({std::string(bus->bus.name()) + ": bytes", bus->monitor->data_bytes(), bus->bus.data_bytes()});
  }
  return all;
}

}  // namespace sunstar::machine
