// SPDX-License-Identifier: MIT
#include "platforms/machine/assembly/machine.h"

#include "models/kernel/simulation.h"
#include "platforms/kit/structure/network.h"

namespace sunstar::machine {

Machine::Machine(const sc_core::sc_module_name& name, const Blueprint& blueprint, std::uint64_t seed,
                 const MemoryOf& memory, const Probe& probe)
    : sc_module(name),
      probe_(probe),
      timetable_("timetable"),
      common_(possible_costs(blueprint.machine), blueprint.machine.sockets.tcp(), blueprint.machine.node.issue_width),
      port_of_(blueprint.ports) {
  common_.peers = blueprint.machine.peers.watched();
  common_.delivery = blueprint.machine.delivery.acknowledged();
  timetable_.run_ahead();
  fabric_ = blueprint.make_fabric("network", seed, timetable_);
  if (probe) message_monitor_ = std::make_unique<network::MessageMonitor>("message_monitor", fabric_->ports());
  fabric_->when_dropped = [this](const network::Route& route, network::Fabric::Loss why) {
    common_.activity.end();
    if (message_monitor_) message_monitor_->dropped(route, why);
  };
  fabric_->when_duplicated = [this](const network::Route& route) {
    common_.activity.begin();
    if (message_monitor_) message_monitor_->duplicated(route);
  };
  try {
    for (std::size_t i = 0; i < blueprint.machine.nodes.size(); ++i) add_node(blueprint, i, seed, memory);
  } catch (...) {
    // To take them down would take longer than building them: see kernel/simulation.h.
    for (auto& node : nodes_) static_cast<void>(node.release());
    static_cast<void>(fabric_.release());
    throw;
  }
  stripe_over_disks();
  if (probe) report();
}

Machine::~Machine() = default;

void Machine::add_node(const Blueprint& blueprint, std::size_t i, std::uint64_t seed, const MemoryOf& memory) {
  const MachineParams& params = blueprint.machine;
  const NodeSpec& spec = params.nodes[i];
  const char* kind = spec.role == Role::compute ? "cp" : spec.role == Role::io ? "iop" : "node";
  const std::size_t number = spec.role == Role::compute ? seen_.compute.size() : spec.role == Role::io ? io_.size() : i;
  const std::string node_name = kind + std::to_string(number);
  node::Node::Setup setup;
  setup.id = static_cast<hal::NodeId>(i);
  setup.params = params.node;
  setup.memory_bytes = memory(spec);
  setup.seed = seed;
  setup.router_of = &port_of_;
  setup.timetable = &timetable_;
  setup.payloads = &payloads_;
  setup.monitored = probe_.files();
  for (const BusSpec& bus : spec.buses) {
    using Drives = node::Node::Setup::Drives;
    setup.drives.push_back({params.has_nvme(bus) ? Drives::By::nvme : Drives::By::scsi, bus.drive_count()});
  }
  nodes_.push_back(std::make_unique<node::Node>(node_name.c_str(), setup));
  node::Node& node = *nodes_.back();
  network::connect(*fabric_, port_of_[i], message_monitor_.get(), node.network_interface.to_network,
                   node.network_interface.from_network, node.network_interface.name());
  const Stage computing = spec.role == Role::compute ? Stage::compute_processor
                          : spec.role == Role::io    ? Stage::io_processor
                                                     : Stage::combined_processor;
  node.probe(probe_, computing);
  executives_.push_back(std::make_unique<os::Os>(node, common_));
  if (probe_)
    firmware_probes_.push_back(
        std::make_unique<FirmwareProbe>(probe_, *executives_.back(), computing,
                                        [this](hal::NodeId other) { return std::string(nodes_[other]->basename()); }));
  endpoints_.push_back(std::make_unique<messages::Endpoint>(*executives_.back(), protocol_));
  if (spec.computes()) seen_.compute.push_back(endpoints_.back().get());
  if (!spec.does_io()) return;
  io_.push_back({&node, endpoints_.back().get(), {}});
  add_buses(blueprint, spec, node, seed);
}

void Machine::add_buses(const Blueprint& blueprint, const NodeSpec& spec, node::Node& node, std::uint64_t seed) {
  for (std::size_t b = 0; b < spec.buses.size(); ++b) {
    const MachineParams& machine = blueprint.machine;
    const std::string name = machine.bus_name(node.basename(), spec, b);
    if (machine.has_nvme(spec.buses[b]))
      buses_.push_back(std::make_unique<NvmeBus>(name.c_str(), machine, spec.buses[b], seed, timetable_, probe_));
    else
      buses_.push_back(
          std::make_unique<ScsiBus>(name.c_str(), machine, spec.buses[b], drive_types_, seed, timetable_, probe_));
    DriveBus& bus = *buses_.back();
    bus.connect(node, static_cast<std::uint32_t>(b));
    io_.back().disks.insert(io_.back().disks.end(), bus.drives().begin(), bus.drives().end());
  }
}

void Machine::stripe_over_disks() {
  const std::size_t longest = greatest(io_, [](const IoNode& io) { return io.disks.size(); });
  for (std::uint32_t n = 0; n < longest; ++n)
    for (std::uint32_t i = 0; i < io_.size(); ++i)
      if (n < io_[i].disks.size()) {
        disks_.push_back(io_[i].disks[n]);
        places_.push_back({i, n});
      }
}

namespace {
/// The content of a drive without time.
class DriveContent final : public io::RawDisk {
 public:
  explicit DriveContent(disk::StorageDevice& drive)
      : RawDisk(drive.instance(), {drive.sectors(), drive.sector_size(), drive.sectors_per_track()}),
        drive_(drive),
        medium_(drive.medium()) {}
  void read(std::uint64_t sector, std::uint32_t bytes, content::Content& to) const override {
    medium_.read(sector * shape().sector_bytes, bytes, to);
  }
  void write(std::uint64_t sector, const content::Content& from) override {
    medium_.write(sector * shape().sector_bytes, from);
  }
  bool scatter(const std::shared_ptr<const content::Order>& order, content::Source of) override {
    medium_.scatter(order, of);
    return true;
  }
  void for_each_written(const Visit& visit) const override { medium_.for_each_written(visit); }
  std::uint64_t silently_wrong(std::uint64_t at) const override { return left(&DriveFaults::silently_wrong, at); }
  std::uint64_t once_wrong(std::uint64_t at) const override { return left(&DriveFaults::once_wrong, at); }
  std::uint64_t delivered_wrong(std::uint64_t at) const override { return left(&DriveFaults::delivered_wrong, at); }
  std::uint64_t lost_with_power(std::uint64_t at) const override { return left(&DriveFaults::lost_with_power, at); }

 private:
  using DriveFaults = disk::DriveFaults;
  /// Bytes from `at` to the end of the range that it is in; 0: it is in none.
  std::uint64_t left(const DriveFaults::Ranges& (DriveFaults::*ranges)() const, std::uint64_t at) const {
    const DriveFaults* const wrong = drive_.what_is_wrong();
    if (!wrong) return 0;
    const auto range = (wrong->*ranges)().find(at);
    return range == (wrong->*ranges)().end() ? 0 : range->upper() - at;
  }
  const disk::StorageDevice& drive_;
  disk::Medium& medium_;
};
}  // namespace

std::vector<io::Drive> Machine::drives() {
  std::vector<io::Drive> all;
  for (std::size_t d = 0; d < disks_.size(); ++d)
    all.push_back({places_[d], std::make_unique<DriveContent>(*disks_[d])});
  return all;
}

void Machine::report() {
  fabric_->probe(probe_);
  message_monitor_->probe(probe_, *fabric_);
  message_monitor_->told = [this](const tlm::tlm_generic_payload& payload) {
    const auto& message = *payload.get_extension<node::Packet>();
    return executives_[message.target]->told(message);
  };
  for (const auto& node : nodes_)
    node->cpu.show(node->name() + ".ready_threads", [&os = *executives_[node->id()]] { return os.ready_threads(); });
  for (std::size_t d = 0; d < disks_.size(); ++d) {
    const io::Place place = places_[d];
    const std::string& disk = disks_[d]->instance();
    const auto queued = [this, place] { return seen_.io.size() <= place.io_processor ? 0 : driver(place).queued(); };
    node::Node& node = *io_[place.io_processor].node;
    node.cpu.show(disk + ".queue", queued);
    firmware_probes_[node.id()]->show(disk.substr(disk.find('_') + 1) + ": requests queued", queued, disk);
  }
}

void Machine::show(const StatisticSet& counters) {
  counters.for_each([this](const Statistic& s) {
    if (s.unit != "1") return;
    for (const auto& node : nodes_)
      if (s.name.starts_with(node->name() + "."))
        node->cpu.show(std::string(s.name), [value = s.value] { return static_cast<std::size_t>(value()); });
  });
}

void Machine::add_faults(const std::vector<Fault>& faults, const Blueprint& blueprint, std::uint64_t seed) {
  if (faults.empty()) return;
  std::map<std::string, DriveBus*> buses;
  std::map<std::string, disk::StorageDevice*> drives;
  const std::size_t machine = std::string(name()).size() + 1;
  for (auto& bus : buses_) {
    buses[bus->basename()] = bus.get();
    for (auto* disk : bus->drives()) drives[disk->instance().substr(machine)] = disk;
  }
  const std::vector<Part> all = parts(blueprint, fabric_.get());
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const Fault& fault = faults[i];
    for (const Part& part : struck_by(fault, all)) {
      const std::string effect(fault.effect.kind_name()), instance = std::string(name()) + "." + part.name;
      // A link may be a signal of the wave file, which has no signals below it.
      const std::string stream = instance + (part.kind == PartKind::link ? "_faults." : ".faults.") + std::to_string(i);
      const auto when_struck = [&count = struck_[effect], effect, report = Reporter(probe_, instance),
                                wave = Wave(probe_, stream)](Time at) {
        ++count;
        report.instant(LogLevel::info, at, "fault: " + effect);
        wave.step(at, 1);
      };
      fault.effect.visit([&]<class Effect>(const Effect& e) {
        faults::Strikes strikes(fault.trigger, fault.extent(), seed, stream);
        strikes.when_struck = when_struck;
        if constexpr (std::constructible_from<network::FaultEffects, Effect>) {
          if (part.kind == PartKind::link) fabric_->add_fault_at_link(part.number, e, std::move(strikes));
          else if (part.kind == PartKind::router) fabric_->add_fault_at_router(part.number, e, std::move(strikes));
          else fabric_->add_fault_at_port(part.number, e, std::move(strikes));
          if (std::is_same_v<Effect, network::PortDown> || std::is_same_v<Effect, network::RouterDown>)
            ports_go_down_ = true;
        } else if constexpr (std::constructible_from<scsi::BusFaultEffects, Effect>) {
          buses.at(part.name)->faults()->add(e, std::move(strikes));
        } else if constexpr (std::constructible_from<disk::FaultEffects, Effect>) {
          drives.at(part.name)->faults().add(e, fault.trigger, fault.extent(), seed, stream, when_struck);
        } else {
          node_faults_.push_back(
              {part.number, faults::Strikes(fault.trigger, fault.extent(), seed, stream), e, when_struck});
        }
      });
    }
  }
}

void Machine::schedule_node_faults(std::function<void(std::uint32_t)> when_stopped) {
  when_stopped_ = std::move(when_stopped);
  common_.fence = [this](hal::NodeId node) { stop_itself(node, "others take it for gone"); };
  if (ports_go_down_)
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) look_at_port(node, 0, 0);
  if (node_faults_.empty()) return;
  fault_clock_.emplace(timetable_, *this);
  set_fault_clock();
}

void Machine::set_fault_clock() {
  Time next = Time::max();
  for (const NodeFault& fault : node_faults_)
    if (!common_.activity.retired() && !fault.over && !executives_[fault.node]->off())
      next = std::min(next, fault.strikes.next());
  fault_clock_->set(next);
}

void Machine::retire() {
  if (ports_go_down_)  // a port that is down has been struck, even if no message has met it
    for (const std::uint32_t port : port_of_) fabric_->cut_off(port);
  common_.activity.when_quiet = [this] {
    for (const auto& os : executives_) os->forget_timers();
  };
  common_.activity.retire_daemons();
  if (fault_clock_) set_fault_clock();
}

void Machine::strike_nodes() {
  for (NodeFault& fault : node_faults_)
    if (!fault.over && !executives_[fault.node]->off() && fault.strikes.next() <= now() &&
        fault.strikes.operation(now()))
      strike(fault);
  // A machine at a standstill must not go on for ever.
  if (common_.activity.may_sleep_again()) set_fault_clock();
}

void Machine::strike(NodeFault& fault) {
  fault.when_struck(now());
  if (const auto* pause = fault.effect.if_is<node::Pause>()) {
    fault.strikes.goes_on(pause->time);
    nodes_[fault.node]->pause(now() + pause->time);
    return;
  }
  fault.over = true;
  stop(fault.node);
  if (const auto* reboot = fault.effect.if_is<node::Reboot>())
    nodes_[fault.node]->start(now() + reboot->time, [this, node = fault.node] { start_again(node); });
}

// A node without network for as long as others take to give it up stops itself: no other node could tell it that it is
// gone.
void Machine::look_at_port(std::uint32_t node, std::uint32_t times_down, std::uint32_t looks) {
  constexpr std::uint32_t most_looks = 100'000;  // of a machine that has come to a standstill
  os::Os& os = *executives_[node];
  os.after_if_on(now() + common_.peers->heartbeat, [=, this] {
    if (common_.activity.retired()) return;
    const std::uint32_t down = fabric_->cut_off(port_of_[node]) ? times_down + 1 : 0;
    if (down > common_.peers->missed) stop_itself(node, "it is cut off");
    else if (looks < most_looks) look_at_port(node, down, looks + 1);
  });
}

void Machine::stop_itself(std::uint32_t node, std::string_view why) {
  Reporter(probe_, nodes_[node]->name()).instant(LogLevel::info, now(), std::string("stops itself: ").append(why));
  stop(node);
}

void Machine::stop(std::uint32_t node) {
  if (executives_[node]->off()) return;
  stopped_ = true;
  fabric_->take_down(port_of_[node]);
  executives_[node]->power_off();
  if (executives_[node]->incarnation() == 1) when_stopped_(node);  // later ones run no programs
}

// The new executive answers requests, and runs nothing. The old one stays, without power.
void Machine::start_again(std::uint32_t node) {
  fabric_->bring_up(port_of_[node]);
  std::unique_ptr<os::Os>& os = executives_[node];
  earlier_executives_.push_back(std::move(os));
  os = std::make_unique<os::Os>(*nodes_[node], common_, earlier_executives_.back()->incarnation() + 1);
  os->count_on(*earlier_executives_.back());
  later_endpoints_.push_back(std::make_unique<messages::Endpoint>(*os, protocol_));
  later_endpoints_.back()->refuse_all();
  Reporter(probe_, nodes_[node]->name()).instant(LogLevel::info, now(), "started again");
  for (NodeFault& fault : node_faults_)
    if (fault.node == node && fault.strikes.next() <= now()) fault.strikes.pass(now());
  if (fault_clock_) set_fault_clock();
  if (ports_go_down_) look_at_port(node, 0, 0);
}

std::uint64_t Machine::given_up() const {
  const auto losses = [](const auto& endpoint) -> std::uint64_t { return endpoint->peers().losses(); };
  return sum(endpoints_, losses) + sum(later_endpoints_, losses);
}

void Machine::settle_faults() {
  for (disk::StorageDevice* disk : disks_)
    if (disk->what_is_wrong()) disk->faults().settle(now());
}

io::DiskDriver::Troubles Machine::troubles() const {
  io::DiskDriver::Troubles all;
  for (const io::IoNode& io : seen_.io)
    for (const auto& driver : io.drivers) add_members(all, driver->troubles());
  return all;
}

void Machine::start_drivers(io::Store& store, const std::string& queue_order, const io::DriverParams& params) {
  for (const IoNode& io : io_) seen_.add_io(*io.endpoint, store, queue_order, params);
  if (!probe_.path) return;
  for (std::size_t d = 0; d < disks_.size(); ++d) driver(places_[d]).explain(probe_.path->queue(disks_[d]->instance()));
}

void Machine::place_processes(const std::vector<std::uint32_t>& compute_processors) {
  seen_.compute = mapped(compute_processors, [&](std::uint32_t p) { return seen_.compute[p]; });
}

std::uint64_t Machine::list_bytes() const {
  return sum(endpoints_, [](const auto& endpoint) { return endpoint->list_bytes(); });
}

std::uint64_t Machine::passed_spoilt() const {
  return sum(nodes_, [](const auto& node) { return node->network_interface.passed_spoilt(); });
}

Time Machine::on_medium() const {
  return greatest(nodes_, [](const auto& node) {
    return greatest(node->host_adapters, [](const auto& adapter) { return adapter->on_medium(); });
  });
}

void Machine::add_statistics(StatisticSet& set) {
  for (auto& node : nodes_) node->add_statistics(set);
  for (auto& bus : buses_) bus->register_statistics(set);
  fabric_->add_statistics(set);
  for (auto& os : executives_) os->add_statistics(set);
  for (io::IoNode& io : seen_.io) io.store.add_statistics(set);
}

std::vector<std::string> Machine::waiting() const {
  std::vector<std::string> lines;
  for (const auto& os : executives_) os->describe_waiting(lines);
  fabric_->describe_waiting(lines);
  return lines;
}

std::vector<Machine::Comparison> Machine::compare_monitors() const {
  if (!probe_.files()) return {};
  const auto& m = *message_monitor_;
  using Loss = network::Fabric::Loss;
  const auto no_way = fabric_->dropped(Loss::no_way), lost = fabric_->dropped(Loss::lost),
             again = fabric_->duplicated();
  const std::uint64_t messages = fabric_->messages(), bytes = fabric_->message_bytes();
  std::vector<Comparison> all{{"messages sent", m.sent(), messages + no_way.messages},
                              {"messages arrived", m.arrived(), messages - lost.messages + again.messages},
                              {"message bytes sent", m.sent_bytes(), bytes + no_way.bytes},
                              {"message bytes arrived", m.arrived_bytes(), bytes - lost.bytes + again.bytes}};
  for (const auto& node : nodes_)
    for (std::uint32_t master = 0; master < node->bus.masters(); ++master)
      all.push_back({std::string(node->bus.name()) + ": bytes of master " + std::to_string(master),
                     node->monitored_bytes(master), node->bus.bytes(master)});
  for (const auto& bus : buses_)
    all.push_back({bus->instance() + ": bytes", bus->monitored_bytes(), bus->reported_bytes()});
  return all;
}

kit::json::object Machine::structure(const Blueprint& blueprint, std::string_view fabric) const {
  const MachineParams& params = blueprint.machine;
  kit::json::array nodes, buses, drives;
  auto bus = buses_.begin();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const NodeSpec& spec = params.nodes[i];
    nodes.push_back({{"name", nodes_[i]->name()},
                     {"role", boost::describe::enum_to_string(spec.role, "")},
                     {"place", kit::json::array(spec.place.begin(), spec.place.end())},
                     {"port", port_of_[i]},
                     {"processor", nodes_[i]->name() + ".cpu"},
                     {"hertz", params.node.clock.hertz},
                     {"memory_bus", nodes_[i]->bus.name()},
                     {"memory_bytes_per_s", params.node.memory_bandwidth.bytes_per_second}});
    for (std::size_t b = 0; b < spec.buses.size(); ++b, ++bus) {
      buses.push_back(
          {{"name", (*bus)->instance()}, {"node", nodes_[i]->name()}, {"bytes_per_s", (*bus)->bytes_per_second()}});
      for (const disk::StorageDevice* drive : (*bus)->drives())
        drives.push_back({{"name", drive->instance()}, {"bus", (*bus)->instance()}, {"type", drive->type()}});
    }
  }
  return {{"nodes", std::move(nodes)},
          {"buses", std::move(buses)},
          {"drives", std::move(drives)},
          {"network", kit::network_structure(*fabric_, blueprint.places, fabric)}};
}

kit::json::object structure(const Blueprint& blueprint, std::string_view fabric) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  constexpr std::uint64_t memory = 1 << 20;  // nothing runs on it
  return never_destroyed<Machine>("machine", blueprint, 1, [](const NodeSpec&) { return memory; })
      .structure(blueprint, fabric);
}

}  // namespace sunstar::machine
