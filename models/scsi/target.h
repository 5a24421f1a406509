// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/passthrough_target_socket.h>
#include <optional>
#include <systemc>
#include <tlm>

#include "models/core/busy_time.h"
#include "models/disk/delays.h"
#include "models/disk/drive.h"
#include "models/disk/medium.h"
#include "models/kernel/event_log.h"
#include "models/kernel/wave_file.h"
#include "models/scsi/arm_track.h"
#include "models/scsi/protocol.h"

namespace sunstar::scsi {

/// A disk on the bus: the SCSI protocol on top of mechanics and buffer (disk::Drive) and bytes (disk::Medium). It takes
/// one command at a time. Between command, data and status it disconnects when the drive needs longer than the bus's
/// threshold. The model stores the bytes of a write when they cross the bus; Command::timing.on_medium tells when the
/// platter really has them. A command beyond the end of the drive ends with CHECK CONDITION and costs no drive time.
class Target : public sc_core::sc_module, private WaveFile::Source, private Timeline::Source, private EventLog::Source {
 public:
  tlm_utils::passthrough_target_socket<Target> socket{"socket"};

  /// `disconnect_threshold` is that of the bus. Throws ConfigError if the parameters or the start describe no drive.
  Target(const sc_core::sc_module_name& name, const disk::DriveParams& params, const disk::DriveStart& start,
         Duration disconnect_threshold);

  disk::Drive& drive() { return drive_; }
  const disk::Drive& drive() const { return drive_; }
  /// The back door through which a run is set up before it starts and checked after it.
  disk::Medium& medium() { return medium_; }
  /// Bytes in a sector, and the number of sectors.
  std::uint32_t sector_size() const { return static_cast<std::uint32_t>(drive_.params().sector_size.count); }
  std::uint64_t sectors() const { return drive_.geometry().sectors(); }

  /// Figures of the drive under "<name>.".
  void register_statistics(StatisticSet& set);
  /// Shows phase (disk::Phase) and cylinder in a wave file, which must outlive the simulation. To be called before it
  /// starts.
  void trace(WaveFile& waves);
  /// Explains the drive's answers from now on. To be called before the simulation starts.
  void explain();
  /// Why the drive's answer to the last call of the bus lies in the future.
  const disk::Delay& delay() const { return delays_->last(); }
  /// Shows what the heads do on that track. To be called before the simulation starts.
  void record(Timeline& timeline, Timeline::Track track);
  /// Tells with `debug` what the heads do. To be called before the simulation starts.
  void log(EventLog& log);

 private:
  enum class Waiting { none, burst, status };

  tlm::tlm_sync_enum from_bus(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void start(tlm::tlm_generic_payload& payload, Time at);
  void burst_done(Time at);
  tlm::tlm_sync_enum answer(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay, Time at);
  void come_back();
  Time settle() override;

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

  std::optional<disk::Delays> delays_;
  WaveFile* waves_ = nullptr;
  WaveFile::Signal shown_phase_ = 0, shown_cylinder_ = 0;
  ArmTrack arm_;
  EventLog* log_ = nullptr;
  EventLog::Instance logged_;
  bool settling_ = false;
};

}  // namespace sunstar::scsi
