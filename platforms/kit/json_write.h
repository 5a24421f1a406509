// SPDX-License-Identifier: MIT
#pragma once
#include "platforms/kit/type_of.h"

// A configuration as JSON, every key with its value, for --print-config and results. read<T>(write(t)) == t.
namespace sunstar::kit {

json::value write(ConstRef);

/// Any value as JSON. `section` writes the sections in it, NamedFigures and JSON objects.
using WriteSection = json::object (*)(ConstRef);
json::value write_value(ConstRef, WriteSection section);

}  // namespace sunstar::kit
