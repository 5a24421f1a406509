// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>

#include "sw/io/cached/messages.h"
#include "sw/io/striped_client.h"
#include "sw/requests/calls.h"

namespace sunstar::io::cached {

/// A compute processor whose calls are strided: one call names all the chunks that it would otherwise ask for one by
/// one, and one request names all the chunks of a block (TR94-226, "Future work"). A request's chunks lie one behind
/// the other in the memory of the processor, so their bytes go there, or come from there, by DMA.
class StridedClient {
 public:
  StridedClient(Caller& caller, const Messages& messages) : caller_(caller), messages_(messages) {}

  /// Carries out `first` and all calls that continue it as one, and returns when all have ended.
  os::Task<> call(const requests::Access& first, requests::Calls& calls);

 private:
  void begin(std::uint64_t block, std::byte* memory);
  bool fits(std::uint64_t block, const std::byte* memory, std::uint32_t bytes) const;
  os::Task<> send(std::uint32_t file, bool write);

  Caller& caller_;
  const Messages& messages_;
  std::byte* buffer_ = nullptr;  // for a list of chunks, behind the bytes of a write
  // The request that is being made.
  messages::Runs chunks_;
  std::uint64_t block_ = 0;
  std::byte* memory_ = nullptr;  // of its first chunk
};

}  // namespace sunstar::io::cached
