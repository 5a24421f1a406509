// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/passthrough_target_socket.h>

#include "models/disk/delays.h"
#include "models/disk/storage_device.h"
#include "models/kernel/busy_share.h"
#include "models/kernel/probe.h"
#include "models/kernel/timetable.h"
#include "models/scsi/protocol.h"

namespace sunstar::scsi {

/// Reports the work of a drive's heads (seek, rotation, read, write, read_ahead) from the drive's notes, and explains
/// why its answers lie in the future.
class HeadsProbe final : public Recording::Source {
 public:
  HeadsProbe(const Probe& probe, disk::Drive& drive, const std::string& instance, std::uint32_t cylinder,
             Timeline::Track track);
  HeadsProbe(const HeadsProbe&) = delete;

  /// Reports the heads' work until now, or until `until`; planned work may still change.
  Time settle() override;
  void settle(Time until);
  /// Writes the reported work to the log.
  void tell();
  /// The drive was called at `at` and answered with `ready`: explains why that lies in the future. Settle first.
  const disk::Delay& explain(Time at, Time ready) { return delays_->explain(drive_, at, ready); }
  /// Settles, and explains the answer if the run is explained.
  void answered(Time at, Time ready) {
    settle();
    if (delays_) explain(at, ready);
  }
  /// Why the last answer lies in the future.
  const disk::Delay& delay() const { return delays_->last(); }

 private:
  disk::Drive& drive_;
  Wave phase_, cylinder_;
  Reporter report_;
  std::deque<disk::Activity> untold_;
  std::optional<disk::Delays> delays_;  // only if the run is explained
  disk::Activity now_{};                // the heads' current activity
  std::optional<Time> reporting_;       // set while the activity of that time is being reported
};

/// A disk on the bus: the SCSI protocol on top of mechanics and buffer (disk::Drive) and bytes (disk::Medium). It takes
/// one command at a time. Between command, data and status it disconnects when the drive needs longer than the bus's
/// threshold. The model stores the bytes of a write when they cross the bus; Command::timing.on_medium is the time at
/// which the platter really has them. A command beyond the end of the drive ends with CHECK CONDITION and costs no
/// drive time. Commands fail otherwise only if the drive has faults.
class Target : public TimedModule, public disk::StorageDevice {
 public:
  tlm_utils::passthrough_target_socket<Target> socket{"socket"};

  /// `disconnect_threshold` must be the bus's. Throws ConfigError if the start describes no drive.
  Target(const sc_core::sc_module_name& name, const disk::SharedDriveType& type, const disk::DriveStart& start,
         Duration disconnect_threshold, Timetable& timetable);

  disk::Drive& drive() { return drive_; }
  const disk::Drive& drive() const { return drive_; }
  const std::string& type() const override { return drive_.params().name; }
  std::uint32_t sectors_per_track() const override { return drive_.params().zones.front().sectors_per_track; }
  bool reports_early() const override { return drive_.params().immediate_reporting != disk::ImmediateReporting::off; }

  /// Figures of the drive under "<name>.".
  void register_statistics(StatisticSet& set);
  /// Reports phase (disk::Phase) and cylinder of the heads, on the track and in the log, too.
  void probe(const Probe&, Timeline::Track heads = {});
  /// Explains why the drive's answer to the last call of the bus lies in the future; only if the run is explained.
  const disk::Delay& delay() const { return heads_->delay(); }

 private:
  enum class Waiting { none, burst, status };

  tlm::tlm_sync_enum from_bus(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void start(tlm::tlm_generic_payload& payload, Time at);
  bool fails(tlm::tlm_generic_payload& payload, Time at);
  void ends_at(Time at) {
    waiting_ = Waiting::status;
    ready_ = at;
  }
  void forget();
  void burst_done(Time at);
  tlm::tlm_phase serve(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase, sc_core::sc_time& delay, Time at);
  tlm::tlm_phase answer(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay, Time at);
  void come_back();

  disk::Drive drive_;
  Duration threshold_;
  std::uint32_t start_cylinder_;
  tlm::tlm_generic_payload* payload_ = nullptr;  // the command under way
  Waiting waiting_ = Waiting::none;              // the next step
  Time ready_{};                                 // when the next step is possible
  std::uint32_t burst_bytes_ = 0, moved_ = 0;
  Timetable::Call<Target, &Target::come_back> back_;

  Time started_{};  // when the command under way started
  BusyTime busy_;   // time with earlier commands
  BusyShare share_, heads_share_;

  disk::DriveFaults::Outcome outcome_;  // of the command under way

  std::unique_ptr<HeadsProbe> heads_;
};

}  // namespace sunstar::scsi
