// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "platforms/kit/type_of.h"

// A check of how parameters are declared, for tests.
namespace sunstar::kit {

/// What is wrong with a declaration: members without a Param and the reverse, limits that do not fit the type, uses
/// that depend on what does not exist, defaults that would be refused. Every platform's tests require this to be empty.
std::vector<std::string> parameter_faults(ConstRef defaults);
template <Described T>
std::vector<std::string> parameter_faults() {
  return parameter_faults(Object(&type_of<T>()).ref());
}

}  // namespace sunstar::kit
