// SPDX-License-Identifier: MIT
#include "sw/io/layouts/layout.h"

#include <cassert>
#include <numeric>

#include "models/core/error.h"
#include "models/core/one_of.h"
#include "sw/io/layouts/layouts.h"

namespace sunstar::io {

DiskSpace::DiskSpace(DiskShape shape, std::string name) : shape_(shape), name_(std::move(name)) {
  if (shape.sectors == 0 || shape.sector_bytes == 0 || shape.sectors_per_track == 0)
    throw ConfigError("Disk \"", name_, "\" has ", shape.sectors, " sectors of ", shape.sector_bytes, " bytes, ",
                      shape.sectors_per_track, " a track; each must be at least 1.");
}

using Range = boost::icl::interval<std::uint64_t>;

bool DiskSpace::is_free(std::uint64_t first, std::uint64_t count) const {
  if (first > shape_.sectors || count > shape_.sectors - first) return false;
  return !boost::icl::intersects(taken_, Range::right_open(first, first + count));
}

void DiskSpace::take(std::uint64_t first, std::uint64_t count) {
  assert(is_free(first, count));
  taken_ += Range::right_open(first, first + count);
}

std::uint64_t DiskSpace::find(std::uint64_t from, std::uint64_t count, std::uint64_t align) const {
  for (std::uint64_t first = from; first <= shape_.sectors && count <= shape_.sectors - first;) {
    const auto taken = taken_.find(Range::right_open(first, first + count));
    if (taken == taken_.end()) return first;
    first = from + (taken->upper() - from + align - 1) / align * align;
  }
  return shape_.sectors;
}

void BlockAddresses::push_back(std::uint64_t sector) {
  if (even()) {
    if (size_ == 0) first_ = sector;
    if (size_ == 1 && sector > first_) step_ = sector - first_;
    if (size_ == 0 || sector == first_ + size_ * step_) {
      ++size_;
      return;
    }
    const std::uint64_t unit = size_ == 1 ? std::gcd(first_, sector) : std::gcd(std::gcd(first_, step_), sector);
    for (std::uint64_t i = 0; i < size_; ++i) steps_.push_back(static_cast<std::uint32_t>((first_ + i * step_) / unit));
    step_ = unit;
  }
  if (const std::uint64_t unit = std::gcd(step_, sector); unit != step_) {
    for (std::uint32_t& s : steps_) s *= static_cast<std::uint32_t>(step_ / unit);
    step_ = unit;
  }
  if (sector / step_ > UINT32_MAX)
    throw ConfigError("A block at sector ", sector,
                      " lies too far up its disk for a layout that scatters blocks; use smaller disks.");
  steps_.push_back(static_cast<std::uint32_t>(sector / step_));
  ++size_;
}

const std::vector<LayoutPolicy>& layout_policies() {
  static const std::vector<LayoutPolicy> all = {
#define SUNSTAR_LAYOUT(policy) layouts::policy,
#include "sw/io/layouts/list.h"
#undef SUNSTAR_LAYOUT
  };
  return all;
}

std::vector<std::string> layout_names() { return names_of(layout_policies()); }

const LayoutPolicy& layout_policy(std::string_view name) {
  for (const LayoutPolicy& policy : layout_policies())
    if (policy.name == name) return policy;
  throw ConfigError("There is no layout \"", name, "\"; ", must_be_one_of(name, layout_names()));
}

BlockAddresses place_blocks(const LayoutPolicy& policy, const LayoutRequest& request, DiskSpace& space,
                            RandomStream& random) {
  if (request.block_bytes == 0 || request.block_bytes % space.shape().sector_bytes != 0)
    throw ConfigError("A file-system block of ", request.block_bytes, " bytes cannot be laid on disk \"", space.name(),
                      "\"; it must be a multiple of the disk's sector size, ", space.shape().sector_bytes, " bytes.");
  if (request.blocks == 0) return {};
  return policy.place(request, space, random);
}

namespace layouts {

[[noreturn]] void does_not_fit(const LayoutRequest& request, const DiskSpace& space, std::string_view why) {
  throw ConfigError("\"", request.file, "\" does not fit on disk \"", space.name(), "\": it needs ", request.blocks,
                    " blocks of ", request.block_bytes, " bytes, ", why, " (", space.free_sectors(), " of ",
                    space.shape().sectors, " sectors of ", space.shape().sector_bytes, " bytes are free).");
}

void take_random(std::uint64_t wanted, std::uint64_t positions, const LayoutRequest& request, DiskSpace& space,
                 RandomStream& random, std::uint64_t sectors_per_position, std::string_view why,
                 const std::function<void(std::uint64_t)>& use) {
  const auto is_free = [&](std::uint64_t p) { return space.is_free(p * sectors_per_position, sectors_per_position); };
  // Draw until a draw hits a free position; on a disk so full that 100 draws in a row fail, draw from a list of the
  // free positions.
  for (unsigned misses = 0; wanted > 0 && positions > 0 && misses < 100;) {
    const std::uint64_t position = random.below(positions);
    if (!is_free(position)) {
      ++misses;
      continue;
    }
    use(position);
    --wanted;
    misses = 0;
  }
  if (wanted == 0) return;
  std::vector<std::uint64_t> free;
  for (std::uint64_t p = 0; p < positions; ++p)
    if (is_free(p)) free.push_back(p);
  if (free.size() < wanted) does_not_fit(request, space, why);
  for (std::uint64_t i = 0; i < wanted; ++i) {
    std::swap(free[i], free[i + random.below(free.size() - i)]);
    use(free[i]);
  }
}

}  // namespace layouts
}  // namespace sunstar::io
