// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "sw/file_systems/disk_directed/params.h"
#include "sw/file_systems/request_lists.h"
#include "sw/io/block_transfers.h"
#include "sw/requests/distributions/transfer.h"

namespace sunstar::file_systems::disk_directed {

/// Asks an I/O processor to do its part of a collective; the transfer follows as data (requests::Transfer::words). A
/// reply answers it.
struct CollectiveRequest {
  std::uint32_t number;      ///< which tells it from others under way
  std::uint32_t processors;  ///< of the application
  messages::ReplyTo reply;
};

/// The messages between compute and I/O processors, besides Memput and Memget.
struct Messages {
  explicit Messages(messages::Numbers& n) : numbers(n) {}
  messages::Numbers& numbers;
  const messages::Kind<CollectiveRequest> collective{numbers, "collective"};
  const messages::Kind<ListPart> list{numbers, "list"};
};

/// An I/O processor: lists the blocks of a collective that lie on its disks and moves them between disks and memories.
class Server {
 public:
  Server(System& system, const Messages& messages, const Params& params, std::uint32_t io_processor,
         io::BlockGuard* guard = nullptr);

 private:
  os::Task<> serve(hal::Message& request);

  System& system_;
  messages::Endpoint& endpoint_;
  std::uint32_t io_processor_;
  const Params& params_;
  io::BlockTransfers transfers_;
  ListReceiver lists_;
  std::vector<std::byte*> spare_;  // buffers for packed pieces that nobody uses
};

}  // namespace sunstar::file_systems::disk_directed
