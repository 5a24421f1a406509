// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "sw/file_systems/disk_directed/params.h"
#include "sw/file_systems/request_lists.h"
#include "sw/io/sync.h"
#include "sw/os/mutex.h"
#include "sw/requests/distributions/mapping.h"

namespace sunstar::file_systems::disk_directed {

/// Asks an I/O processor to do its part of a collective; the transfer follows as data (requests::Transfer::words). A
/// reply answers it.
struct CollectiveRequest {
  std::uint32_t number;      ///< distinguishes collectives under way
  std::uint32_t processors;  ///< of the application
  messages::ReplyTo reply;
};

/// The reply to a collective lists the runs of the file's bytes that have failed; if not all fit, the last run spans
/// the rest.
struct FailedRange {
  std::uint64_t offset, bytes;
};
inline constexpr std::uint32_t failure_list = 64 * sizeof(FailedRange);

/// The messages between compute and I/O processors, besides Memput and Memget.
struct Messages {
  explicit Messages(messages::Numbers& n) : numbers(n) {}
  messages::Numbers& numbers;
  const messages::Kind<CollectiveRequest> collective{numbers, "collective"};
  const messages::Kind<ListPart> list{numbers, "list"};
  const messages::Kind<io::SyncRequest> sync{numbers, "sync"};
};

/// An I/O processor: lists the blocks of a collective that lie on its disks and moves them between disks and memories.
class Server {
 public:
  Server(System& system, const Messages& messages, const Params& params, std::uint32_t io_processor,
         io::BlockGuard* guard = nullptr);

 private:
  os::Task<> serve(hal::Message& request);
  /// Lists what has failed in `told_`; returns how long the list is.
  std::uint32_t list_failures(const std::vector<requests::Failed>& failures);

  System& system_;
  messages::Endpoint& endpoint_;
  std::uint32_t io_processor_;
  const Params& params_;
  io::BlockTransfers transfers_;
  ListReceiver lists_;
  std::vector<std::byte*> spare_;  // free buffers for packed pieces
  os::Mutex telling_;
  std::byte* told_ = nullptr;  // a list of what has failed, as it is sent
};

}  // namespace sunstar::file_systems::disk_directed
