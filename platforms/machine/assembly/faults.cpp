// SPDX-License-Identifier: MIT
#include "platforms/machine/assembly/faults.h"

#include <algorithm>
#include <concepts>
#include <iterator>

namespace sunstar::machine {

std::vector<Part> parts(const Blueprint& blueprint, const network::Fabric* fabric) {
  std::vector<Part> all;
  std::uint32_t computing = 0, serving = 0;
  for (std::uint32_t i = 0; i < blueprint.machine.nodes.size(); ++i) {
    const NodeSpec& spec = blueprint.machine.nodes[i];
    const std::string name = spec.role == Role::compute ? "cp" + std::to_string(computing)
                             : spec.role == Role::io    ? "iop" + std::to_string(serving)
                                                        : "node" + std::to_string(i);
    all.push_back({PartKind::node, name, i});
    if (spec.computes()) ++computing;
    if (spec.does_io()) ++serving;
    for (std::size_t b = 0; b < spec.buses.size(); ++b) {
      const std::string bus = blueprint.machine.bus_name(name, spec, b);
      if (!blueprint.machine.has_nvme(spec.buses[b])) all.push_back({PartKind::bus, bus, 0});
      for (std::uint32_t d = 0; d < spec.buses[b].drive_count(); ++d)
        all.push_back({PartKind::drive, bus + ".disk" + std::to_string(d), 0});
    }
  }
  const std::string network = "network.";
  const network::Places& places = blueprint.places;
  for (std::uint32_t p = 0; p < places.ports(); ++p) {
    const std::string name = network + places.noun + std::to_string(p);
    all.push_back({PartKind::port, name, p});
    if (places.ports_per_router > 0 && p % places.ports_per_router == 0) {
      const std::uint32_t router = p / places.ports_per_router;
      all.push_back({PartKind::router, network + "router" + std::to_string(router), router});
    }
  }
  if (!fabric) return all;
  for (const auto& link : fabric->links())
    if (all.back().kind != PartKind::link || all.back().number != link.channel)  // a hub's have one channel
      all.push_back({PartKind::link, network + link.name, link.channel});
  return all;
}

namespace {

std::vector<PartKind> kinds_of(const Fault& fault) {
  return fault.effect.visit([]<class Effect>(const Effect&) -> std::vector<PartKind> {
    if constexpr (std::constructible_from<node::FaultEffects, Effect>) return {PartKind::node};
    else if constexpr (std::same_as<Effect, network::LinkDown>) return {PartKind::link};
    else if constexpr (std::same_as<Effect, network::RouterDown>) return {PartKind::router};
    else if constexpr (std::same_as<Effect, network::PortDown>) return {PartKind::port};
    else if constexpr (std::constructible_from<network::FaultEffects, Effect>) return {PartKind::port, PartKind::link};
    else if constexpr (std::constructible_from<scsi::BusFaultEffects, Effect>) return {PartKind::bus};
    else return {PartKind::drive};
  });
}

constexpr const char* nouns[] = {"drive", "SCSI bus", "node", "port", "router", "link"};

/// Whether the fault may make nodes wait for others that are gone.
bool takes_nodes_away(const Fault& fault) {
  return (cuts_off_nodes(fault) && !fault.effect.is<node::Pause>()) || fault.effect.is<network::LinkDown>();
}

}  // namespace

PartKind kind_of(const Fault& fault) { return kinds_of(fault).front(); }

std::vector<Part> struck_by(const Fault& fault, const std::vector<Part>& all) {
  std::vector<Part> struck;
  for (const PartKind kind : kinds_of(fault)) {
    std::ranges::copy_if(all, std::back_inserter(struck),
                         [&](const Part& part) { return part.kind == kind && fault.at(part.name); });
    if (!struck.empty()) break;
  }
  return struck;
}

bool cuts_off_nodes(const Fault& fault) {
  return kind_of(fault) == PartKind::node || fault.effect.is<network::PortDown>() ||
         fault.effect.is<network::RouterDown>();
}

void check_faults(const std::vector<Fault>& faults, const Blueprint& blueprint, const std::string& path,
                  Problems& problems, const network::Fabric* fabric) {
  if (faults.empty()) return;
  const std::vector<Part> all = parts(blueprint, fabric);
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const Fault& fault = faults[i];
    const std::string here = path + "." + std::to_string(i);
    const auto kinds = kinds_of(fault);
    if (!struck_by(fault, all).empty()) {
      const auto& trigger = fault.trigger.kind;
      if (kinds.front() == PartKind::node && (trigger.is<faults::AtOperation>() || trigger.is<faults::AtRate>()))
        problems.add(here + ".trigger.kind", "is ", trigger.kind_name(),
                     "; a node's fault begins at a time: the kind must be time, exponential or weibull");
      if (takes_nodes_away(fault) && !blueprint.machine.peers.watched())
        problems.add(
            here + ".effect", "is ", fault.effect.kind_name(),
            ", but machine.peers.kind is trusted: no node would notice that another is gone; set it to watched");
      if (fabric && (fault.effect.is<network::LinkDown>() || fault.effect.is<network::RouterDown>()))
        if (const std::string why = fabric->unsafe_detours(); !why.empty())
          problems.add(here + ".effect", "is ", fault.effect.kind_name(), ", but ", why);
      if (kinds.front() == PartKind::node && fault.lasts > Duration{})
        problems.add(here + ".lasts",
                     "is not 0s; pause and reboot have a time of their own, and a node that stops does not come back");
      if (kinds.back() >= PartKind::port && !fault.effect.is<network::MessageDelayed>() &&
          !fault.effect.is<network::LinkDown>() && !blueprint.machine.delivery.acknowledged())
        problems.add(
            here + ".effect", "is ", fault.effect.kind_name(),
            ", but machine.delivery.kind is assured: no node would send lost messages again; set it to acknowledged");
      continue;
    }
    if (!fabric && kinds.back() == PartKind::link) continue;
    const auto fits = std::ranges::find(all, kinds.front(), &Part::kind);
    problems.add(here + ".place", fault.place.empty() ? "is missing; " : "is '" + fault.place + "', and ",
                 fault.effect.kind_name(), " strikes a ", nouns[static_cast<std::size_t>(kinds.front())],
                 kinds.size() > 1 ? " or link" : "",
                 fits == all.end() ? "; the machine has none" : ": '" + fits->name + "' is one, '*' means all");
  }
}

}  // namespace sunstar::machine
