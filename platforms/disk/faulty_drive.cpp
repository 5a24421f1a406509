// SPDX-License-Identifier: MIT
#include "platforms/disk/faulty_drive.h"

#include "models/scsi/bus_params.h"

namespace sunstar::disk_platform {

using hal::Status;

namespace {
const Duration no_selection = scsi::BusParams{}.selection_timeout;
}

Told counted(const StatisticSet& statistics) {
  Told all;
  const std::pair<const char*, std::uint64_t*> figures[] = {{".reads", &all.reads},
                                                            {".writes", &all.writes},
                                                            {".bytes_read", &all.bytes_read},
                                                            {".bytes_written", &all.bytes_written}};
  statistics.for_each([&](const Statistic& s) {
    for (const auto& [name, sum] : figures)
      if (s.name.ends_with(name)) *sum += static_cast<std::uint64_t>(s.value());
  });
  return all;
}

void add_faults(const std::vector<Fault>& faults, const std::string& name, std::uint64_t seed, const Probe& probe,
                std::uint64_t& struck, const std::function<disk::DriveFaults&()>& drive) {
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

void note_ranges(const disk::DriveFaults& faults, FaultFigures& figures) {
  const auto bytes = [](std::initializer_list<const std::vector<disk::DriveFaults::Range>*> all) {
    boost::icl::interval_set<std::uint64_t> set;
    for (const auto* ranges : all)
      for (const auto& r : *ranges) set.add(boost::icl::interval<std::uint64_t>::right_open(r.first, r.end));
    return boost::icl::length(set);
  };
  figures.bytes_lost_with_power += bytes({&faults.lost_with_power()});
  figures.bytes_silently_wrong += bytes({&faults.silently_wrong(), &faults.delivered_wrong()});
}

void FaultyDrive::add(const std::vector<Fault>& faults, const std::string& name, std::uint64_t seed,
                      const Probe& probe) {
  add_faults(faults, name, seed, probe, struck_, [&]() -> disk::DriveFaults& {
    if (!faults_) {
      medium_ = std::make_unique<disk::Medium>(sectors() * sector_bytes());
      faults_ = std::make_unique<disk::DriveFaults>(*medium_, sector_bytes());
    }
    return *faults_;
  });
}

void FaultyDrive::submit(hal::BlockCommand& c) {
  if (c.help != hal::Help::none) return help(c);
  assert(!under_way_ && !c.synchronise);
  under_way_ = &c;
  const Time now = node_.now();
  command_ = {c.write, c.sector, c.sectors, now, {}, {}, Status::ok};
  const auto how = complete(c.write, now, c.sector, c.sectors, [](Time, Time, Duration) {});
  note(how);
  if (faults_ && command_.ends > latest)
    throw SimulationError("with its faults the run would go beyond " + std::to_string(latest_s) +
                          " s, the most simulated time that can be counted; use fewer requests");
  if (when_sent) when_sent(command_);
  if (how.how != disk::Completion::How::overdue) node_.at(command_.ends, *this);
}

/// Counts a command, and finds out how it ends.
void FaultyDrive::note(const disk::Completion& how) {
  using disk::SenseKey;
  using How = disk::Completion::How;
  const bool looked = how.key == SenseKey::medium_error;  // a read of the sector in error
  if (how.moved) told_.add(command_.write && !looked, std::uint64_t{looked ? 1 : command_.sectors} * sector_bytes());
  command_.ends = how.status + (how.how == How::no_answer ? no_selection : Duration{});
  bus_ += command_.bus = how.bus;
  powered_on_ = how.key == SenseKey::unit_attention && how.information == disk::power_on_occurred;
  command_.status = how.how == How::no_answer           ? Status::no_device
                    : how.how == How::overdue           ? Status::interrupted
                    : how.key == SenseKey::none         ? Status::ok
                    : how.key == SenseKey::medium_error ? Status::medium_error
                    : how.key == SenseKey::not_ready    ? Status::not_ready
                                                        : Status::interrupted;
}

void FaultyDrive::run() {
  if (command_.status == Status::ok) {
    counts_.add(command_.write, std::uint64_t{command_.sectors} * sector_bytes());
    (command_.write ? counts_.writing : counts_.reading) += command_.ends - command_.sent;
  }
  if (when_ended) when_ended(command_);
  hal::BlockCommand& ended = *std::exchange(under_way_, nullptr);
  ended.status = command_.status;
  ended.powered_on = powered_on_;
  node_.block_done(ended);
}

/// A hanging drive obeys only a reset, a dead one nothing; the reset of its bus ends its command all the same.
void FaultyDrive::help(hal::BlockCommand& remedy) {
  const Time now = node_.now();
  const bool heard = remedy.help == hal::Help::bus_reset ||
                     !(remedy.help == hal::Help::abort ? faults_->silent(now) : faults_->dead(now));
  if (heard && remedy.help != hal::Help::abort) faults_->reset();
  if (heard && under_way_) node_.at(now, *this);
  help_end_.command = &remedy;
  node_.at(heard ? now : now + no_selection, help_end_);
}

void FaultyDrive::add_figures(Time now, FaultFigures& figures) {
  if (!faults_) return;
  faults_->settle(now);
  figures.struck += struck_;
  note_ranges(*faults_, figures);
}

}  // namespace sunstar::disk_platform
