// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "platforms/kit/type_of.h"

// A check of how figures are declared, for tests.
namespace sunstar::kit {

/// What is wrong with the declaration of a section at `path`: members without a Figure and the reverse, figures without
/// a line of help, variations of figures that do not exist, means that cannot be taken. Every platform's tests require
/// this to be empty.
std::vector<std::string> figure_faults(const Type& type, const std::string& path);
template <FigureSection T>
std::vector<std::string> figure_faults() {
  return figure_faults(type_of<T>(), "");
}

}  // namespace sunstar::kit
