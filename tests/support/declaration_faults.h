// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "platforms/kit/type_of.h"

// Checks of how parameters and figures are declared. Every platform's tests require them to find nothing.
namespace sunstar::kit {

/// What is wrong with a declaration: members without a Param and the reverse, limits that do not fit the type, uses
/// that depend on what does not exist, defaults that would be refused.
std::vector<std::string> parameter_faults(ConstRef defaults);
template <Described T>
std::vector<std::string> parameter_faults() {
  return parameter_faults(T{});
}

/// What is wrong with the declaration of a section at `path`: members without a Figure and the reverse, figures without
/// a line of help, variations of figures that do not exist, means that cannot be taken.
std::vector<std::string> figure_faults(const Type& type, const std::string& path);
template <FigureSection T>
std::vector<std::string> figure_faults() {
  return figure_faults(type_of<T>(), "");
}

}  // namespace sunstar::kit
