// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

namespace sunstar::file_systems::galley {

/// The two-dimensional, cyclically shifted block layout of a matrix (Toledo and Gustavson, The design and
/// implementation of SOLAR, 1996; Figure 1 of Nieuwejaar and Kotz, The Galley parallel file system, shows it for a
/// 2-by-3 grid of disks). Everything counts blocks and starts at 0; the figure numbers its disks from 1.
///
/// A tile is a submatrix of grid_rows x grid_columns blocks whose first row and column are multiples of these. Each
/// tile has one block on each disk, in the order of the grid, but tiles are turned: the rows of the grid by one for
/// each row of blocks and each tile to the right, its columns by one for each tile downward. So does every run of
/// disks() blocks in a row or in a column have one block on each disk.
struct ShiftedBlocks {
  std::uint32_t grid_rows = 1, grid_columns = 1;  ///< the disks, in a grid; at least 1
  std::uint64_t rows = 0, columns = 0;            ///< the matrix

  std::uint32_t disks() const { return grid_rows * grid_columns; }
  /// Which disk has block (i, j).
  std::uint32_t disk_of(std::uint64_t i, std::uint64_t j) const {
    const std::uint64_t row = (i + j / grid_columns) % grid_rows;
    const std::uint64_t turned = i / grid_rows % grid_columns;
    const std::uint64_t column = (j % grid_columns + grid_columns - turned) % grid_columns;
    return static_cast<std::uint32_t>(row * grid_columns + column);
  }
  /// Which place on that disk: the number of its tile, row by row.
  std::uint64_t slot_of(std::uint64_t i, std::uint64_t j) const {
    return i / grid_rows * tiles(columns, grid_columns) + j / grid_columns;
  }
  /// Places on each disk. Some stay empty if the matrix does not end where a tile ends.
  std::uint64_t slots() const { return tiles(rows, grid_rows) * tiles(columns, grid_columns); }

 private:
  static std::uint64_t tiles(std::uint64_t blocks, std::uint32_t each) { return blocks / each + (blocks % each != 0); }
};

}  // namespace sunstar::file_systems::galley
