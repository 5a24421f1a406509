// SPDX-License-Identifier: MIT
#include "platforms/torus/machine.h"

#include <algorithm>

#include "models/core/random.h"
#include "platforms/torus/expand.h"

namespace sunstar::torus {

namespace {

/// A router without a node: nothing is ever sent from or to it.
class NoNode : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<NoNode> to_network;
  tlm_utils::passthrough_target_socket<NoNode> from_network;
  explicit NoNode(const sc_core::sc_module_name& name) : sc_module(name), to_network("to_network"), from_network("from_network") {}
};

disk::DriveStart start_of(const disk::DriveParams& params, const MachineParams& machine, std::uint64_t seed, const char* name) {
  disk::DriveStart start = disk::random_start(params, seed, name);
  if (machine.first_cylinder == FirstCylinder::block_zero) start.cylinder = disk::Geometry(params).address(0).track.cylinder;
  if (machine.spindles == Spindles::synchronised) start.spindle_phase = RandomStream(seed, "spindles").uniform();
  return start;
}

}  // namespace

DiskBus::DiskBus(const sc_core::sc_module_name& name, const MachineParams& machine, const BusSpec& spec, std::uint64_t seed)
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
      disks.push_back(std::make_unique<scsi::Target>(leaf.c_str(), params, start_of(params, machine, seed, full.c_str()),
                                                     machine.bus.disconnect_threshold));
      bus.targets[disks.size() - 1].bind(disks.back()->socket);
    }
}

Machine::Machine(const sc_core::sc_module_name& name, const MachineParams& params, std::uint64_t seed, std::uint64_t memory_bytes)
    : sc_module(name), timetable_("timetable") {
  Problems problems;
  const std::vector<NodeSpec> specs = expand(params, seed, "machine", problems);
  problems.throw_if_any();
  network_ = network::Network::create("network", params.network, seed, &timetable_);
  const network::Torus& torus = network_->torus();
  for (const NodeSpec& spec : specs) router_of_.push_back(torus.router_at(spec.place));

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
    node.network_interface.to_network.bind(network_->from_node[router_of_[i]]);
    network_->to_node[router_of_[i]].bind(node.network_interface.from_network);
    executives_.push_back(std::make_unique<os::Os>(node, params.costs));
    if (spec.role != Role::io) compute_.push_back(executives_.back().get());
    if (spec.role == Role::compute) continue;
    io_.push_back(executives_.back().get());
    disks_of_io.emplace_back();
    for (std::size_t b = 0; b < spec.buses.size(); ++b) {
      const std::string bus_name = node_name + "_scsi" + std::to_string(b);
      buses_.push_back(std::make_unique<DiskBus>(bus_name.c_str(), params, spec.buses[b], seed));
      DiskBus& bus = *buses_.back();
      node.host_adapters[b]->initiator.socket.bind(bus.bus.initiator);
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
  for (std::uint32_t r = 0; r < torus.routers(); ++r) {
    if (std::ranges::find(router_of_, r) != router_of_.end()) continue;
    auto nobody = std::make_unique<NoNode>(("no_node" + std::to_string(r)).c_str());
    nobody->to_network.bind(network_->from_node[r]);
    network_->to_node[r].bind(nobody->from_network);
    idle_.push_back(std::move(nobody));
  }
}

Machine::~Machine() = default;

void Machine::describe(file::System& system) {
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

void Machine::trace(sc_core::sc_trace_file* file) {
  for (auto& bus : buses_) {
    bus->bus.trace(file);
    for (auto& disk : bus->disks) disk->trace(file);
  }
}

}  // namespace sunstar::torus
