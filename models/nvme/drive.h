// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/random.h"
#include "models/core/reservations.h"
#include "models/core/statistics.h"
#include "models/nvme/drive_params.h"
#include "models/nvme/resources.h"

namespace sunstar::nvme {

/// Bytes of queue entries (NVM Express 1.4, 4.2 and 4.6).
inline constexpr std::uint32_t submission_entry = 64, completion_entry = 16;

enum class Operation : std::uint8_t { read, write, flush };

/// A command in a submission queue.
struct Command {
  std::uint32_t queue = 0;  ///< number of the submission queue, and of the completion queue that belongs to it
  Operation operation = Operation::read;
  std::uint64_t lbn = 0;  ///< first logical block
  std::uint32_t sectors = 0;
};

/// The times of a command. Its data cross the link for `crossing`, until `crossed`, after `medium`: when the dies have
/// delivered a read's data, or when the buffer has room for a write's.
struct Timing {
  Time decoded{}, medium{}, crossed{};
  Duration crossing{};
};

/// The times of an NVMe drive: works out a whole command when its doorbell rings. docs/models/nvme.md describes the way
/// of a read and of a write. Pure, and the same for the same seed and name.
class Drive {
 public:
  /// Throws ConfigError if the parameters describe no drive.
  Drive(const DriveParams& params, std::uint64_t seed, std::string_view name);

  const DriveParams& params() const { return params_; }
  /// A doorbell rings for a command, whose blocks lie within the drive. Calls come in the order of `now`. Returns when
  /// the host finds its completion.
  Time submit(Time now, const Command& command) { return submit(now, command, fetch(now, command.queue)); }
  /// The same in two steps, for a controller that chooses between its queues: fetch() returns when the entry of a
  /// command whose doorbell rings is at the controller; submit(), at the command's turn, when the host finds its
  /// completion.
  Time fetch(Time now, std::uint32_t queue);
  Time submit(Time now, const Command& command, Time there);
  /// The times of the last command.
  const Timing& timing() const { return timing_; }
  /// When all data written so far are on the dies.
  Time idle_at() const;

  /// Time before `now` for which dies were busy, as a mean of the dies, and for which a direction of the link was busy.
  Duration dies_busy(Time now) const;
  Duration link_busy(bool to_host, Time now) const { return (to_host ? to_host_ : from_host_).busy(now); }
  /// Figures under "<name>.".
  void register_statistics(StatisticSet& set, const std::string& name);

 private:
  struct Counters {
    std::uint64_t reads = 0, writes = 0, flushes = 0, bytes_read = 0, bytes_written = 0, buffer_hits = 0, programs = 0,
                  collected = 0, erasures = 0;
  };
  struct Queue {
    Reservations fetch;
    std::uint64_t write_end = 0;  // where its last write ended
  };

  void read(Time now, const Command& command);
  void write(Time now, const Command& command, Queue& queue);
  void drain(Time now, Time from);
  void program(Time now, Time from);

  DriveParams params_;
  RandomStream random_;
  std::map<std::uint32_t, Queue> queues_;
  Reservations commands_, to_host_, from_host_;
  Cap operations_, read_operations_, read_bytes_, write_operations_, write_bytes_;
  std::vector<Reservations> dies_, channels_;
  std::vector<std::uint64_t> since_erasure_;  // bytes that each die has programmed
  WriteBuffer buffer_;
  std::uint32_t next_die_ = 0;              // the die of the next program
  double to_collect_ = 0, collecting_ = 0;  // bytes that collection still has to move in all, and at the next programs
  Counters counters_;
  Timing timing_;
};

}  // namespace sunstar::nvme
