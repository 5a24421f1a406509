// SPDX-License-Identifier: MIT
#include "platforms/disk/array/params.h"

namespace sunstar::disk_platform {

namespace redundant = io::redundant;

std::uint32_t disks_of(const ArrayParams& a) { return a.kind.is<NoArray>() ? 1 : a.disks; }

void check(const ArrayParams& a, const std::string& path, Problems& problems) {
  if (a.kind.is<NoArray>()) return;
  const auto refuse = [&](const std::string& must_be) {
    problems.add(json_path(path, "disks"), "is ", a.disks, "; it must be ", must_be);
  };
  a.kind.visit([&]<class Kind>(const Kind& kind) {
    if constexpr (std::same_as<Kind, Raid1>) {
      if (a.disks % kind.copies != 0) refuse("a multiple of the copies, " + std::to_string(kind.copies));
    } else if constexpr (std::same_as<Kind, Declustered>) {
      if (kind.group > a.disks) {
        refuse("at least the group, " + std::to_string(kind.group));
      } else if (!redundant::has_block_design(a.disks, kind.group)) {
        problems.add(json_path(path, "group"), "is ", kind.group, " of ", a.disks, " disks; it must be ",
                     redundant::block_design_rule());
      }
    } else if constexpr (std::same_as<Kind, Raid6>) {
      if (a.disks < 3 || a.disks > 257) refuse("from 3 to 257");
    } else if constexpr (std::derived_from<Kind, ParityRule>) {
      if (a.disks < 2) refuse("at least 2");
    }
  });
  for (std::size_t i = 0; i < a.failed.size(); ++i) {
    const std::string item = json_path(path, "failed") + "[" + std::to_string(i) + "]";
    if (a.failed[i] >= a.disks) problems.add(item, "is ", a.failed[i], "; the array's last disk is ", a.disks - 1);
    if (std::count(a.failed.begin(), a.failed.end(), a.failed[i]) > 1 && a.failed[i] < a.disks)
      problems.add(item, "is ", a.failed[i], ", which is there twice");
  }
}

redundant::Geometry geometry_of(const ArrayParams& a, std::uint64_t sector_bytes, std::uint64_t sectors) {
  const auto unit = static_cast<std::uint32_t>(a.stripe_unit.count / sector_bytes);
  using redundant::Geometry;
  return a.kind.visit([&]<class Kind>(const Kind& kind) {
    // A unit's sectors are a number with 32 bits.
    if constexpr (std::same_as<Kind, NoArray>)
      return Geometry::striped(1, static_cast<std::uint32_t>(sectors / ((sectors >> 32) + 1)));
    else if constexpr (std::same_as<Kind, Raid0>) return Geometry::striped(a.disks, unit);
    else if constexpr (std::same_as<Kind, Raid1>) return Geometry::mirrored(a.disks, kind.copies, unit);
    else if constexpr (std::same_as<Kind, Raid4>) return Geometry::parity_disk(a.disks, unit);
    else if constexpr (std::same_as<Kind, Raid5>) return Geometry::rotated(a.disks, 1, kind.layout, unit);
    else if constexpr (std::same_as<Kind, Raid6>) return Geometry::rotated(a.disks, 2, kind.layout, unit);
    else return Geometry::declustered(a.disks, kind.group, unit);
  });
}

redundant::Planner::Rule rule_of(const ArrayParams& a) {
  return a.kind.visit([]<class Kind>(const Kind& kind) -> redundant::Planner::Rule {
    if constexpr (std::derived_from<Kind, ParityRule>) return {kind.reconstruct_from, kind.full_row};
    else return {};
  });
}

redundant::ReadCopy read_copy_of(const ArrayParams& a) {
  const auto* mirrored = a.kind.if_is<Raid1>();
  return mirrored ? mirrored->read_copy : redundant::ReadCopy::primary;
}

}  // namespace sunstar::disk_platform
