// SPDX-License-Identifier: MIT
#include "sw/io/store/redundant/array.h"

#include <algorithm>
#include <set>

#include "models/core/error.h"
#include "sw/io/store/redundant/content_sum.h"
#include "sw/io/store/redundant/galois.h"

namespace sunstar::io::redundant {
namespace {

content::Content zeros(std::uint32_t bytes) {
  return content::Content(content::Piece{content::Source::zero, bytes, 0});
}

/// Replaces part of a content.
void replace(content::Content& in, std::uint32_t at, const content::Content& by) {
  content::Content result = in.slice(0, at);
  result.append(by);
  result.append(in, at + by.size(), in.size() - at - by.size());
  in = std::move(result);
}

}  // namespace

Array::Array(Geometry geometry, const Design& design, std::vector<std::unique_ptr<RawDisk>> drives)
    : geometry_(std::move(geometry)),
      design_(design),
      units_(geometry_),
      drives_(std::move(drives)),
      disk_sectors_(drives_.front()->shape().sectors),
      failures_(std::vector<bool>(drives_.size(), false)),
      planner_(geometry_, design.rule, [](std::span<const Copy>) { return std::size_t{0}; }) {
  for (const auto& drive : drives_) disk_sectors_ = std::min(disk_sectors_, drive->shape().sectors);
}

Plan Array::read(std::uint32_t unit, std::uint64_t sector, std::uint32_t sectors) const {
  return planner_.read(units_.parts(unit, sector, sectors), failures_);
}
Plan Array::write(std::uint32_t unit, std::uint64_t sector, std::uint32_t sectors) const {
  return planner_.write(units_.parts(unit, sector, sectors), failures_);
}

bool Array::carry_out(const Plan& plan, content::Content& own) {
  if (plan.lost) return false;
  const std::uint32_t sector = drives_.front()->shape().sector_bytes;
  content::Content buffer = zeros(plan.buffer_sectors * sector);
  for (const Step& s : plan.steps) {  // in their order, which is one that their dependencies allow
    content::Content& memory = s.memory.own ? own : buffer;
    const std::uint32_t at = s.memory.sector * sector, bytes = s.at.sectors * sector;
    if (s.kind == Step::Kind::write) {
      drives_[s.at.disk]->write(s.at.sector, memory.slice(at, bytes));
      continue;
    }
    content::Content result;
    if (s.kind == Step::Kind::read) {
      drives_[s.at.disk]->read(s.at.sector, bytes, result);
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

std::optional<std::string> Array::wrong_check() const {
  const std::uint32_t sector = drives_.front()->shape().sector_bytes;
  const std::uint64_t unit_bytes = std::uint64_t{geometry_.unit_sectors()} * sector;
  std::set<std::uint64_t> rows;
  for (std::uint32_t d = 0; d < geometry_.disks(); ++d)
    drives_[d]->for_each_written([&](std::uint64_t offset, const content::Content& found) {
      for (std::uint64_t at = offset / unit_bytes * unit_bytes; at < offset + found.size(); at += unit_bytes)
        if (const auto m = geometry_.member_at(d, at / sector); m && m->row < this->rows()) rows.insert(m->row);
    });
  const auto unit_of = [&](Member m) { return geometry_.at(m, 0, geometry_.unit_sectors()); };
  for (std::uint64_t row : rows) {
    bool whole = true;
    for (std::uint32_t m = 0; m < geometry_.data(); ++m) whole = whole && !failures_.has(unit_of({row, m}));
    if (!whole) continue;  // the checks stand for what is missing
    for (std::uint32_t c = 0; c < geometry_.checks(); ++c) {
      const Extent place = unit_of({row, geometry_.data() + c});
      if (failures_.has(place)) continue;
      content::Content sum = zeros(static_cast<std::uint32_t>(unit_bytes)), found;
      for (std::uint32_t m = 0; m < geometry_.data(); ++m) {
        const Extent e = unit_of({row, m});
        content::Content data;
        drives_[e.disk]->read(e.sector, static_cast<std::uint32_t>(unit_bytes), data);
        add(sum, 0, data, coefficient(c, m));
      }
      drives_[place.disk]->read(place.sector, static_cast<std::uint32_t>(unit_bytes), found);
      if (const auto wrong = first_difference(sum, found))
        return "sector " + std::to_string(place.sector + *wrong / sector) + " of " + drives_[place.disk]->name() +
               (geometry_.mirror() ? " is no copy of its data" : " is not the parity of its row");
    }
  }
  return std::nullopt;
}

RawUnit::RawUnit(Array& array, std::uint32_t unit)
    : RawDisk(array.drive(array.units().disk(unit)).name(),
              {array.unit_sectors(unit), array.drive(array.units().disk(unit)).shape().sector_bytes,
               array.drive(array.units().disk(unit)).shape().sectors_per_track}),
      array_(array),
      unit_(unit) {}

void RawUnit::read(std::uint64_t sector, std::uint32_t bytes, content::Content& to) const {
  const std::uint32_t sectors = (bytes + shape().sector_bytes - 1) / shape().sector_bytes;
  content::Content data = zeros(sectors * shape().sector_bytes);
  // What is lost is not what anyone expects to find.
  if (!array_.carry_out(array_.read(unit_, sector, sectors), data)) data = content::corrupted(data);
  to.append(data, 0, bytes);
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
  const std::uint32_t disk = array_.units().disk(unit_), bytes = shape().sector_bytes;
  if (array_.failures().failed[disk]) return;  // nobody sees what is on it
  const std::uint64_t stripe = std::uint64_t{array_.geometry().unit_sectors()} * bytes;
  array_.drive(disk).for_each_written([&](std::uint64_t offset, const content::Content& found) {
    for (std::uint64_t at = offset, end = offset + found.size(); at < end;) {
      const std::uint64_t next = std::min(end, (at / stripe + 1) * stripe);
      if (const auto sector = array_.units().sector_at(unit_, at / bytes); sector && *sector < shape().sectors)
        visit(*sector * bytes + at % bytes,
              found.slice(static_cast<std::uint32_t>(at - offset), static_cast<std::uint32_t>(next - at)));
      at = next;
    }
  });
}

}  // namespace sunstar::io::redundant
