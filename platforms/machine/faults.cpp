// SPDX-License-Identifier: MIT
#include "platforms/machine/faults.h"

#include <fnmatch.h>

#include <algorithm>
#include <concepts>

namespace sunstar::machine {

std::vector<Part> parts(const Blueprint& blueprint) {
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
      const std::string bus = name + "_scsi" + std::to_string(b);
      all.push_back({PartKind::bus, bus, 0});
      for (std::uint32_t d = 0; d < spec.buses[b].drive_count(); ++d)
        all.push_back({PartKind::drive, bus + ".disk" + std::to_string(d), 0});
    }
  }
  return all;
}

PartKind kind_of(const Fault& fault) {
  return fault.effect.visit([]<class Effect>(const Effect&) {
    if constexpr (std::constructible_from<node::FaultEffects, Effect>) return PartKind::node;
    else if constexpr (std::constructible_from<scsi::BusFaultEffects, Effect>) return PartKind::bus;
    else return PartKind::drive;
  });
}

bool strikes(const Fault& fault, const Part& part) {
  return kind_of(fault) == part.kind && ::fnmatch(fault.place.c_str(), part.name.c_str(), 0) == 0;
}

Time begin(const Fault& fault, std::uint64_t seed, const std::string& stream) {
  return faults::Strikes(fault.trigger, extent(fault), seed, stream).next();
}

faults::Extent extent(const Fault& fault) {
  const bool lasting = fault.effect.visit([](const auto& effect) { return effect.lasting; });
  const bool by_chance = !fault.trigger.kind.is<faults::AtTime>() && !fault.trigger.kind.is<faults::AtOperation>();
  const std::uint64_t times = fault.times > 0 ? fault.times : lasting || by_chance ? faults::Extent::no_limit : 1;
  return {times, fault.lasts};
}

void check_faults(const std::vector<Fault>& faults, const Blueprint& blueprint, const std::string& path,
                  Problems& problems) {
  if (faults.empty()) return;
  const std::vector<Part> all = parts(blueprint);
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const Fault& fault = faults[i];
    const std::string here = path + "." + std::to_string(i);
    if (std::ranges::any_of(all, [&](const Part& part) { return strikes(fault, part); })) {
      const auto& trigger = fault.trigger.kind;
      if (kind_of(fault) == PartKind::node && (trigger.is<faults::AtOperation>() || trigger.is<faults::AtRate>()))
        problems.add(here + ".trigger.kind", "is " + std::string(trigger.kind_name()) +
                                                 "; a node's fault begins at a time: the kind must be "
                                                 "time, exponential or weibull");
      continue;
    }
    const auto fits = std::ranges::find(all, kind_of(fault), &Part::kind);
    const auto* const noun = kind_of(fault) == PartKind::drive ? "drive"
                             : kind_of(fault) == PartKind::bus ? "SCSI bus"
                                                               : "node";
    problems.add(here + ".place",
                 "is '" + fault.place + "', and " + std::string(fault.effect.kind_name()) + " strikes a " + noun +
                     (fits == all.end() ? "; the machine has none" : ": '" + fits->name + "' is one, '*' means all"));
  }
}

}  // namespace sunstar::machine
