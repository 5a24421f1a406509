// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "sw/file_systems/striped/messages.h"
#include "sw/file_systems/striped/objects.h"

// What goes over the sockets of PVFS and of its cache module.
// A file is striped over the store of all data nodes (section 3.1). An iod finds its part of a request by itself.
namespace sunstar::file_systems::pvfs {

using striped::Open;
using striped::Sync;

/// A request to an iod, for its part of a run of a file's bytes. The iod acknowledges a read before it sends the data,
/// and a write when it has written them to its local file or, as the status then says, failed to.
struct Request {
  static constexpr std::uint32_t writes = 1;    ///< the data follow
  static constexpr std::uint32_t coherent = 2;  ///< a write that invalidates the copies in all other caches
  static constexpr std::uint32_t keeps = 4;     ///< the sender's cache keeps a copy
  std::uint32_t file = 0;
  std::uint32_t number = 0;  ///< the sender's, for the data
  std::uint64_t offset = 0, bytes = 0;
  std::uint32_t flags = 0, unused = 0;
  messages::ReplyTo acknowledgement;
};
/// Bytes of a file, in either direction: they belong to the request of that number.
struct Data {
  std::uint32_t number = 0, unused = 0;
  std::uint64_t offset = 0;  ///< into the file
};
/// Stands for data that the iod could not read.
struct Missing {
  std::uint32_t number = 0, bytes = 0;
  std::uint64_t offset = 0;  ///< into the file
  hal::Status status = hal::Status::ok;
};
/// Changed bytes of a cache, which the iod's own flusher writes. The answer tells that they are written, or that these
/// or earlier bytes are lost.
struct Flush {
  std::uint32_t file = 0, unused = 0;
  std::uint64_t offset = 0;
  messages::ReplyTo reply;
};
/// Another node has written these bytes: the cache's copies of their blocks are out of date.
struct Invalidate {
  std::uint32_t file = 0, unused = 0;
  std::uint64_t offset = 0, bytes = 0;
  messages::ReplyTo reply;
};
/// An iod asks a cache for a block. The answer is a Fetched with the bytes behind it.
struct Fetch {
  std::uint32_t file = 0, unused = 0;
  std::uint64_t block = 0;
  messages::ReplyTo reply;
};
struct Fetched {
  std::uint32_t bytes = 0;  ///< 0 if the cache does not hold all of the block any more
  std::uint32_t unused = 0;
};

// What a log tells of them.
BOOST_DESCRIBE_STRUCT(Request, (), (file, offset, bytes))
BOOST_DESCRIBE_STRUCT(Data, (), (number, offset))
BOOST_DESCRIBE_STRUCT(Flush, (), (file, offset))
BOOST_DESCRIBE_STRUCT(Invalidate, (), (file, offset, bytes))
BOOST_DESCRIBE_STRUCT(Fetch, (), (file, block))

struct Messages {
  using enum messages::Taken;
  explicit Messages(messages::Numbers& n) : numbers(n) {}
  messages::Numbers& numbers;
  const messages::Kind<Open> open{numbers, "open"};
  const messages::Kind<Request> request{numbers, "request"};
  const messages::Kind<Data> data{numbers, "data", always, messages::Carries::file_data};  ///< to the reader
  const messages::Kind<Data> put{numbers, "put", always, messages::Carries::file_data};    ///< to the iod
  const messages::Kind<Flush> flush{numbers, "flush", always, messages::Carries::file_data};
  const messages::Kind<Invalidate> invalidate{numbers, "invalidate", always};
  const messages::Kind<Fetch> fetch{numbers, "fetch", always};
  const messages::Kind<Sync> sync{numbers, "sync"};
  const messages::Kind<Missing> missing{numbers, "missing", always};  ///< to the reader
};

using striped::FileRun;

/// The I/O processors that hold a part of the run, each once, in the order in which the run meets them.
inline std::vector<std::uint32_t> data_nodes_of(const io::Volume& volume, const FileRun& run) {
  std::vector<std::uint32_t> found;
  const std::uint64_t first = run.offset / volume.block_bytes();
  const std::uint64_t last = run.bytes == 0 ? first : (run.offset + run.bytes - 1) / volume.block_bytes() + 1;
  // The units repeat after one round.
  for (std::uint64_t s = first; s < std::min(last, first + volume.units()); ++s) {
    const std::uint32_t node = volume.server_of(s);
    if (std::ranges::find(found, node) == found.end()) found.push_back(node);
  }
  return found;
}

}  // namespace sunstar::file_systems::pvfs
