// SPDX-License-Identifier: MIT
#include "sw/io/store/redundant/units.h"

#include <algorithm>

namespace sunstar::io::redundant {

Units::Units(const Geometry& g) : geometry_(g) {
  for (std::uint32_t d = 0; d < g.disks(); ++d) {
    Unit unit{d, {}, std::vector<std::int64_t>(g.table_depth(), -1)};
    for (std::uint32_t place = 0; place < g.table_depth(); ++place) {
      const auto m = g.member_at(d, std::uint64_t{place} * g.unit_sectors());
      if (!m || m->member >= g.data()) continue;
      unit.at_place[place] = static_cast<std::int64_t>(unit.of_table.size());
      unit.of_table.push_back(*m);
    }
    if (!unit.of_table.empty()) units_.push_back(std::move(unit));
  }
}

std::uint64_t Units::sectors(std::uint32_t unit, std::uint64_t disk_sectors) const {
  const std::uint64_t rows = geometry_.rows(disk_sectors);
  const auto& own = units_[unit].of_table;
  const auto left =
      std::count_if(own.begin(), own.end(), [&](const Member& m) { return m.row < rows % geometry_.table_rows(); });
  return (rows / geometry_.table_rows() * own.size() + static_cast<std::uint64_t>(left)) * geometry_.unit_sectors();
}

std::vector<Part> Units::parts(std::uint32_t unit, std::uint64_t sector, std::uint32_t sectors) const {
  const auto& own = units_[unit].of_table;
  std::vector<Part> found;
  for (std::uint32_t done = 0; done < sectors;) {
    const std::uint64_t at = sector + done, number = at / geometry_.unit_sectors();
    const auto from = static_cast<std::uint32_t>(at % geometry_.unit_sectors());
    const std::uint32_t length = std::min(geometry_.unit_sectors() - from, sectors - done);
    Member m = own[number % own.size()];
    m.row += number / own.size() * geometry_.table_rows();
    found.push_back({m, from, length, done});
    done += length;
  }
  return found;
}

std::optional<std::uint64_t> Units::sector_at(std::uint32_t unit, std::uint64_t disk_sector) const {
  const Unit& u = units_[unit];
  const std::uint64_t place = disk_sector / geometry_.unit_sectors();
  const std::int64_t number = u.at_place[place % geometry_.table_depth()];
  if (number < 0) return std::nullopt;
  return (place / geometry_.table_depth() * u.of_table.size() + static_cast<std::uint64_t>(number)) *
             geometry_.unit_sectors() +
         disk_sector % geometry_.unit_sectors();
}

}  // namespace sunstar::io::redundant
