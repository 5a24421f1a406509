// SPDX-License-Identifier: MIT
#pragma once
#include <boost/container/static_vector.hpp>
#include <cstdint>

// How Vesta divides a file among processes (Corbett and Feitelson, Design and implementation of the Vesta parallel file
// system, 1994). A file has two dimensions: cells lie beside each other, and each is a sequence of basic striping units
// (BSUs), here called its rows. Everything counts cells or BSUs and starts at 0.
namespace sunstar::file_systems::galley {

/// A logical view: blocks of Hbs cells by Vbs rows go in turn to Hn partitions from left to right and to Vn from top to
/// bottom. So each BSU belongs to exactly one of the Hn * Vn partitions. All at least 1.
struct VestaView {
  std::uint32_t hbs = 1;  ///< Hbs, horizontal block size: cells beside each other
  std::uint32_t vbs = 1;  ///< Vbs, vertical block size: rows of a cell one after the other
  std::uint32_t hn = 1;   ///< Hn, partitions beside each other
  std::uint32_t vn = 1;   ///< Vn, partitions above each other

  bool valid() const { return hbs > 0 && vbs > 0 && hn > 0 && vn > 0; }
};

/// One partition of a view, and the order of its BSUs. It goes down from one row of its blocks to the next; in each, it
/// goes through its cells from left to right, and takes Vbs BSUs from each. A view of Vbs = 1 and a single partition is
/// a file striped over all cells.
class VestaPartition {
 public:
  /// Partition (h, v) of a file of so many cells; h < view.hn, v < view.vn. It may have no cells.
  VestaPartition(const VestaView& view, std::uint32_t cells_of_file, std::uint32_t h, std::uint32_t v);

  std::uint32_t cells_of_file() const { return cells_of_file_; }
  /// Cells of the partition.
  std::uint32_t cells() const { return cells_; }
  /// The number in the file of the partition's cell `mine`.
  std::uint32_t cell(std::uint32_t mine) const {
    return static_cast<std::uint32_t>((std::uint64_t{mine} / view_.hbs * view_.hn + h_) * view_.hbs + mine % view_.hbs);
  }

  struct Place {
    std::uint32_t cell = 0;  ///< in the file
    std::uint64_t row = 0;
    bool operator==(const Place&) const = default;
  };
  /// Where a BSU of the partition lies, by its position in the partition's order. There must be cells. The row must fit
  /// into 64 bits.
  Place place(std::uint64_t position) const;

  /// BSUs of one cell at equal distances, as a strided request takes them.
  struct Strip {
    std::uint64_t row = 0, position = 0;  ///< of the first BSU: in the cell, and in the partition's order
    std::uint64_t bsus = 0;               ///< in each repetition, one after the other
    std::uint64_t repetitions = 1;        ///< row_stride() and position_stride() apart
    bool operator==(const Strip&) const = default;
  };
  /// What the partition's cell `mine` has of the BSUs [first, first + count): the rest of a block, whole blocks, the
  /// beginning of a block. first + count and the rows must fit into 64 bits.
  using Strips = boost::container::static_vector<Strip, 3>;
  Strips strips(std::uint32_t mine, std::uint64_t first, std::uint64_t count) const;
  std::uint64_t row_stride() const { return std::uint64_t{view_.vbs} * view_.vn; }
  std::uint64_t position_stride() const { return std::uint64_t{view_.vbs} * cells_; }

 private:
  /// The first row of the partition's block number `block`, counted downward.
  std::uint64_t row_of_block(std::uint64_t block) const { return (block * view_.vn + v_) * view_.vbs; }

  VestaView view_;
  std::uint32_t cells_of_file_, h_, v_;
  std::uint32_t cells_;
};

}  // namespace sunstar::file_systems::galley
