// SPDX-License-Identifier: MIT
#include "sw/io/store/redundant/array.h"

#include "sw/io/store/redundant/checks.h"
#include "sw/io/store/redundant/galois.h"

namespace sunstar::io::redundant {

namespace {

content::Content zeros(std::uint32_t bytes) {
  return content::Content(content::Piece{content::Source::zero, bytes, 0});
}

}  // namespace

Array::Array(Geometry geometry, const Common& params, const Design& design,
             std::vector<std::unique_ptr<RawDisk>> drives)
    : geometry_(std::move(geometry)),
      params_(params),
      design_(design),
      drives_(std::move(drives)),
      homes_(geometry_.disks()),
      earlier_homes_(geometry_.disks()),
      next_spare_(geometry_.disks()),
      disk_sectors_(drives_.front()->shape().sectors),
      failures_(std::vector<bool>(geometry_.disks(), false)),
      planner_(geometry_, design.rule, [](std::span<const Copy>) { return std::size_t{0}; }) {
  std::iota(homes_.begin(), homes_.end(), 0u);
  for (const auto& drive : drives_) disk_sectors_ = std::min(disk_sectors_, drive->shape().sectors);
  for (std::uint32_t d = 0; d < geometry_.disks(); ++d) {
    Unit unit{d, {}};
    for (std::uint32_t place = 0; place < geometry_.table_depth(); ++place) {
      const auto m = geometry_.member_at(d, std::uint64_t{place} * geometry_.unit_sectors());
      if (m && m->member < geometry_.data()) unit.of_table.push_back(*m);
    }
    if (!unit.of_table.empty()) units_.push_back(std::move(unit));
  }
}

std::uint64_t Array::unit_sectors(std::uint32_t unit) const {
  const auto& own = units_[unit].of_table;
  const auto left =
      std::ranges::count_if(own, [&](const Member& m) { return m.row < rows() % geometry_.table_rows(); });
  return (rows() / geometry_.table_rows() * own.size() + static_cast<std::uint64_t>(left)) * geometry_.unit_sectors();
}

std::vector<Part> Array::parts(std::uint32_t unit, std::uint64_t sector, std::uint32_t sectors) const {
  const auto& own = units_[unit].of_table;
  return cut(geometry_, sector, sectors, [&](std::uint64_t at) {
    const std::uint64_t number = at / geometry_.unit_sectors();
    const Member& m = own[number % own.size()];
    return Member{m.row + number / own.size() * geometry_.table_rows(), m.member};
  });
}

std::optional<std::uint64_t> Array::sector_at(std::uint32_t unit, std::uint64_t disk_sector) const {
  const auto m = geometry_.member_at(units_[unit].disk, disk_sector);
  if (!m || m->member >= geometry_.data()) return std::nullopt;
  const auto& own = units_[unit].of_table;
  const auto found = std::ranges::lower_bound(own, m->row % geometry_.table_rows(), {}, &Member::row);
  const std::uint64_t number =
      m->row / geometry_.table_rows() * own.size() + static_cast<std::size_t>(found - own.begin());
  return number * geometry_.unit_sectors() + disk_sector % geometry_.unit_sectors();
}

bool Array::use_spare(std::uint32_t disk) {
  if (next_spare_ == drives_.size()) return false;
  earlier_homes_[disk].push_back(homes_[disk]);
  homes_[disk] = next_spare_++;
  return true;
}

Plan Array::read(std::uint32_t unit, std::uint64_t sector, std::uint32_t sectors) const {
  return planner_.read(parts(unit, sector, sectors), failures_);
}
Plan Array::write(std::uint32_t unit, std::uint64_t sector, std::uint32_t sectors) const {
  return planner_.write(parts(unit, sector, sectors), failures_);
}

bool Array::carry_out(const Plan& plan, content::Content& own) {
  if (plan.lost) return false;
  const std::uint32_t sector = sector_bytes();
  content::Content buffer = zeros(plan.buffer_sectors * sector);
  for (const Step& s : plan.steps) {  // in their order, which respects their dependencies
    content::Content& memory = s.memory.own ? own : buffer;
    const std::uint32_t at = s.memory.sector * sector, bytes = s.at.sectors * sector;
    if (s.kind == Step::Kind::write) {
      drive(s.at.disk).write(s.at.sector, memory.slice(at, bytes));
      continue;
    }
    content::Content result;
    if (s.kind == Step::Kind::read) {
      drive(s.at.disk).read(s.at.sector, bytes, result);
    } else {
      result = zeros(bytes);
      for (const Term& t : s.terms)
        add(result, t.at * sector, (t.from.own ? own : buffer).slice(t.from.sector * sector, t.sectors * sector),
            t.factor);
    }
    replace(memory, at, result);
  }
  return true;
}

bool Array::lost() const {
  for (std::uint32_t row = 0; row < geometry_.table_rows(); ++row) {
    std::uint32_t failed = 0;
    for (std::uint32_t m = 0; m < geometry_.members(); ++m) failed += failures_.failed[geometry_.disk_of({row, m})];
    if (failed > geometry_.checks()) return true;
  }
  return false;
}

std::optional<std::string> Array::wrong_check(const std::set<std::uint64_t>& open, std::uint64_t& holes) const {
  const std::uint32_t sector = sector_bytes(), bytes = unit_bytes();
  std::set<std::uint64_t> rows;
  for (std::uint32_t d = 0; d < geometry_.disks(); ++d)
    drive(d).for_each_written([&](std::uint64_t offset, const content::Content& found) {
      for (std::uint64_t at = offset / bytes * bytes; at < offset + found.size(); at += bytes)
        if (const auto m = geometry_.member_at(d, at / sector); m && m->row < this->rows()) rows.insert(m->row);
    });
  const auto content_of = [&](const Extent& unit) {
    content::Content found;
    drive(unit.disk).read(unit.sector, bytes, found);
    return found;
  };
  for (std::uint64_t row : rows) {
    bool whole = true;
    for (std::uint32_t m = 0; m < geometry_.data(); ++m) whole = whole && !failures_.has(geometry_.whole({row, m}));
    if (!whole) continue;  // the checks stand for the missing data
    for (std::uint32_t c = 0; c < geometry_.checks(); ++c) {
      const Extent place = geometry_.whole({row, geometry_.data() + c});
      if (failures_.has(place)) continue;
      content::Content sum = zeros(bytes);
      for (std::uint32_t m = 0; m < geometry_.data(); ++m)
        add(sum, 0, content_of(geometry_.whole({row, m})), coefficient(c, m));
      const auto wrong = first_difference(sum, content_of(place));
      if (wrong && open.contains(row)) {
        ++holes;
        break;
      }
      if (wrong && !spoilt(row))
        return "sector " + std::to_string(place.sector + *wrong / sector) + " of " + drive(place.disk).name() +
               (geometry_.mirror() ? " is no copy of its data" : " is not the parity of its row");
    }
  }
  return std::nullopt;
}

std::pair<Part, std::uint64_t> Array::part_at(std::uint32_t unit, std::uint64_t offset) const {
  const Part part = parts(unit, offset / sector_bytes(), 1).front();
  return {part, std::uint64_t{part.from} * sector_bytes() + offset % sector_bytes()};
}

std::uint64_t Array::silently_wrong(std::uint32_t unit, std::uint64_t offset) const {
  // Wrong data of a drive may have gone into computed units of the row, or been read and written back, to each copy.
  const auto [part, byte] = part_at(unit, offset);
  const Extent own = geometry_.whole(part.unit);
  const bool from_others = geometry_.mirror() || failures_.has(own) || anew_.contains(own);
  std::uint64_t most = 0;
  for (std::uint32_t m = 0; m < geometry_.members(); ++m) {
    const Extent e = geometry_.whole({part.unit.row, m});
    const std::uint64_t at = e.sector * sector_bytes() + byte;
    for_each_home(e.disk, [&](const RawDisk& d) {
      most = std::max(most, d.delivered_wrong(at));
      if (from_others || e.disk == own.disk) most = std::max(most, d.once_wrong(at));
    });
  }
  return std::min(unit_bytes() - byte, most);
}

std::uint64_t Array::lost_bytes(std::uint32_t unit, std::uint64_t offset) const {
  const auto [part, byte] = part_at(unit, offset);
  const std::uint64_t left = unit_bytes() - byte;
  if (planner_.read(std::span(&part, 1), failures_).lost) return left;
  const auto lost = [this, byte = byte](const Extent& e) {
    return drive(e.disk).lost_with_power(e.sector * sector_bytes() + byte);
  };
  if (const Extent own = geometry_.whole(part.unit); !failures_.has(own)) return std::min(left, lost(own));
  std::uint64_t most = 0;  // its content is computed from the row's others
  for (std::uint32_t m = 0; m < geometry_.members(); ++m)
    if (const Extent e = geometry_.whole({part.unit.row, m}); !failures_.has(e)) most = std::max(most, lost(e));
  return std::min(left, most);
}

/// Whether a drive has corrupted bytes of the row, or lost them with its power.
bool Array::spoilt(std::uint64_t row) const {
  for (std::uint32_t m = 0; m < geometry_.members(); ++m) {
    const Extent e = geometry_.whole({row, m});
    bool wrong = false;
    for (std::uint64_t s = e.sector; s < e.sector + e.sectors; ++s)
      for_each_home(e.disk, [&](const RawDisk& d) {
        const std::uint64_t at = s * sector_bytes();
        wrong |= d.once_wrong(at) > 0 || d.delivered_wrong(at) > 0;
      });
    if (wrong) return true;
  }
  return false;
}

RawUnit::RawUnit(Array& array, std::uint32_t unit)
    : RawDisk(array.drive(array.unit_disk(unit)).name(),
              {array.unit_sectors(unit), array.drive(array.unit_disk(unit)).shape().sector_bytes,
               array.drive(array.unit_disk(unit)).shape().sectors_per_track}),
      array_(array),
      unit_(unit) {}

void RawUnit::read(std::uint64_t sector, std::uint32_t bytes, content::Content& to) const {
  const std::uint32_t sectors = (bytes + shape().sector_bytes - 1) / shape().sector_bytes;
  content::Content data = zeros(sectors * shape().sector_bytes);
  if (array_.carry_out(array_.read(unit_, sector, sectors), data)) {
    to.append(data, 0, bytes);
    return;
  }
  std::uint32_t left = bytes;
  for (const Part& p : array_.parts(unit_, sector, sectors)) {
    const Extent e = array_.geometry().at(p.unit, p.from, p.sectors);
    const std::uint32_t n = std::min(left, p.sectors * shape().sector_bytes);
    array_.drive(e.disk).read(e.sector, n, to);
    left -= n;
  }
}

void RawUnit::write(std::uint64_t sector, const content::Content& from) {
  // In parts, since a plan handles the content of all its steps at once.
  const std::uint32_t bytes = shape().sector_bytes, most = array_.geometry().unit_sectors() * bytes;
  for (std::uint32_t at = 0; at < from.size();) {
    const std::uint32_t offset = static_cast<std::uint32_t>(sector % array_.geometry().unit_sectors()) * bytes;
    const std::uint32_t length = std::min(most - offset, from.size() - at);
    content::Content data = from.slice(at, length);
    const std::uint32_t sectors = (length + bytes - 1) / bytes;
    if (length < sectors * bytes) {  // the rest of the last sector stays as it is
      content::Content whole;
      read(sector, sectors * bytes, whole);
      data.append(whole, length, sectors * bytes - length);
    }
    if (!array_.carry_out(array_.write(unit_, sector, sectors), data))
      throw SimulationError(name() + " cannot be written: more drives have failed than its store can do without");
    sector += sectors;
    at += length;
  }
}

void RawUnit::for_each_written(const Visit& visit) const {
  const std::uint32_t disk = array_.unit_disk(unit_), bytes = shape().sector_bytes;
  if (array_.failures().failed[disk]) return;  // the failed disk's content is invisible
  const std::uint64_t stripe = std::uint64_t{array_.geometry().unit_sectors()} * bytes;
  array_.drive(disk).for_each_written([&](std::uint64_t offset, const content::Content& found) {
    for (std::uint64_t at = offset, end = offset + found.size(); at < end;) {
      const std::uint64_t next = std::min(end, (at / stripe + 1) * stripe);
      if (const auto sector = array_.sector_at(unit_, at / bytes); sector && *sector < shape().sectors)
        visit(*sector * bytes + at % bytes,
              found.slice(static_cast<std::uint32_t>(at - offset), static_cast<std::uint32_t>(next - at)));
      at = next;
    }
  });
}

}  // namespace sunstar::io::redundant
