// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "sw/file_systems/request_lists.h"
#include "sw/messages/endpoint.h"

namespace sunstar::file_systems::disk_directed {

/// Asks an I/O processor to do its part of a collective, given by its number in the workload; answered by a reply.
struct CollectiveRequest {
  std::uint32_t collective;
  std::uint32_t unused;
  messages::ReplyTo reply;
};

/// The messages between compute and I/O processors, besides Memput and Memget.
struct Messages {
  explicit Messages(messages::Numbers& numbers) : collective(numbers, "collective"), list(numbers, "list") {}
  const messages::Kind<CollectiveRequest> collective;
  const messages::Kind<ListPart> list;
};

}  // namespace sunstar::file_systems::disk_directed
