// SPDX-License-Identifier: MIT
#pragma once
#include "platforms/kit/type_of.h"

// A struct of figures as JSON.
namespace sunstar::kit {

json::object write_figures(ConstRef section);

}  // namespace sunstar::kit
