// SPDX-License-Identifier: MIT
#pragma once
#include "sw/file_systems/request_lists.h"
#include "sw/io/cached/messages.h"

namespace sunstar::file_systems::two_phase {

/// The messages to the I/O processors, and among the compute processors besides Memput and Memget.
struct Messages : io::cached::Messages {
  explicit Messages(messages::Numbers& numbers) : io::cached::Messages(numbers), list(numbers, "list") {}
  const messages::Kind<ListPart> list;
};

}  // namespace sunstar::file_systems::two_phase
