// SPDX-License-Identifier: MIT
#include "platforms/disk/faulty_drive.h"

#include <boost/icl/interval_set.hpp>

#include "models/scsi/bus_params.h"

namespace sunstar::disk_platform {

using hal::Status;

const std::string FaultyDrive::too_late = "with its faults the run would go beyond " + std::to_string(latest_s) +
                                          " s, the most simulated time that can be counted; use fewer requests";

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
  figures.bytes_lost_with_power = bytes({&faults.lost_with_power()});
  figures.bytes_silently_wrong = bytes({&faults.silently_wrong(), &faults.delivered_wrong()});
}

void FaultyDrive::add(const std::vector<Fault>& faults, const std::string& name, std::uint64_t seed,
                      const Probe& probe) {
  add_faults(faults, name, seed, probe, figures_.struck, [&]() -> disk::DriveFaults& {
    const auto sector = static_cast<std::uint32_t>(drive_.params().sector_size.count);
    if (!faults_) {
      medium_ = std::make_unique<disk::Medium>(drive_.geometry().sectors() * sector);
      faults_ = std::make_unique<disk::DriveFaults>(*medium_, sector);
    }
    return *faults_;
  });
}

/// Counts a command and says how it has ended; `ended` becomes the time when the driver has done what it could.
Status FaultyDrive::note(const disk::Completion& one, bool write, std::uint32_t sectors, Time& ended) {
  using How = disk::Completion::How;
  if (one.moved) {
    const bool looked = one.key == disk::SenseKey::medium_error;  // a read of the sector in error
    if (looked) write = false, sectors = 1;
    told_.add(write, sectors * drive_.params().sector_size.count);
  }
  ended = one.status;
  const Duration no_selection = scsi::BusParams{}.selection_timeout;
  if (one.how == How::ended && one.key == disk::SenseKey::none) return Status::ok;
  ++figures_.failed_commands;
  if (one.how == How::no_answer) {
    ended += no_selection;
    return Status::no_device;
  }
  if (one.how == How::overdue) {
    // A drive that hangs hears a reset, and nothing else; a dead one nothing: then the reset of its bus ends the
    // command.
    ++figures_.aborts;
    if (!faults_->silent(ended)) return Status::interrupted;
    ended += no_selection + params_.reset_settle;
    ++figures_.resets;
    if (faults_->dead(ended)) {
      ended += no_selection + params_.reset_settle;
      ++figures_.resets;
    }
    faults_->reset();
    return Status::interrupted;
  }
  switch (one.key) {
    case disk::SenseKey::medium_error: return Status::medium_error;
    case disk::SenseKey::not_ready: return Status::not_ready;
    default: return Status::interrupted;
  }
}

FaultyDrive::Done FaultyDrive::given_up(const Done& so_far, Status status) {
  ++figures_.failed_requests;
  offline_ |= status == Status::no_device || status == Status::interrupted;
  figures_.drives_offline = offline_;
  return {so_far.ends, so_far.bus, status == Status::interrupted ? Status::no_device : status};
}

FaultFigures FaultyDrive::figures(Time now) {
  if (!faults_) return {};
  faults_->settle(now);
  note_ranges(*faults_, figures_);
  return figures_;
}

}  // namespace sunstar::disk_platform
