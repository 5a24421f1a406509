// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "sw/file_systems/capabilities.h"
#include "sw/io/volume.h"

// What file systems that stripe files over objects have in common: the layout of files, servers of objects with their
// threads, and clients with their requests in flight. They differ in how they keep clients apart.
namespace sunstar::file_systems::striped {

/// A page of a client's cache, and of a server's file system.
inline constexpr std::uint32_t page = 4096;

struct Params {
  std::uint32_t stripe_count = 0;
  Bytes request_size{1 << 20};
  std::uint32_t requests_in_flight = 8;
  std::uint32_t server_threads = 64;
  Cycles request_overhead{};
};
BOOST_DESCRIBE_STRUCT(Params, (), (stripe_count, request_size, requests_in_flight, server_threads, request_overhead))
inline std::vector<Param> parameters(const Params*) {
  return {
      {"stripe_count",
       "objects that a file is striped over, by file_system.block_size; each lies on one unit of the store, the next "
       "file's begin behind them, and one further after each round. 0: one on each unit; more than there are units: "
       "several on a unit (overstriping)",
       "0", "65536"},
      {"request_size", "the most that one request reads or writes (Lustre: max_pages_per_rpc, 1 MiB)", "4KiB", "16MiB"},
      {"requests_in_flight",
       "requests of a node to one unit at a time, those that read and those that write counted apart (Lustre: "
       "max_rpcs_in_flight, 8)",
       "1", "1024"},
      {"server_threads", "requests that an I/O processor serves at a time; others wait", "1", "4096"},
      {"request_overhead",
       "processor cycles of each request at a server in addition to the counted primitives: no figure for a whole "
       "stack's is published",
       "0", "10000000", Tuning::fixed},
  };
}

/// The file of that number.
io::Stripes stripes(const Params& params, std::uint32_t file, std::uint32_t units);

/// Throws ConfigError if a stripe is not whole pages, or a sector larger than a page.
void require_pages(const Params& params, const io::Volume& volume);
/// What servers and clients take on a node besides their caches.
std::uint64_t memory(const Params& params, const Sizes& sizes);

}  // namespace sunstar::file_systems::striped
