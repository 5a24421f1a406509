// SPDX-License-Identifier: MIT
#include "platforms/network/verdict.h"

#include "platforms/network/measurement.h"

namespace sunstar::traffic {

Verdict verdict(const Evidence& e) {
  if (e.messages < Measurement::least_messages + e.lost) return {e.offered, {}, "none: too few messages measured"};
  const bool slow = e.slowdown > saturated_slowdown;
  return {e.offered, !e.drained || slow,
          accepts_too_little(e) ? "saturated: less than 95 % of the load is accepted"
          : !e.drained          ? "saturated: measured messages still wait when the drain ends"
          : slow                ? "saturated: messages take more than 4 times as long as without contention"
          : e.lost > 0          ? "steady: all measured messages have arrived or vanished"
                                : "steady: all measured messages have arrived"};
}

}  // namespace sunstar::traffic
