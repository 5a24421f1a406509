// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "sw/file_systems/striped/object_params.h"

// Files, their stripes and their objects. A stripe is a block of the volume; an object's stripes follow one another in
// it. Offsets "in the object" count its bytes.
namespace sunstar::file_systems::striped {

/// A run of a file's bytes.
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

/// What a run touches of one object, in whole pages.
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
