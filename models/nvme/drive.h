// SPDX-License-Identifier: MIT
#pragma once
#include <cassert>

#include "models/core/random.h"
#include "models/core/reservations.h"
#include "models/core/statistics.h"
#include "models/nvme/drive_params.h"
#include "models/nvme/resources.h"

namespace sunstar::nvme {

/// Bytes of queue entries (NVM Express 1.4, 4.2 and 4.6).
inline constexpr std::uint32_t submission_entry = 64, completion_entry = 16;

enum class Operation : std::uint8_t { read, write, flush };

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
  Drive(const DriveParams& params, std::uint64_t seed, std::string_view name)
      : params_(validated(params, "nvme")),
        random_(seed, name),
        operations_(params.iops),
        read_operations_(params.read_iops),
        read_bytes_(params.read_bandwidth.bytes_per_second),
        write_operations_(params.write_iops),
        write_bytes_(params.write_bandwidth.bytes_per_second),
        dies_(params.dies),
        channels_(params.channels),
        since_erasure_(params.dies),
        buffer_(params.write_buffer.count) {
    // The dies of a drive in long use are not all due for an erasure at the same time.
    for (auto& bytes : since_erasure_) bytes = random_.below(params.collection.erase_after.count);
  }

  const DriveParams& params() const { return params_; }
  /// A doorbell rings for a command, whose blocks lie within the drive. Calls come in the order of `now`. Returns when
  /// the host finds its completion.
  Time submit(Time now, const Command& command) { return submit(now, command, fetch(now, command.queue)); }

  /// The same in two steps, for a controller that chooses between its queues: fetch() returns when the entry of a
  /// command whose doorbell rings is at the controller; submit(), at the command's turn, when the host finds its
  /// completion.
  Time fetch(Time now, std::uint32_t queue) {
    const Time fetched = queues_[queue].fetch.whole(now, now, params_.queue_time);
    return from_host_.in_pieces(now, fetched, params_.link.data_rate().time_for(submission_entry));
  }

  Time submit(Time now, const Command& command, Time there) {
    assert(command.lbn + command.sectors <= params_.sectors());
    timing_ = {};
    timing_.decoded = commands_.whole(now, std::max(now, there), params_.command_time);
    switch (command.operation) {
      case Operation::read: read(now, command); break;
      case Operation::write: write(now, command, queues_[command.queue]); break;
      case Operation::flush:
        ++counters_.flushes;
        timing_.medium = timing_.crossed = timing_.decoded;
        break;
    }
    const Duration completion = params_.link.data_rate().time_for(completion_entry);
    return to_host_.in_pieces(now, timing_.crossed, completion) + params_.latency;
  }

  /// The times of the last command.
  const Timing& timing() const { return timing_; }

  /// When all data written so far are on the dies.
  Time idle_at() const { return greatest(dies_, &Reservations::free_at); }

  /// Time before `now` for which dies were busy, as a mean of the dies, and for which a direction of the link was busy.
  Duration dies_busy(Time now) const {
    return sum(dies_, [&](const Reservations& die) { return die.busy(now); }) / static_cast<std::int64_t>(dies_.size());
  }

  Duration link_busy(bool to_host, Time now) const { return (to_host ? to_host_ : from_host_).busy(now); }

  /// Figures under "<name>.".
  void register_statistics(StatisticSet& set, const std::string& name) {
    Counters& c = counters_;
    set.counter(name + ".reads", "commands to read", "1", c.reads);
    set.counter(name + ".writes", "commands to write", "1", c.writes);
    set.counter(name + ".flushes", "commands to flush", "1", c.flushes);
    set.counter(name + ".bytes_read", "bytes of reads", "B", c.bytes_read);
    set.counter(name + ".bytes_written", "bytes of writes", "B", c.bytes_written);
    set.counter(name + ".buffer_hits", "reads that the write buffer answered", "1", c.buffer_hits);
    set.counter(name + ".programs", "programs of dies for writes", "1", c.programs);
    set.counter(name + ".collected", "programs of dies for background collection", "1", c.collected);
    set.counter(name + ".erasures", "erasures of blocks", "1", c.erasures);
    set.add({name + ".dies_busy", "time for which dies were busy, summed over the dies", "s",
             [this] { return seconds(sum(dies_, &Reservations::reserved)); }});
  }

 private:
  struct Counters {
    std::uint64_t reads = 0, writes = 0, flushes = 0, bytes_read = 0, bytes_written = 0, buffer_hits = 0, programs = 0,
                  collected = 0, erasures = 0;
  };
  struct Queue {
    Reservations fetch;
    std::uint64_t write_end = 0;  // where its last write ended
  };

  void read(Time now, const Command& command) {
    const std::uint64_t first = command.lbn * params_.sector_size.count,
                        bytes = command.sectors * params_.sector_size.count, end = first + bytes,
                        page = params_.page_size.count;
    ++counters_.reads;
    counters_.bytes_read += bytes;
    const Time decoded = timing_.decoded,
               from = std::max({operations_.pass(decoded, 1), read_operations_.pass(decoded, 1),
                                read_bytes_.pass(decoded, static_cast<double>(bytes))});
    Time last = from;
    if (buffer_.holds(now, first, end)) {
      ++counters_.buffer_hits;
    } else {
      for (std::uint64_t at = first; at < end;) {
        const std::uint64_t next = std::min(end, (at / page + 1) * page), die = at / page % params_.dies;
        const auto tail = picoseconds(-std::log1p(-random_.uniform()) * static_cast<double>(params_.read_tail.count()));
        const Time sensed = dies_[die].whole(now, from, params_.read_time + tail);
        const Duration crossing = params_.channel_rate.time_for(std::max(next - at, params_.codeword.count));
        last = std::max(last, channels_[die % params_.channels].whole(now, sensed, crossing));
        at = next;
      }
    }
    timing_.medium = last;
    timing_.crossing = params_.link.data_rate().time_for(bytes);
    timing_.crossed = to_host_.in_pieces(now, last, timing_.crossing);
  }

  void write(Time now, const Command& command, Queue& queue) {
    const std::uint64_t first = command.lbn * params_.sector_size.count,
                        bytes = command.sectors * params_.sector_size.count;
    ++counters_.writes;
    counters_.bytes_written += bytes;
    const double codewords = std::ceil(static_cast<double>(bytes) / static_cast<double>(params_.codeword.count));
    const Time decoded = timing_.decoded;
    Time from = std::max({operations_.pass(decoded, codewords), write_operations_.pass(decoded, 1),
                          write_bytes_.pass(decoded, static_cast<double>(bytes))});
    if (!buffer_.fits(from, bytes) && buffer_.gathered() > 0) drain(now, from);
    timing_.medium = buffer_.room(from, bytes);
    timing_.crossing = params_.link.data_rate().time_for(bytes);
    from = timing_.crossed = from_host_.in_pieces(now, timing_.medium, timing_.crossing);
    // The host does not wait for the controller's work on data in the buffer.
    Time next = from;
    for (std::uint64_t done = 0; done < bytes; done += params_.codeword.count)
      next = commands_.whole(now, next, params_.write_time) + params_.command_time;
    buffer_.add(first, first + bytes);
    if (queue.write_end != first && bytes < params_.collection.random_below.count)
      to_collect_ += static_cast<double>(bytes) * (params_.collection.amplification - 1);
    queue.write_end = first + bytes;
    if (buffer_.gathered() >= params_.drain_size.count) drain(now, from);
  }

  /// Programs all gathered data of the buffer, die after die.
  void drain(Time now, Time from) {
    const std::uint64_t size = params_.program_size.count, gathered = buffer_.gathered();
    Time last = from;
    for (std::uint64_t bytes = 0; bytes < gathered; bytes += size) {
      Reservations& die = dies_[next_die_];
      const Time crossed =
          channels_[next_die_ % params_.channels].whole(now, from, params_.channel_rate.time_for(size));
      const Time programmed = die.whole(now, crossed, params_.program_time);
      buffer_.leaves(programmed, std::min(size, gathered - bytes));
      last = std::max(last, programmed);
      ++counters_.programs;
      program(now, from);
    }
    buffer_.drained(last);
  }

  /// Programs a die, with the erasures and collection due. The next program is on the next die.
  void program(Time now, Time from) {
    const CollectionParams& collection = params_.collection;
    const std::uint64_t size = params_.program_size.count;
    Reservations& die = dies_[next_die_];
    since_erasure_[next_die_] += size;
    // As much as one random program causes, so that all dies share the collection.
    const double some = std::min(to_collect_, static_cast<double>(size) * (collection.amplification - 1));
    to_collect_ -= some;
    for (collecting_ += some; collecting_ >= static_cast<double>(size); collecting_ -= static_cast<double>(size)) {
      die.whole(now, from, params_.read_time + params_.program_time);
      since_erasure_[next_die_] += size;
      ++counters_.collected;
    }
    while (since_erasure_[next_die_] >= collection.erase_after.count) {
      since_erasure_[next_die_] -= collection.erase_after.count;
      die.whole(now, from, collection.erase_time);
      ++counters_.erasures;
    }
    next_die_ = (next_die_ + 1) % params_.dies;
  }

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
