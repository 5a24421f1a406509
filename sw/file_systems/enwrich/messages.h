// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <bit>
#include <cstdint>

#include "models/core/statistics.h"
#include "sw/file_systems/enwrich/params.h"
#include "sw/io/cached/messages.h"
#include "sw/messages/barrier.h"
#include "sw/messages/endpoint.h"

namespace sunstar::file_systems::enwrich {

/// Says that a flush begins: sent to the other compute processors and, as a notice, to the I/O processors.
struct FlushRequest {
  std::uint64_t epoch;  ///< flushes count from 1
  std::uint64_t last;   ///< the run's last one
};

/// Carries entries of a compute processor's directory for the receiver, as data; `first` numbers the first one.
struct DirectoryPart {
  std::uint64_t processor;
  std::uint64_t total;  ///< entries in all parts together
  std::uint64_t first;
  std::uint64_t last;  ///< the flush is the run's last one
  std::uint64_t epoch;
};

/// An I/O processor has done its part of the flush; the status tells whether all of it has reached the disks.
struct FlushDone {
  std::uint64_t epoch = 0;
  hal::Status status = hal::Status::ok;  ///< refused: it takes the receiver for gone, and wrote none of its bytes
};

/// Asks a compute processor for bytes of the cached entry with that time stamp.
struct PieceRequest {
  std::uint64_t time_stamp;
  std::uint64_t file_offset;
  std::uint64_t bytes;
  std::uint64_t unused;
  messages::ReplyTo reply;
};
BOOST_DESCRIBE_STRUCT(PieceRequest, (), (file_offset, bytes))

/// Asks for several pieces at once; their list comes as data.
struct GatherRequest {
  std::uint64_t unused;
  messages::ReplyTo reply;
};
/// A piece in that list.
struct GatherEntry {
  std::uint64_t time_stamp;
  std::uint64_t file_offset;
  std::uint64_t bytes;
};

struct Messages {
  explicit Messages(messages::Numbers& n) : numbers(n) {}
  messages::Numbers& numbers;
  const messages::Kind<FlushRequest> flush{numbers, "flush"}, notice{numbers, "notice"};
  const messages::Kind<DirectoryPart> directory{numbers, "directory"};
  const messages::Kind<FlushDone> done{numbers, "done", messages::Taken::always};
  const messages::Kind<PieceRequest> piece{numbers, "piece"};
  const messages::Kind<GatherRequest> gather{numbers, "gather"};
  const io::cached::Messages cached{numbers};
  const messages::Kind<io::SyncRequest> sync{numbers, "sync"};
};

enum class Reason { data, directory, threshold, timeout, read, sync, end };
inline constexpr std::size_t reasons = 7;

struct Counters {
  std::uint64_t flushes = 0;
  std::array<std::uint64_t, reasons> begun{};  ///< by reason
  double flush_time = 0;                       ///< seconds
  std::uint64_t flushed_bytes = 0, flushed_entries = 0, flushed_blocks = 0, fetched_blocks = 0;
};

struct Common : Messages {
  Common(Run& run, const Params& params);
  void add_statistics(StatisticSet& set);

  Counters counters;
  messages::Barrier flush_barrier;
};

/// About how many comparisons a search of n entries takes, or the sorting of n entries for each of them.
inline double log2_of(std::uint64_t n) { return n > 1 ? static_cast<double>(std::bit_width(n - 1)) : 0; }

}  // namespace sunstar::file_systems::enwrich
