// SPDX-License-Identifier: MIT
#pragma once
#include <functional>

#include "models/disk/direct.h"
#include "models/kernel/probe.h"
#include "models/scsi/bus_params.h"
#include "platforms/disk/config.h"
#include "platforms/disk/free_node.h"
#include "platforms/disk/results.h"

namespace sunstar::disk_platform {

/// Simulated time is a count of picoseconds with 63 bits.
constexpr std::int64_t latest_s = 9'000'000;
constexpr Time latest{std::chrono::seconds{latest_s}};

/// The commands given to drives, which they must have counted.
struct Told {
  std::uint64_t reads = 0, writes = 0, bytes_read = 0, bytes_written = 0;
  void add(bool write, std::uint64_t bytes) {
    ++(write ? writes : reads);
    (write ? bytes_written : bytes_read) += bytes;
  }
  bool operator==(const Told&) const = default;
};
BOOST_DESCRIBE_STRUCT(Told, (), (reads, writes, bytes_read, bytes_written))
inline Told counted(const StatisticSet& statistics) {
  Told all;
  using Figures = boost::describe::describe_members<Told, boost::describe::mod_public>;
  statistics.for_each([&](const Statistic& s) {
    boost::mp11::mp_for_each<Figures>([&](auto figure) {
      if (s.name.ends_with(std::string(".") + figure.name))
        all.*figure.pointer += static_cast<std::uint64_t>(s.value());
    });
  });
  return all;
}

/// Gives a drive the faults that strike it: observers know the drive "disk1" as machine.disk1. `struck` counts them;
/// `drive` is called only if there are any.
inline void add_faults(const std::vector<Fault>& faults, const std::string& name, std::uint64_t seed,
                       const Probe& probe, std::uint64_t& struck, const std::function<disk::DriveFaults&()>& drive) {
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const Fault& fault = faults[i];
    if (!fault.at(name)) continue;
    const std::string instance = "machine." + name, stream = instance + ".faults." + std::to_string(i);
    drive().add(fault.effect, fault.trigger, fault.extent(), seed, stream,
                [&struck, effect = std::string(fault.effect.kind_name()), report = Reporter(probe, instance),
                 wave = Wave(probe, stream)](Time at) {
                  ++struck;
                  report.instant(LogLevel::info, at, "fault: " + effect);
                  wave.step(at, 1);
                });
  }
}

inline void note_ranges(const disk::DriveFaults& faults, FaultFigures& figures) {
  figures.bytes_lost_with_power += boost::icl::length(faults.lost_with_power());
  figures.bytes_silently_wrong += boost::icl::length(faults.silently_wrong() + faults.delivered_wrong());
}

inline const Duration no_selection = scsi::BusParams{}.selection_timeout;

/// A drive alone on its bus, with its faults, as a block device of a node. Each command's time is known as soon as it
/// comes, and its end is an interrupt then.
class FaultyDrive final : public hal::BlockDevice, private hal::Callback {
 public:
  struct Command {
    bool write = false;
    disk::Lbn lbn = 0;
    std::uint32_t sectors = 0;
    Time sent{}, ends{};  ///< if it does not end: when its driver gives it up
    Duration bus{};
    hal::Status status = hal::Status::ok;
  };
  /// The successful commands.
  struct Counts : Told {
    Duration reading{}, writing{};  ///< from sending to the end
  };

  /// The node's next device. `pace`: time a sector takes on the bus. `limit`: how long its driver waits for a command.
  FaultyDrive(FreeNode& node, const disk::DriveParams& params, const disk::DriveStart& start, Duration pace,
              Duration limit)
      : node_(node), drive_(params, start), pace_(pace), limit_(limit) {
    node.add(*this);
  }

  disk::Drive& drive() { return drive_; }
  const disk::Drive& drive() const { return drive_; }

  /// Gives it the faults that strike it: observers know the drive "disk1" as machine.disk1. Call it once.
  void add(const std::vector<Fault>& faults, const std::string& name, std::uint64_t seed, const Probe& probe) {
    add_faults(faults, name, seed, probe, struck_, [&]() -> disk::DriveFaults& {
      if (!faults_) {
        medium_ = std::make_unique<disk::Medium>(sectors() * sector_bytes());
        faults_ = std::make_unique<disk::DriveFaults>(*medium_, sector_bytes());
      }
      return *faults_;
    });
  }

  /// Carries a command out at once, without a node. Call it in the order of `now`, after the end of the last one.
  template <class Answered>
  disk::Completion complete(bool write, Time now, disk::Lbn lbn, std::uint32_t sectors, Answered&& answered) {
    return disk::complete(drive_, write, now, lbn, sectors, pace_, answered, faults_.get(), now + limit_);
  }

  /// The commands given to it on a node, and its time on the bus.
  const Told& told() const { return told_; }
  Duration bus() const { return bus_; }
  const Counts& counts() const { return counts_; }
  /// Called for each command that is sent, and for each that has ended.
  std::function<void(const Command&)> when_sent, when_ended;

  void add_figures(Time now, FaultFigures& figures) {
    if (!faults_) return;
    faults_->settle(now);
    figures.struck += struck_;
    note_ranges(*faults_, figures);
  }

  // hal::BlockDevice
  void submit(hal::BlockCommand& c) override {
    if (c.help != hal::Help::none) return help(c);
    assert(!under_way_ && !c.synchronise);
    under_way_ = &c;
    const Time now = node_.now();
    command_ = {c.write, c.sector, c.sectors, now, {}, {}, hal::Status::ok};
    const auto how = complete(c.write, now, c.sector, c.sectors, [](Time, Time, Duration) {});
    note(how);
    if (faults_ && command_.ends > latest)
      throw SimulationError("with its faults the run would go beyond ", latest_s,
                            " s, the most simulated time that can be counted; use fewer requests");
    if (when_sent) when_sent(command_);
    if (how.how != disk::Completion::How::overdue) node_.at(command_.ends, *this);
  }

  std::uint64_t sectors() const override { return drive_.geometry().sectors(); }
  std::uint32_t sector_bytes() const override { return static_cast<std::uint32_t>(drive_.params().sector_size.count); }
  bool reports_early() const override { return drive_.params().immediate_reporting != disk::ImmediateReporting::off; }

 private:
  /// Of an abort or a reset.
  struct HelpEnd final : hal::Callback {
    explicit HelpEnd(FaultyDrive& d) : drive(d) {}
    void run() override { drive.node_.block_done(*std::exchange(command, nullptr)); }
    FaultyDrive& drive;
    hal::BlockCommand* command = nullptr;
  };

  void run() override {
    if (command_.status == hal::Status::ok) {
      counts_.add(command_.write, std::uint64_t{command_.sectors} * sector_bytes());
      (command_.write ? counts_.writing : counts_.reading) += command_.ends - command_.sent;
    }
    if (when_ended) when_ended(command_);
    hal::BlockCommand& ended = *std::exchange(under_way_, nullptr);
    ended.status = command_.status;
    ended.powered_on = powered_on_;
    node_.block_done(ended);
  }

  // the command's end
  /// A hanging drive obeys only a reset, a dead one nothing; the reset of its bus ends its command all the same.
  void help(hal::BlockCommand& remedy) {
    const Time now = node_.now();
    const bool heard = remedy.help == hal::Help::bus_reset ||
                       !(remedy.help == hal::Help::abort ? faults_->silent(now) : faults_->dead(now));
    if (heard && remedy.help != hal::Help::abort) faults_->reset();
    if (heard && under_way_) node_.at(now, *this);
    help_end_.command = &remedy;
    node_.at(heard ? now : now + no_selection, help_end_);
  }

  /// Counts a command, and finds out how it ends.
  void note(const disk::Completion& how) {
    using disk::SenseKey;
    using How = disk::Completion::How;
    const bool looked = how.key == SenseKey::medium_error;  // a read of the sector in error
    if (how.moved) told_.add(command_.write && !looked, std::uint64_t{looked ? 1 : command_.sectors} * sector_bytes());
    command_.ends = how.status + (how.how == How::no_answer ? no_selection : Duration{});
    bus_ += command_.bus = how.bus;
    powered_on_ = how.key == SenseKey::unit_attention && how.information == disk::power_on_occurred;
    command_.status = how.how == How::no_answer           ? hal::Status::no_device
                      : how.how == How::overdue           ? hal::Status::interrupted
                      : how.key == SenseKey::none         ? hal::Status::ok
                      : how.key == SenseKey::medium_error ? hal::Status::medium_error
                      : how.key == SenseKey::not_ready    ? hal::Status::not_ready
                                                          : hal::Status::interrupted;
  }

  FreeNode& node_;
  disk::Drive drive_;
  const Duration pace_, limit_;
  std::unique_ptr<disk::Medium> medium_;  // both only with faults
  std::unique_ptr<disk::DriveFaults> faults_;
  hal::BlockCommand* under_way_ = nullptr;
  Command command_;
  bool powered_on_ = false;
  HelpEnd help_end_{*this};
  Told told_;
  Duration bus_{};
  Counts counts_;
  std::uint64_t struck_ = 0;
};

}  // namespace sunstar::disk_platform
