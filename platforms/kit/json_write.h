// SPDX-License-Identifier: MIT
#pragma once
#include "platforms/kit/type_of.h"

// A configuration as JSON, every key with its value: what --print-config shows and results hold. read<T>(write(t)) ==
// t.
namespace sunstar::kit {

json::value write(ConstRef);
template <Plain T>
json::value write(const T& t) {
  return write(ref(t));
}

}  // namespace sunstar::kit
