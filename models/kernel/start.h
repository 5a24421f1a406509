// SPDX-License-Identifier: MIT
#pragma once
#include <systemc>

#include "models/core/error.h"

namespace sunstar {

/// sc_start() with these arguments. An exception that a process throws arrives as a report of the kernel; it goes on as
/// a SimulationError with its own sentence.
template <class... Arguments>
void start_kernel(const Arguments&... arguments) {
  try {
    sc_core::sc_start(arguments...);
  } catch (const sc_core::sc_report& report) {
    throw SimulationError(report.get_msg());
  }
}

}  // namespace sunstar
