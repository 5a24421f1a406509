// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <cstdint>
#include <vector>

#include "models/core/param.h"
#include "models/core/quantity.h"

namespace sunstar::machine {

/// A compute processor that stops during the run: its program ends and its memory is lost.
struct Fault {
  std::uint32_t compute_processor = 0;
  Duration at{0};
};
BOOST_DESCRIBE_STRUCT(Fault, (), (compute_processor, at))
inline std::vector<Param> parameters(const Fault*) {
  return {{"compute_processor", "the processor that stops, counted from 0", "0", "4095"},
          {"at", "simulated time at which it stops", "0s", "3600s"}};
}

}  // namespace sunstar::machine
