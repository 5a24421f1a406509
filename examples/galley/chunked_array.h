// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "models/core/quantity.h"
#include "sw/file_systems/galley/libraries/all_subfiles.h"

namespace sunstar::file_systems::galley {

/// A library on top of Galley: an array stored in compressed chunks (after Seamons and Winslett, A data management
/// approach for handling large compressed arrays in high performance computing, 1995, which Nieuwejaar and Kotz name in
/// section 3.2 as a case for forks). Compressed chunks have any size, so they are appended to one fork of their
/// subfile, and a second fork, the index, tells where each begins. Chunks go to the subfiles in turn: chunk n lies in
/// subfile n % subfiles.
///
/// Chunks are compressed by a run-length code (run_length.h), or stored as they are if that saves nothing. The
/// processor is charged for it. A chunk that is written again is appended again, and its index entry changed once the
/// new bytes are in the file; the old bytes stay where they are, unused.
///
/// Any number of processors may read. At most one processor at a time may write chunks of a subfile, as it alone knows
/// where its data fork ends; so on p processors and p subfiles, each takes a subfile's chunks. Others see what has been
/// written when they open the array again.
class ChunkedArray {
 public:
  /// Cycles that the code takes for each byte of a chunk that is not compressed, with its checksum.
  struct Cost {
    Cycles compress{8};    ///< estimate: compare, count, store, and the CRC by table, about two instructions each
    Cycles decompress{6};  ///< estimate: load, store, and the CRC by table
  };
  /// `scratch` has room for the largest compressed chunk, and for one index entry a subfile. The more, the fewer
  /// requests read_all() and open() take.
  ChunkedArray(Gfs& gfs, const Scratch& scratch, const Cost& cost) : gfs_(gfs), scratch_(scratch), cost_(cost) {}

  /// Creates an array of so many chunks, none of them written, and opens it. Errors: bad_argument (something is 0, or
  /// too many chunks), out_of_memory (scratch), those of gfs_create, gfs_create_fork and gfs_extend.
  os::Task<Error> create(const std::string& name, std::uint64_t chunks, std::uint32_t subfiles,
                         std::uint32_t first_disk = 0);
  /// Reads the index of all subfiles. Errors: damaged (the index forks do not belong together), out_of_memory
  /// (scratch), those of gfs_open, gfs_open_fork and gfs_read. A damaged entry concerns its chunk only.
  os::Task<Error> open(const std::string& name);
  std::uint64_t chunks() const { return index_.size(); }

  /// Writes a chunk, `bytes` from `memory`, an offset into the processor's buffer. `bytes` of the answer is what
  /// was stored. Errors: not_open, bad_argument (no such chunk, or 2^32 bytes or more), out_of_memory, no_space.
  os::Task<Answer> write(std::uint64_t chunk, std::uint64_t memory, std::uint64_t bytes);
  /// Reads a chunk; `bytes` of the answer is its size in memory. Errors: not_open, bad_argument (no such chunk),
  /// out_of_file (never written), out_of_memory (the buffer or scratch is too small), damaged (its index entry or its
  /// data; what has arrived in memory is worth nothing).
  os::Task<Answer> read(std::uint64_t chunk, std::uint64_t memory);
  /// Reads all chunks, one behind the other, in the order of their numbers. Errors: those of read(), that of the first
  /// chunk that has one; nothing is moved unless it is `damaged` data.
  os::Task<Answer> read_all(std::uint64_t memory);

  static constexpr std::uint64_t entry_bytes = 24;
  static constexpr const char* data_name = "chunks";
  static constexpr const char* index_name = "index";

 private:
  struct Entry {
    enum class State : std::uint8_t { empty, written, damaged };
    State state = State::empty;
    std::uint32_t stored = 0, raw = 0, checksum = 0;  // bytes in the fork and in memory, CRC-32 of what is stored
    std::uint64_t offset = 0;                         // into the data fork
    bool compressed() const { return stored != raw; }
  };
  static Entry decode(std::span<const std::byte> bytes);
  static void encode(const Entry& entry, std::span<std::byte> bytes);

  std::uint32_t subfile_of(std::uint64_t chunk) const { return static_cast<std::uint32_t>(chunk % data_.size()); }
  /// Entries of a subfile's index.
  static std::uint64_t entries(std::uint64_t chunks, std::uint64_t subfiles, std::uint64_t subfile) {
    return chunks / subfiles + (subfile < chunks % subfiles ? 1 : 0);
  }
  std::span<std::byte> buffer(std::uint64_t memory, std::uint64_t bytes) const {
    return {gfs_.memory().base + memory, bytes};
  }
  Error why_unreadable(std::uint64_t chunk) const;
  os::Task<Answer> read_chunks(std::uint64_t first, std::uint64_t end, std::uint64_t memory);
  os::Task<Error> read_index();

  Gfs& gfs_;
  const Scratch scratch_;
  const Cost cost_;
  std::vector<int> data_, index_forks_;    // by subfile
  std::vector<std::uint64_t> data_bytes_;  // by subfile
  std::vector<Entry> index_;
};

}  // namespace sunstar::file_systems::galley
