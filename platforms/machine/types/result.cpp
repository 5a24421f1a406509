// SPDX-License-Identifier: MIT
#include "platforms/kit/type_of.h"
#include "platforms/machine/results.h"

namespace sunstar::kit {

template const Type& type_of<machine::Result>();

}  // namespace sunstar::kit
