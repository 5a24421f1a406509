// SPDX-License-Identifier: MIT
#include "platforms/kit/type_of.h"
#include "sw/registry/file_systems.h"

namespace sunstar::kit {

template const Type& type_of<file_systems::FileSystemParams>();

}  // namespace sunstar::kit
