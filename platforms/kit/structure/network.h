// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>

#include "models/network/fabric.h"
#include "models/network/places.h"
#include "platforms/kit/json_text.h"

namespace sunstar::kit {

/// The parts of a network, for pictures and prices, by the names of statistics and waves:
///   name, kind  `kind` is that of its parameters
///   topology    Fabric::topology()
///   shape       places in each dimension, if nodes are placed by coordinates; otherwise empty
///   ports       [{name, place}], in the order of their numbers
///   links       [{name, from, to, bytes_per_s}], each in one direction; links that share a medium share its name
json::object network_structure(const network::Fabric& fabric, const network::Places& places, std::string_view kind);

}  // namespace sunstar::kit
