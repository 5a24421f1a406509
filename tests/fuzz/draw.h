// SPDX-License-Identifier: MIT
#pragma once
#include <boost/json.hpp>
#include <string>

#include "models/core/random.h"
#include "platforms/kit/type.h"

namespace sunstar::fuzz {

/// A configuration drawn at random from the declaration of its parameters, and the files that it names.
struct Drawn {
  boost::json::object config, files;
};

/// Draws kinds, a few parameters of each section, and all that says how much a run has to do, so that most runs are
/// legal and short. `defaults` is a configuration with its defaults; `trace` draws the text of a trace.
Drawn draw(kit::ConstRef defaults, RandomStream& random, std::string (*trace)(RandomStream&));

}  // namespace sunstar::fuzz
