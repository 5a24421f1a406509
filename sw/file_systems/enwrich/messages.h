// SPDX-License-Identifier: MIT
#pragma once
#include <bit>
#include <cstdint>

#include "sw/messages/endpoint.h"

namespace sunstar::file_systems::enwrich {

/// A flush of all caches begins: to the other compute processors, and as a notice to the I/O processors.
struct FlushRequest {
  std::uint64_t epoch;  ///< flushes count from 1
  std::uint64_t last;   ///< the run's last one
};

/// Entries of a compute processor's directory that concern the receiver, as data; the first of all at `first`.
struct DirectoryPart {
  std::uint64_t processor;
  std::uint64_t total;  ///< entries that come in all
  std::uint64_t first;
  std::uint64_t last;  ///< the flush is the run's last one
};

/// An I/O processor has done its part of the flush.
struct FlushDone {};

/// Asks a compute processor for cached bytes of the file, of the entry with that time stamp.
struct PieceRequest {
  std::uint64_t time_stamp;
  std::uint64_t file_offset;
  std::uint64_t bytes;
  std::uint64_t unused;
  messages::ReplyTo reply;
};

/// The same for several pieces at once, whose list comes as data.
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

/// Part of a block to be read; answered by a reply.
struct ReadRequest {
  std::uint32_t file;
  std::uint32_t bytes;
  std::uint64_t offset;
  messages::ReplyTo reply;
};

/// What compute and I/O processors say to each other.
struct Messages {
  explicit Messages(messages::Numbers& n) : flush(n), notice(n), directory(n), done(n), piece(n), gather(n), read(n) {}
  const messages::Kind<FlushRequest> flush, notice;
  const messages::Kind<DirectoryPart> directory;
  const messages::Kind<FlushDone> done;
  const messages::Kind<PieceRequest> piece;
  const messages::Kind<GatherRequest> gather;
  const messages::Kind<ReadRequest> read;
};

/// Comparisons of sorting or searching n things, about.
inline double log2_of(std::uint64_t n) { return n > 1 ? static_cast<double>(std::bit_width(n - 1)) : 0; }

}  // namespace sunstar::file_systems::enwrich
