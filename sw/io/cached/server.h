// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

#include "sw/io/cached/cache.h"
#include "sw/io/cached/messages.h"

namespace sunstar::io::cached {

/// An I/O processor: a cache over its disks, and a thread for each request.
class Server {
 public:
  Server(Nodes& nodes, const Volume& volume, const Messages& messages, const CacheParams& params,
         requests::Recorder& record, std::uint32_t io_processor);

  Cache& cache() { return cache_; }

  /// "<node>.cache.hits" and so on.
  void add_statistics(StatisticSet&);

 private:
  /// A request for a part of a block.
  struct Asked {
    std::uint32_t file, bytes;
    std::uint64_t block;
    std::uint32_t offset;  ///< into the block
    messages::ReplyTo reply;
  };
  /// A request for several chunks of a block.
  struct AskedChunks {
    std::uint32_t file;
    std::uint64_t block;
    std::vector<messages::PieceRun> runs;  ///< offsets into the block
    std::uint32_t chunks, bytes;           ///< all together
    messages::ReplyTo reply;
  };
  Asked decode(const hal::Message& request);
  AskedChunks decode_chunks(const hal::Message& request, bool write);
  os::Task<> read(hal::Message& request);
  os::Task<> write(hal::Message& request);
  os::Task<> read_chunks(hal::Message& request);
  os::Task<> write_chunks(hal::Message& request);
  os::Task<> sync(hal::Message& request);
  messages::Endpoint::Answer fail(hal::Message& request, messages::ReplyTo to, hal::Status status);
  void prefetch(std::uint32_t file, std::uint64_t block);

  const Volume& volume_;
  requests::Recorder& record_;
  messages::Endpoint& endpoint_;
  os::Os& os_;
  const bool prefetch_;
  std::byte* gathered_ = nullptr;  // chunks on their way into a reply
  Cache cache_;
};

}  // namespace sunstar::io::cached
