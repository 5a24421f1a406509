// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "sw/io/cached/messages.h"
#include "sw/requests/calls.h"

namespace sunstar::io::cached {

/// A compute processor whose calls are strided: one call names many chunks, and one request names all the chunks of a
/// block (TR94-226, "Future work"). A request's chunks lie one behind the other in the memory of the processor, so
/// their bytes go to or from there by DMA.
class StridedClient {
 public:
  StridedClient(Caller& caller, const Messages& messages) : caller_(caller), messages_(messages) {}

  /// Carries out `first` and all calls that continue it as one, and returns when all have ended.
  os::Task<> call(const requests::Access& first, requests::Calls& calls);

 private:
  bool fits(std::uint64_t block, const std::byte* memory, std::uint32_t bytes) const;
  os::Task<> send(std::uint32_t file, bool write);

  Caller& caller_;
  const Messages& messages_;
  std::byte* buffer_ = nullptr;  // for a list of chunks, behind the bytes of a write
  // The request being made.
  messages::Runs chunks_;
  std::uint64_t block_ = 0;
  std::byte* memory_ = nullptr;  // of its first chunk
};

/// A compute processor's access to the caches of the I/O processors: it sends a request, and gets a reply, for each
/// part of a call that lies in one block or, if its calls are `strided`, for all chunks of a block.
class Client {
 public:
  Client(Nodes& nodes, Caller caller, const Messages& messages, bool strided = false)
      : nodes_(nodes), messages_(messages), striped_(std::move(caller)) {
    if (strided) strided_.emplace(striped_.caller(), messages);
  }
  Client(const Client&) = delete;  // the parts share the caller

  /// Carries out a call of the application, records it and returns when it has ended. A strided call takes the calls
  /// that continue it.
  os::Task<> call(const requests::Access& access, requests::Calls& calls) {
    return strided_ ? strided_->call(access, calls) : striped_.call(access, messages_);
  }
  /// Moves bytes between a file and `memory` + access.memory; the caller records and charges the whole call.
  os::Task<> move(const requests::Access& access, std::byte* memory) {
    return striped_.move(access, memory, messages_);
  }
  /// The failures of such moves since the last call.
  std::vector<requests::Failed> take_failures() { return striped_.caller().take_failures(); }
  Caller& caller() { return striped_.caller(); }
  /// Makes all I/O processors finish their write-behind and prefetches. Lost data are an error.
  os::Task<> sync() { return io::sync(nodes_, striped_.caller().endpoint, messages_.sync, striped_.caller().record); }

 private:
  Nodes& nodes_;
  const Messages& messages_;
  StripedClient striped_;
  std::optional<StridedClient> strided_;
};

}  // namespace sunstar::io::cached
