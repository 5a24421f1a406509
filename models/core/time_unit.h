// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>

namespace sunstar {

/// The unit of the times in a file that does not give one.
enum class TimeUnit { s, ms, us, ns };
BOOST_DESCRIBE_ENUM(TimeUnit, s, ms, us, ns)

constexpr double seconds_in(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::ms: return 1e-3;
    case TimeUnit::us: return 1e-6;
    case TimeUnit::ns: return 1e-9;
    default: return 1;
  }
}

}  // namespace sunstar
