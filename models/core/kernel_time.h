// SPDX-License-Identifier: MIT
#pragma once
#include <systemc>

#include "models/core/quantity.h"

// Between the kernel's time and the models' own. The kernel's resolution must be 1 ps, its default.
namespace sunstar {

inline sc_core::sc_time to_kernel(Duration d) { return sc_core::sc_time::from_value(static_cast<std::uint64_t>(d.count())); }
inline Duration from_kernel(const sc_core::sc_time& t) { return Duration{static_cast<std::int64_t>(t.value())}; }
/// The present simulated time.
inline Time kernel_now() { return Time{from_kernel(sc_core::sc_time_stamp())}; }

}  // namespace sunstar
