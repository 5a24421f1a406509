// SPDX-License-Identifier: MIT
#pragma once
#include <systemc>

#include "models/core/quantity.h"

// The kernel's time and ours are the same picoseconds (sc_set_time_resolution(1, SC_PS), once, before elaboration).
namespace sunstar {

inline sc_core::sc_time to_sc(Duration d) {
  if (d == Duration{}) return sc_core::SC_ZERO_TIME;  // often, and from_value() is a call into the library
  return sc_core::sc_time::from_value(static_cast<std::uint64_t>(d.count()));
}
inline Duration from_sc(const sc_core::sc_time& t) { return Duration{static_cast<std::int64_t>(t.value())}; }
/// The present simulated time; asked for several times an event, and sc_time_stamp() is a call into the library.
inline Time now() { return Time{from_sc(sc_core::sc_get_curr_simcontext()->time_stamp())}; }

}  // namespace sunstar
