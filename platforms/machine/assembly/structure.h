// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>

#include "platforms/kit/json_text.h"
#include "platforms/machine/assembly/blueprint.h"

namespace sunstar::machine {

/// The machine's parts, for pictures and prices, by the names that statistics and waves use:
///   nodes    {name, role, place, port, processor, hertz, memory_bus, memory_bytes_per_s}
///   buses    {name, node, bytes_per_s}
///   drives   {name, bus, type}
///   network  see kit/structure/network.h
/// Builds the machine. `fabric` is the kind of fabric.
kit::json::object structure(const Blueprint& blueprint, std::string_view fabric);

}  // namespace sunstar::machine
