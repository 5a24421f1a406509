// SPDX-License-Identifier: MIT
#pragma once
#include "platforms/kit/type_of.h"

// A struct of figures as JSON.
namespace sunstar::kit {

json::object write_figures(ConstRef section);
template <FigureSection T>
json::object write_figures(const T& t) {
  return write_figures(ref(t));
}

}  // namespace sunstar::kit
