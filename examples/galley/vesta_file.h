// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "examples/galley/vesta_view.h"
#include "sw/file_systems/galley/libraries/all_subfiles.h"

namespace sunstar::file_systems::galley {

/// A library on top of Galley: a two-dimensional file as in Vesta, of cells of basic striping units (vesta_view.h).
/// Each cell is a fork. The cells go to the subfiles in turn, so a disk may hold several of them, as it may in Vesta
/// (Nieuwejaar and Kotz, section 7). A fork of its own in subfile 0 holds what opening needs to know, so that the
/// file's name is enough, and no reader of the cells stumbles over it.
class VestaFile {
 public:
  /// `scratch` has room for that fork's meta_bytes.
  VestaFile(Gfs& gfs, const Scratch& scratch) : gfs_(gfs), scratch_(scratch) {}

  /// Creates a file of `cells` empty cells of BSUs of `bsu_bytes` bytes in `subfiles` subfiles, from its first disk on,
  /// and opens it. Errors: bad_argument (something is 0), out_of_memory (scratch), those of gfs_create, gfs_create_fork
  /// and gfs_write.
  os::Task<Error> create(const std::string& name, std::uint32_t cells, std::uint32_t bsu_bytes, std::uint32_t subfiles,
                         std::uint32_t first_disk = 0);
  /// Errors: out_of_memory (scratch), damaged, those of gfs_open, gfs_open_fork and gfs_read.
  os::Task<Error> open(const std::string& name);
  std::uint32_t cells() const { return cells_; }
  std::uint32_t bsu_bytes() const { return bsu_bytes_; }

  /// The partition (h, v) of a view on this file, for read() and write(). view.valid(), h < view.hn, v < view.vn.
  VestaPartition partition(const VestaView& view, std::uint32_t h, std::uint32_t v) const {
    return {view, cells_, h, v};
  }
  /// Moves the BSUs [first, first + count) of a partition to or from `memory`, an offset into the processor's buffer,
  /// where they lie in the partition's order. Each cell concerned gets one nested-batched request, for whole blocks at
  /// equal distances and what the run cuts from its first and its last block; all cells are asked at the same time. A
  /// cell is opened when it is first asked for. Errors: not_open, bad_argument (a partition of a file with other
  /// cells), out_of_file (a partition without cells; a BSU behind the end of its cell: other cells' BSUs may have
  /// arrived then), out_of_memory, overflow, no_space.
  os::Task<Answer> read(const VestaPartition& partition, std::uint64_t memory, std::uint64_t first,
                        std::uint64_t count);
  os::Task<Answer> write(const VestaPartition& partition, std::uint64_t memory, std::uint64_t first,
                         std::uint64_t count);

  static constexpr std::uint64_t meta_bytes = 16;
  static constexpr const char* meta_name = "vesta";
  /// The name of the fork of a cell, in subfile cell % subfiles.
  static std::string cell_name(std::uint32_t cell) { return "cell " + std::to_string(cell); }

 private:
  Error check(const VestaPartition& partition, std::uint64_t memory, std::uint64_t first, std::uint64_t count) const;
  os::Task<Error> open_cells(const VestaPartition& partition, std::uint64_t first, std::uint64_t count);
  os::Task<Answer> move(Gfs::Direction direction, const VestaPartition& partition, std::uint64_t memory,
                        std::uint64_t first, std::uint64_t count);

  Gfs& gfs_;
  const Scratch scratch_;
  int file_ = -1;
  std::uint32_t cells_ = 0, bsu_bytes_ = 0;
  std::vector<int> forks_;  // of the cells; -1 until opened
};

}  // namespace sunstar::file_systems::galley
