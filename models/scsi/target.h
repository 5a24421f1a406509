// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "models/disk/drive.h"
#include "models/disk/medium.h"
#include "models/kernel/wave_file.h"
#include "models/scsi/protocol.h"

namespace sunstar::scsi {

/// A disk on the bus: the SCSI protocol over mechanics and buffer (disk::Drive) over bytes (disk::Medium). One command
/// at a time. Between command, data and status it disconnects when the drive needs longer than the bus's threshold.
/// Bytes of a write are on the medium (as contents) when they cross the bus; when the platter really has them is
/// Command::timing.on_medium. A command beyond the end of the drive ends with CHECK CONDITION and costs no drive time.
class Target : public sc_core::sc_module, private WaveFile::Source {
 public:
  tlm_utils::simple_target_socket<Target> socket{"socket"};

  /// `disconnect_threshold` is that of the bus. Throws ConfigError for parameters that cannot be.
  Target(sc_core::sc_module_name name, const disk::DriveParams& params, const disk::DriveStart& start,
         Duration disconnect_threshold);

  disk::Drive& drive() { return drive_; }
  const disk::Drive& drive() const { return drive_; }
  /// The back door: set up before a run, check after it.
  disk::Medium& medium() { return medium_; }
  /// Bytes a sector, and sectors.
  std::uint32_t sector_size() const { return static_cast<std::uint32_t>(drive_.params().sector_size.count); }
  std::uint64_t sectors() const { return drive_.geometry().sectors(); }

  /// Figures of the drive under "<name>.".
  void register_statistics(StatisticSet& set);
  /// Shows phase (disk::Phase) and cylinder in a wave file, which must outlive the simulation. Before it starts.
  void trace(WaveFile& waves);

 private:
  enum class Waiting { none, burst, status };

  tlm::tlm_sync_enum from_bus(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void start(tlm::tlm_generic_payload& payload, Time at);
  void burst_done(Time at);
  tlm::tlm_sync_enum answer(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay, Time at);
  void come_back();
  void settle() override;

  disk::Drive drive_;
  disk::Medium medium_;
  Duration threshold_;
  std::uint32_t start_cylinder_;
  tlm::tlm_generic_payload* payload_ = nullptr;  // the command under way
  Waiting waiting_ = Waiting::none;              // what comes next,
  Time ready_{};                                 // and when
  std::uint32_t burst_bytes_ = 0, moved_ = 0;
  sc_core::sc_event back_;

  Time started_{};   // the command under way
  Duration busy_{};  // with commands before it

  WaveFile* waves_ = nullptr;
  WaveFile::Signal shown_phase_ = 0, shown_cylinder_ = 0;
};

}  // namespace sunstar::scsi
