// SPDX-License-Identifier: MIT
#include "models/registry/fabrics.h"
#include "platforms/kit/type_of.h"

namespace sunstar::kit {

template const Type& type_of<network::Fabrics>();

}  // namespace sunstar::kit
