// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/passthrough_target_socket.h>
#include <memory>
#include <systemc>
#include <tlm>

#include "models/core/busy_time.h"
#include "models/disk/drive.h"
#include "models/disk/medium.h"
#include "models/kernel/busy_share.h"
#include "models/kernel/sc_time_bridge.h"
#include "models/scsi/heads_probe.h"
#include "models/scsi/protocol.h"

namespace sunstar::scsi {

/// A disk on the bus: the SCSI protocol on top of mechanics and buffer (disk::Drive) and bytes (disk::Medium). It takes
/// one command at a time. Between command, data and status it disconnects when the drive needs longer than the bus's
/// threshold. The model stores the bytes of a write when they cross the bus; Command::timing.on_medium tells when the
/// platter really has them. A command beyond the end of the drive ends with CHECK CONDITION and costs no drive time.
/// Other things go wrong only if the drive has faults.
class Target : public TimedModule {
 public:
  tlm_utils::passthrough_target_socket<Target> socket{"socket"};

  /// `disconnect_threshold` is that of the bus. Throws ConfigError if the parameters or the start describe no drive.
  Target(const sc_core::sc_module_name& name, const disk::DriveParams& params, const disk::DriveStart& start,
         Duration disconnect_threshold);

  disk::Drive& drive() { return drive_; }
  const disk::Drive& drive() const { return drive_; }
  /// The back door through which a run is set up before it starts and checked after it.
  disk::Medium& medium() { return medium_; }
  /// What is wrong with the drive; made when first asked for.
  disk::DriveFaults& faults() {
    if (!faults_) faults_ = std::make_unique<disk::DriveFaults>(medium_, sector_size());
    return *faults_;
  }
  /// Null if nothing is.
  const disk::DriveFaults* what_is_wrong() const { return faults_.get(); }
  /// Bytes in a sector, and the number of sectors.
  std::uint32_t sector_size() const { return static_cast<std::uint32_t>(drive_.params().sector_size.count); }
  std::uint64_t sectors() const { return drive_.geometry().sectors(); }
  bool reports_early() const { return drive_.params().immediate_reporting != disk::ImmediateReporting::off; }

  /// Figures of the drive under "<name>.".
  void register_statistics(StatisticSet& set);
  /// Reports phase (disk::Phase) and cylinder of the heads, on the track and in the log, too.
  void probe(const Probe&, Timeline::Track heads = {});
  /// Why the drive's answer to the last call of the bus lies in the future; only if the run is explained.
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
  tlm::tlm_sync_enum answer(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay, Time at);
  void come_back();

  disk::Drive drive_;
  disk::Medium medium_;
  Duration threshold_;
  std::uint32_t start_cylinder_;
  tlm::tlm_generic_payload* payload_ = nullptr;  // the command under way
  Waiting waiting_ = Waiting::none;              // what comes next
  Time ready_{};                                 // when it can come
  std::uint32_t burst_bytes_ = 0, moved_ = 0;
  sc_core::sc_event back_;

  Time started_{};  // when the command under way started
  BusyTime busy_;   // with commands before it
  BusyShare share_, heads_share_;

  std::unique_ptr<disk::DriveFaults> faults_;
  double slower_ = 1;  // of the command under way
  Duration later_{};   // of its next answer

  std::unique_ptr<HeadsProbe> heads_;
};

}  // namespace sunstar::scsi
