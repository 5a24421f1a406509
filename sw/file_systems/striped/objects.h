// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/core/param.h"
#include "sw/file_systems/capabilities.h"
#include "sw/io/volume.h"

// What file systems that stripe files over objects have in common: the layout of files, servers of objects with their
// threads, and clients with their requests in flight. They differ in how they keep clients apart.
// Files, their stripes and their objects. A stripe is a block of the volume; an object's stripes follow one another in
// it. Offsets "in the object" count its bytes.
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
       "requests of a node to one unit at a time, reads and writes counted apart (Lustre: max_rpcs_in_flight, 8)", "1",
       "1024"},
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
/// Memory that servers and clients take on a node besides their caches.
std::uint64_t memory(const Params& params, const Sizes& sizes);

struct FileRun {
  std::uint32_t file = 0;
  std::uint64_t offset = 0, bytes = 0;
};

/// Bytes of one stripe.
struct Part {
  std::uint32_t file = 0;
  std::uint32_t from = 0, bytes = 0;  ///< in the stripe
  std::uint64_t stripe = 0;           ///< of the file
};

struct ObjectId {
  std::uint32_t file = 0, object = 0;
  auto operator<=>(const ObjectId&) const = default;
};

/// The bytes [begin, end) of an object.
struct Extent {
  std::uint64_t begin = 0, end = 0;
  bool operator==(const Extent&) const = default;
  bool covers(const Extent& other) const { return begin <= other.begin && other.end <= end; }
};
inline constexpr std::uint64_t no_end = ~std::uint64_t{0};

inline std::uint64_t page_begin(std::uint64_t at) { return at / page * page; }
inline std::uint64_t page_end(std::uint64_t at) { return (at + page - 1) / page * page; }

/// Calls visit(part) for each stripe that the run touches, in order.
template <class Visit>
void for_each_part(const io::Volume& volume, const FileRun& run, Visit visit) {
  const std::uint64_t size = volume.block_bytes(), end = run.offset + run.bytes;
  for (std::uint64_t at = run.offset; at < end;) {
    const std::uint64_t stripe = at / size, some = std::min(end, (stripe + 1) * size) - at;
    visit(Part{run.file, static_cast<std::uint32_t>(at % size), static_cast<std::uint32_t>(some), stripe});
    at += some;
  }
}
inline std::uint64_t offset_of(const io::Volume& volume, const Part& part) {
  return part.stripe * volume.block_bytes() + part.from;
}
inline ObjectId object_of(const io::Volume& volume, std::uint32_t file, std::uint64_t stripe) {
  return {file, static_cast<std::uint32_t>(stripe % volume.stripes(file).objects)};
}

/// The part of one object that a run touches, in whole pages.
struct ObjectExtent {
  ObjectId object;
  Extent extent;
};
/// For each object, in their order: everybody takes the locks of a call in that order, so that nobody waits in a
/// circle.
inline std::vector<ObjectExtent> extents_of(const io::Volume& volume, const FileRun& run) {
  std::vector<ObjectExtent> all;
  const std::uint64_t size = volume.block_bytes(), objects = volume.stripes(run.file).objects;
  const std::uint64_t first = run.offset / size, last = (run.offset + run.bytes - 1) / size;
  const auto in_object = [&](std::uint64_t stripe, std::uint64_t at) { return stripe / objects * size + at; };
  for (std::uint64_t stripe = first; stripe <= std::min(last, first + objects - 1); ++stripe) {
    const std::uint64_t its_last = stripe + (last - stripe) / objects * objects;
    const std::uint64_t begin = stripe == first ? run.offset % size : 0;
    const std::uint64_t end = its_last == last ? (run.offset + run.bytes - 1) % size + 1 : size;
    all.push_back({object_of(volume, run.file, stripe),
                   {page_begin(in_object(stripe, begin)), page_end(in_object(its_last, end))}});
  }
  std::ranges::sort(all, {}, &ObjectExtent::object);
  return all;
}

}  // namespace sunstar::file_systems::striped
