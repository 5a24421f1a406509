// SPDX-License-Identifier: MIT
#include "models/disk/drive_params.h"
#include "platforms/kit/type_of.h"

namespace sunstar::kit {

template const Type& type_of<disk::DriveParams>();

}  // namespace sunstar::kit
