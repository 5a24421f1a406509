// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "examples/galley/shifted_blocks.h"
#include "sw/file_systems/galley/libraries/all_subfiles.h"

namespace sunstar::file_systems::galley {

/// A library on top of Galley: a matrix of blocks of equal size in the shifted layout, with one subfile for each disk
/// of the grid and one fork in each. A call moves a rectangle of blocks and asks all subfiles that hold some of them at
/// the same time. In memory the blocks of the rectangle lie one behind the other, row by row.
class ShiftedMatrix {
 public:
  /// `block_bytes` is the size of a block, at least 1.
  ShiftedMatrix(Gfs& gfs, const ShiftedBlocks& layout, std::uint64_t block_bytes)
      : gfs_(gfs), layout_(layout), block_bytes_(block_bytes) {}

  /// Creates the file, from its first disk on, with a matrix of zeros, and opens it. Errors: bad_argument (something is
  /// 0), overflow (the matrix has 2^63 bytes or more), those of gfs_create and gfs_create_fork.
  os::Task<Error> create(const std::string& name, std::uint32_t first_disk = 0);
  /// Errors: those of gfs_open and gfs_open_fork; bad_argument if the file does not have the layout's size.
  os::Task<Error> open(const std::string& name);

  /// Moves the blocks (i, j) to (i + rows - 1, j + columns - 1) to or from `memory`, an offset into the processor's
  /// buffer. Errors: not_open, out_of_file (the matrix has no such blocks), out_of_memory; nothing is moved then.
  os::Task<Answer> read(std::uint64_t memory, std::uint64_t i, std::uint64_t j, std::uint64_t rows,
                        std::uint64_t columns) {
    return move(Gfs::Direction::read, memory, i, j, rows, columns);
  }
  os::Task<Answer> write(std::uint64_t memory, std::uint64_t i, std::uint64_t j, std::uint64_t rows,
                         std::uint64_t columns) {
    return move(Gfs::Direction::write, memory, i, j, rows, columns);
  }
  os::Task<Answer> read_row(std::uint64_t memory, std::uint64_t i) { return read(memory, i, 0, 1, layout_.columns); }
  os::Task<Answer> write_row(std::uint64_t memory, std::uint64_t i) { return write(memory, i, 0, 1, layout_.columns); }
  os::Task<Answer> read_column(std::uint64_t memory, std::uint64_t j) { return read(memory, 0, j, layout_.rows, 1); }
  os::Task<Answer> write_column(std::uint64_t memory, std::uint64_t j) { return write(memory, 0, j, layout_.rows, 1); }

  static constexpr const char* fork_name = "blocks";

 private:
  Error check() const;
  os::Task<Answer> move(Gfs::Direction direction, std::uint64_t memory, std::uint64_t i, std::uint64_t j,
                        std::uint64_t rows, std::uint64_t columns);

  Gfs& gfs_;
  const ShiftedBlocks layout_;
  const std::uint64_t block_bytes_;
  std::vector<int> forks_;
};

}  // namespace sunstar::file_systems::galley
