// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/one_of.h"
#include "models/network/cube/cube_params.h"
#include "models/network/dragonfly/dragonfly.h"
#include "models/network/ethernet/ethernet_params.h"
#include "models/network/fat_tree/fat_tree.h"
#include "models/network/fixed_delay/fixed_delay_params.h"
#include "models/network/switch/switch.h"

// The registry of fabrics. Each fabric has a folder of its own with a header that declares
//
//   struct Params              its parameters, described, with `kind`, its name in the configuration, and `help`
//   std::unique_ptr<Fabric> make(const Params&, const sc_core::sc_module_name&, std::uint64_t seed, Timetable*)
//   Places places(const Params&)      where nodes can be
//   Pace pace(const Params&)          the units of synthetic traffic
//   Params chosen_for(Params, std::uint64_t nodes)   with open choices made for this many nodes; only if there
//                                                    is anything to choose
namespace sunstar::network {

/// The kinds of fabric. A new one is one more line here and its include above; the first is the default.
using Fabrics = OneOf<  //
    CubeParams,         //
    FatTreeParams,      //
    DragonflyParams,    //
    SwitchParams,       //
    EthernetParams,     //
    FixedDelayParams>;

/// The network of a machine: one of `Kinds`, which is Fabrics or another OneOf.
template <class Kinds>
struct NetworkParams {
  Kinds kind;
  BOOST_DESCRIBE_CLASS(NetworkParams, (), (kind), (), ())
};
template <class Kinds>
std::vector<Param> parameters(const NetworkParams<Kinds>*) {
  return {{"kind", "what connects the nodes"}};
}

// The declarations of a fabric of any kind.

template <class... Kinds>
std::unique_ptr<Fabric> make(const OneOf<Kinds...>& kinds, const sc_core::sc_module_name& name, std::uint64_t seed,
                             Timetable* timetable) {
  return kinds.visit(
      [&](const auto& params) -> std::unique_ptr<Fabric> { return make(params, name, seed, timetable); });
}
template <class... Kinds>
Places places(const OneOf<Kinds...>& kinds) {
  return kinds.visit([](const auto& params) { return places(params); });
}
template <class... Kinds>
Pace pace(const OneOf<Kinds...>& kinds) {
  return kinds.visit([](const auto& params) { return pace(params); });
}
/// The fabric, with open choices made for this many nodes.
template <class... Kinds>
OneOf<Kinds...> chosen_for(const OneOf<Kinds...>& kinds, std::uint64_t nodes) {
  return kinds.visit([&](const auto& params) -> OneOf<Kinds...> {
    if constexpr (requires { chosen_for(params, nodes); }) return chosen_for(params, nodes);
    else return params;
  });
}

}  // namespace sunstar::network
