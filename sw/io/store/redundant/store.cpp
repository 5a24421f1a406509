// SPDX-License-Identifier: MIT
#include "sw/io/store/redundant/store.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <string>

#include "models/core/error.h"
#include "sw/io/store/redundant/array.h"
#include "sw/io/store/redundant/block_design.h"
#include "sw/io/store/redundant/server.h"

namespace sunstar::io::redundant {
namespace {

/// An array at each I/O processor.
class RedundantStore final : public Store {
 public:
  using MakeGeometry = std::function<Geometry(std::uint32_t disks, std::uint32_t unit_sectors)>;

  RedundantStore(const Common& params, const Design& design, const MakeGeometry& geometry, std::vector<Drive> drives)
      : Store(drives.front().bytes->shape().sector_bytes), scrubs_(params.scrub_period > Duration{}) {
    std::uint32_t processors = 0;
    for (const Drive& d : drives) processors = std::max(processors, d.place.io_processor + 1);
    std::vector<std::vector<std::unique_ptr<RawDisk>>> by_processor(processors);
    for (Drive& d : drives) {
      auto& own = by_processor[d.place.io_processor];
      if (own.size() <= d.place.unit) own.resize(d.place.unit + 1);
      own[d.place.unit] = std::move(d.bytes);
    }
    if (params.stripe_unit.count % sector_bytes() != 0)
      throw ConfigError("file_system.store.stripe_unit is " + std::to_string(params.stripe_unit.count) +
                        "B; it must be a multiple of the drives' sector size, " + std::to_string(sector_bytes()) +
                        "B.");
    const auto unit = static_cast<std::uint32_t>(params.stripe_unit.count / sector_bytes());
    std::uint32_t most = 0;
    for (auto& own : by_processor) {
      const auto drives_here = static_cast<std::uint32_t>(own.size());
      if (drives_here <= params.spares)
        throw ConfigError("file_system.store.spares is " + std::to_string(params.spares) + "; an I/O processor has " +
                          std::to_string(drives_here) + " drives (machine.disks).");
      const std::uint32_t disks = drives_here - params.spares;
      Array& array = arrays_.emplace_back(geometry(disks, unit), design, std::move(own));
      for (std::uint32_t f : params.failed) {
        if (f >= disks)
          throw ConfigError("file_system.store.failed has " + std::to_string(f) +
                            "; the last drive of an I/O processor's array is " + std::to_string(disks - 1) + ".");
        array.fail(f);
      }
      if (array.lost()) throw ConfigError("file_system.store.failed has more drives than the store can do without.");
      most = std::max(most, array.units().count());
    }
    for (std::uint32_t u = 0; u < most; ++u)
      for (std::uint32_t p = 0; p < arrays_.size(); ++p)
        if (u < arrays_[p].units().count()) {
          units_.push_back({p, u});
          raw_.emplace_back(arrays_[p], u);
        }
  }

  RawDisk& raw(std::uint32_t unit) override { return raw_[unit]; }
  StoreServer& serve(std::uint32_t io_processor, messages::Endpoint& endpoint, DiskDrivers& drivers) override {
    return servers_.emplace_back(endpoint.os, drivers, arrays_[io_processor], RandomStream(io_processor, "copies"));
  }
  void add_figures(NamedFigures& sections) const override {
    const Counts all = counts();
    NamedFigures& section = sections.section("store");
    section.add("read_modify_writes", all.rows.read_modify_write);
    section.add("reconstruct_writes", all.rows.reconstruct);
    section.add("full_row_writes", all.rows.full);
    if (!scrubs_) return;
    section.add("rows_scrubbed", all.rows_scrubbed);
    section.add("rows_mismatched", all.rows_mismatched);
    section.add("mismatches_undecided", all.mismatches_undecided);
  }
  void add_fault_figures(NamedFigures& faults) const override {
    const Counts all = counts();
    faults.add("corrections", all.corrections);
    faults.add("drives_failed", all.drives_failed);
    faults.add("rows_rebuilt", all.rows_rebuilt);
    faults.add("rebuilds", all.rebuilds);
    faults.add("rebuilds_complete", all.rebuilds_complete);
    faults.add("units_doubted", all.units_doubted);
    faults.add("units_given_up", all.units_given_up);
  }
  std::optional<std::string> fault() const override {
    for (const Array& array : arrays_)
      if (auto wrong = array.wrong_check()) return wrong;
    return std::nullopt;
  }

 private:
  Counts counts() const {
    Counts all;
    for (const Server& server : servers_) all += server.counts();
    return all;
  }

  const bool scrubs_;
  std::deque<Array> arrays_;  // by I/O processor
  std::deque<RawUnit> raw_;
  std::deque<Server> servers_;
};

[[noreturn]] void refuse(std::string_view kind, std::uint32_t disks, const std::string& needs) {
  throw ConfigError("file_system.store.kind is " + std::string(kind) + ", which needs " + needs +
                    " at each I/O processor; one has " + std::to_string(disks) + " (machine.disks, less the spares).");
}

Upkeep upkeep(const Common& p) {
  return {p.spares, p.corrections, p.rebuild, p.rebuild_least, p.rebuild_most, {}, p.scrub_period, p.scrub_repairs};
}

Design with_parity(const Parity& p) {
  Design design{{p.reconstruct_from, FullRow::covered}, ReadCopy::primary, upkeep(p)};
  design.upkeep.plug = p.plug;
  return design;
}

std::unique_ptr<Store> rotated(const Parity& p, std::string_view kind, std::uint32_t checks, Rotation layout,
                               std::vector<Drive> drives) {
  const auto geometry = [&](std::uint32_t disks, std::uint32_t unit) {
    if (disks < checks + 2 || disks > 256) refuse(kind, disks, std::to_string(checks + 2) + " to 256 drives");
    return Geometry::rotated(disks, checks, layout, unit);
  };
  return std::make_unique<RedundantStore>(p, with_parity(p), geometry, std::move(drives));
}

}  // namespace

std::unique_ptr<Store> make(const Mirror& p, std::vector<Drive> drives) {
  const auto geometry = [&](std::uint32_t disks, std::uint32_t unit) {
    if (disks % p.copies != 0) refuse(Mirror::kind, disks, "a multiple of " + std::to_string(p.copies) + " drives");
    return Geometry::mirrored(disks, p.copies, unit);
  };
  return std::make_unique<RedundantStore>(p, Design{{}, p.read_copy, upkeep(p)}, geometry, std::move(drives));
}

std::unique_ptr<Store> make(const Raid4& p, std::vector<Drive> drives) {
  const auto geometry = [&](std::uint32_t disks, std::uint32_t unit) {
    if (disks < 3) refuse(Raid4::kind, disks, "at least 3 drives");
    return Geometry::parity_disk(disks, unit);
  };
  return std::make_unique<RedundantStore>(p, with_parity(p), geometry, std::move(drives));
}

std::unique_ptr<Store> make(const Raid5& p, std::vector<Drive> drives) {
  return rotated(p, Raid5::kind, 1, p.layout, std::move(drives));
}

std::unique_ptr<Store> make(const Raid6& p, std::vector<Drive> drives) {
  return rotated(p, Raid6::kind, 2, p.layout, std::move(drives));
}

std::unique_ptr<Store> make(const ParityDeclustered& p, std::vector<Drive> drives) {
  const auto geometry = [&](std::uint32_t disks, std::uint32_t unit) {
    if (!has_block_design(disks, p.group))
      refuse(ParityDeclustered::kind, disks, "for a group of " + std::to_string(p.group) + " " + block_design_rule());
    return Geometry::declustered(disks, p.group, unit);
  };
  return std::make_unique<RedundantStore>(p, with_parity(p), geometry, std::move(drives));
}

std::uint64_t memory(const Common& p, std::uint64_t drives, std::uint64_t requests, std::uint64_t block_bytes) {
  return server_memory(drives, requests, std::max(block_bytes, p.stripe_unit.count));
}

}  // namespace sunstar::io::redundant
