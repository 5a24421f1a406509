// SPDX-License-Identifier: MIT
#include "sw/io/store/redundant/store.h"

#include "sw/io/store/redundant/server.h"

namespace sunstar::io::redundant {
namespace {

constexpr double longest_rebuild_s = 86'400;

/// The servers of several arrays as one, whose units come array by array, in the store's order.
class Several final : public StoreServer {
 public:
  void add(Server& server, std::uint32_t array) {
    const std::uint32_t count = server.units();
    for (std::uint32_t u = 0; u < count; ++u) units_.push_back({&server, (u + array) % count});
    servers_.push_back(&server);
  }
  std::uint32_t units() const override { return static_cast<std::uint32_t>(units_.size()); }
  std::uint64_t sectors(std::uint32_t u) const override { return units_[u].server->sectors(units_[u].unit); }
  os::Task<hal::Status> synchronise() override {
    hal::Status worst = hal::Status::ok;
    for (Server* server : servers_) {
      const hal::Status status = co_await server->synchronise();
      if (status != hal::Status::ok) worst = status;
    }
    co_return worst;
  }
  os::Task<std::vector<LostWrite>> take_lost_writes() override {
    std::vector<LostWrite> all;
    for (Server* server : servers_) {
      const std::vector<LostWrite> own = co_await server->take_lost_writes();
      for (const LostWrite& lost : own)
        for (std::uint32_t u = 0; u < units(); ++u)
          if (units_[u].server == server && units_[u].unit == lost.unit) all.push_back({u, lost.sector, lost.sectors});
    }
    co_return all;
  }

 private:
  void queue(DiskRequest& request) override {
    const Unit& unit = units_[request.unit];
    const std::uint32_t number = std::exchange(request.unit, unit.unit);
    unit.server->submit(request);
    request.unit = number;  // so that sending it again has the same meaning
  }

  struct Unit {
    Server* server;
    std::uint32_t unit;
  };
  std::vector<Unit> units_;
  std::vector<Server*> servers_;
};

/// An array at each I/O processor, or for each drive number.
class RedundantStore final : public Store {
 public:
  using MakeGeometry = std::function<Geometry(std::uint32_t disks, std::uint32_t unit_sectors)>;

  RedundantStore(const Common& params, const Design& design, const MakeGeometry& geometry, std::vector<Drive> drives)
      : Store(drives.front().bytes->shape().sector_bytes), across_(params.across == Across::io_processors) {
    std::uint32_t processors = 0, numbers = 0;
    for (const Drive& d : drives) {
      processors = std::max(processors, d.place.io_processor + 1);
      numbers = std::max(numbers, d.place.unit + 1);
    }
    if (across_ && (numbers < processors || drives.size() != std::uint64_t{processors} * numbers))
      throw ConfigError(
          "file_system.store.across is io-processors, which needs the same number of drives at each I/O processor, and "
          "at least as many as there are I/O processors, " +
          std::to_string(processors) + "; one has " + std::to_string(numbers) + " (machine.disks).");
    std::vector<std::vector<std::unique_ptr<RawDisk>>> by_array(across_ ? numbers : processors);
    for (Drive& d : drives) {
      auto& own = by_array[across_ ? d.place.unit : d.place.io_processor];
      const std::uint32_t number = across_ ? d.place.io_processor : d.place.unit;
      if (own.size() <= number) own.resize(number + 1);
      own[number] = std::move(d.bytes);
    }
    if (params.stripe_unit.count % sector_bytes() != 0)
      throw ConfigError("file_system.store.stripe_unit is " + std::to_string(params.stripe_unit.count) +
                        "B; it must be a multiple of the drives' sector size, " + std::to_string(sector_bytes()) +
                        "B.");
    const auto unit = static_cast<std::uint32_t>(params.stripe_unit.count / sector_bytes());
    for (auto& own : by_array) {
      const auto drives_here = static_cast<std::uint32_t>(own.size());
      if (drives_here <= params.spares)
        throw ConfigError("file_system.store.spares is " + std::to_string(params.spares) + "; an I/O processor has " +
                          std::to_string(drives_here) + " drives (machine.disks).");
      const std::uint32_t disks = drives_here - params.spares;
      Array& array = arrays_.emplace_back(geometry(disks, unit), params, design, std::move(own));
      for (std::uint32_t f : params.failed) {
        if (f >= disks)
          throw ConfigError("file_system.store.failed has " + std::to_string(f) +
                            "; the last drive of an I/O processor's array is " + std::to_string(disks - 1) + ".");
        array.fail(f);
      }
      if (array.lost()) throw ConfigError("file_system.store.failed has more drives than the store can do without.");
      const double bytes = static_cast<double>(array.disk_sectors()) * sector_bytes();
      const double most_rate = std::max(params.rebuild_least, params.rebuild_most).bytes_per_second;
      if (params.finish_rebuild && params.spares > 0 && bytes > longest_rebuild_s * most_rate)
        throw ConfigError(
            "file_system.store.rebuild_most is too low for finish_rebuild: a drive must be rebuilt within a day.");
    }
    // The units of each I/O processor; units of arrays across them begin at different drives.
    struct Unit {
      std::uint32_t array, unit;
    };
    std::vector<std::vector<Unit>> served(processors);
    std::size_t most = 0;
    for (std::uint32_t a = 0; a < arrays_.size(); ++a) {
      auto& list = served[a % processors];
      const std::uint32_t count = arrays_[a].units();
      for (std::uint32_t u = 0; u < count; ++u) list.push_back({a, across_ ? (u + a) % count : u});
      most = std::max(most, list.size());
    }
    for (std::uint32_t u = 0; u < most; ++u)
      for (std::uint32_t p = 0; p < processors; ++p)
        if (u < served[p].size()) {
          units_.push_back({p, u});
          raw_.emplace_back(arrays_[served[p][u].array], served[p][u].unit);
        }
  }

  RawDisk& raw(std::uint32_t unit) override { return raw_[unit]; }
  StoreServer& serve(std::uint32_t io_processor, messages::Endpoint& endpoint, DiskDrivers& drivers) override {
    if (!across_)
      return servers_.emplace_back(endpoint.os, std::make_unique<OwnDrives>(drivers), arrays_[io_processor], counts_,
                                   RandomStream(io_processor, "copies"));
    nodes_.push_back(endpoint.id());
    services_.emplace_back(endpoint, drivers, *requests_);
    Several& several = several_.emplace_back();
    const auto processors = static_cast<std::uint32_t>(arrays_.front().drives());
    for (std::uint32_t a = io_processor; a < arrays_.size(); a += processors)
      several.add(servers_.emplace_back(endpoint.os,
                                        std::make_unique<DrivesAcross>(endpoint, drivers, *requests_, nodes_,
                                                                       io_processor, a, processors),
                                        arrays_[a], counts_, RandomStream(a, "copies")),
                  a);
    return several;
  }
  void number_messages(messages::Protocol& protocol) override {
    if (across_) requests_.emplace(protocol.numbers, "drive request");
  }
  void add_figures(NamedFigures& sections) const override {
    NamedFigures& section = sections.section("store");
    section.add("read_modify_writes", counts_.rows.read_modify_write);
    section.add("reconstruct_writes", counts_.rows.reconstruct);
    section.add("full_row_writes", counts_.rows.full);
    const Common& params = arrays_.front().params();
    if (params.scrub_period > Duration{}) {
      section.add("rows_scrubbed", counts_.rows_scrubbed);
      section.add("rows_mismatched", counts_.rows_mismatched);
      section.add("mismatches_undecided", counts_.mismatches_undecided);
    }
    if (params.spares == 0) return;
    section.add("rows_rebuilt", counts_.rows_rebuilt);
    section.add("rebuilds", counts_.rebuilds);
    section.add("rebuilds_complete", counts_.rebuilds_complete);
    section.add("rebuild_s", seconds(counts_.rebuilding));
  }
  void add_fault_figures(NamedFigures& faults) const override {
    faults.add("corrections", counts_.corrections);
    faults.add("drives_failed", counts_.drives_failed);
    faults.add("rows_rebuilt", counts_.rows_rebuilt);
    faults.add("rebuilds", counts_.rebuilds);
    faults.add("rebuilds_complete", counts_.rebuilds_complete);
    faults.add("units_doubted", counts_.units_doubted);
    faults.add("units_given_up", counts_.units_given_up);
    faults.add("write_holes", holes_);
  }
  std::optional<std::string> fault() const override {
    holes_ = 0;
    for (const Array& array : arrays_) {
      std::set<std::uint64_t> open;
      for (const Server& server : servers_)
        if (&server.array() == &array) open = server.open_rows();
      if (auto wrong = array.wrong_check(open, holes_)) return wrong;
    }
    return std::nullopt;
  }

 private:
  const bool across_;
  std::deque<Array> arrays_;  // by I/O processor, or by number of drive
  std::deque<RawUnit> raw_;
  std::optional<DriveRequests> requests_;
  std::vector<hal::NodeId> nodes_;  // the I/O processors
  std::deque<DriveService> services_;
  Counts counts_;
  std::deque<Server> servers_;
  std::deque<Several> several_;
  mutable std::uint64_t holes_ = 0;  // found by fault()
};

[[noreturn]] void refuse(std::string_view kind, std::uint32_t disks, const std::string& needs) {
  throw ConfigError("file_system.store.kind is " + std::string(kind) + ", which needs " + needs +
                    " at each I/O processor; one has " + std::to_string(disks) + " (machine.disks, less the spares).");
}

Design with_parity(const Parity& p) {
  return {{p.reconstruct_from, FullRow::covered}, ReadCopy::primary, p.plug, p.tell_rows};
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
  return std::make_unique<RedundantStore>(p, Design{{}, p.read_copy}, geometry, std::move(drives));
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
  // The drives of drives / I/O processors arrays, rounded up, and of other processors' requests.
  if (p.across == Across::io_processors) drives *= 6;
  // A request reads at most its whole row twice, and computes two checks; sizes are rounded up to powers of two, each
  // with as many buffers. Three more requests: a rebuild, a scrub, and a mended unit.
  return (requests + 3) * 4 * (2 * drives + 4) * std::max(block_bytes, p.stripe_unit.count);
}

}  // namespace sunstar::io::redundant
