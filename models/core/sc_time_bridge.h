// SPDX-License-Identifier: MIT
#pragma once
#include <systemc>

#include "models/core/quantity.h"

// The kernel's time and ours are the same picoseconds (sc_set_time_resolution(1, SC_PS), once, before elaboration).
namespace sunstar {

inline sc_core::sc_time to_sc(Duration d) { return sc_core::sc_time::from_value(static_cast<std::uint64_t>(d.count())); }
inline Duration from_sc(const sc_core::sc_time& t) { return Duration{static_cast<std::int64_t>(t.value())}; }
inline Time now() { return Time{from_sc(sc_core::sc_time_stamp())}; }

}  // namespace sunstar
