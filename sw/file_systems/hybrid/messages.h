// SPDX-License-Identifier: MIT
#pragma once
#include "sw/file_systems/disk_directed/messages.h"
#include "sw/io/cached/messages.h"

namespace sunstar::file_systems::hybrid {

/// The messages of both ways.
struct Messages {
  explicit Messages(messages::Numbers& numbers) : cached(numbers), direct(numbers) {}
  const io::cached::Messages cached;
  const disk_directed::Messages direct;
};

}  // namespace sunstar::file_systems::hybrid
