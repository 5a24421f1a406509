// SPDX-License-Identifier: MIT
#pragma once

namespace sunstar::bench {

/// The yardstick: processor seconds that the bare kernel needs for one timed event, with `instances` SC_METHODs that
/// each notify themselves again at times of their own. Call it in a process that has not simulated yet.
double seconds_per_event(unsigned instances, unsigned events);

}  // namespace sunstar::bench
