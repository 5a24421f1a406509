// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <memory>

// Types that a fabric's parameters only name; fabric.h defines them.
namespace sc_core {
class sc_module_name;
}
namespace sunstar {
class Timetable;
}
namespace sunstar::network {
class Fabric;
}
