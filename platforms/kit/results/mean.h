// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "platforms/kit/type_of.h"

// The one place where several trials become one result: figure by figure, by its type and its declaration
// (models/core/figure.h). Trials are JSON, since each ran in a process of its own.
namespace sunstar::kit {

/// The mean of several trials, each as write_figures() writes the section.
json::object mean_of(const Type& type, const std::vector<const json::object*>& trials);
template <FigureSection T>
json::object mean_of(const std::vector<const json::object*>& trials) {
  return mean_of(type_of<T>(), trials);
}

}  // namespace sunstar::kit
