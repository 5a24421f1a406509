// SPDX-License-Identifier: MIT
#pragma once
#include <bit>

#include "models/core/quantity.h"
#include "sw/requests/distributions/mapping.h"

namespace sunstar::requests {

/// How High-Performance Fortran spreads one dimension of an array over processors. `all` is not part of HPF: every
/// processor holds the whole file.
enum class Distribution : std::uint8_t { none, block, cyclic, all };

/// Rows and columns of an array of records, stored in the file row by row. A vector of n records has n rows of one
/// record.
struct ArrayShape {
  std::uint64_t rows = 0;
  std::uint64_t cols = 1;
  bool operator==(const ArrayShape&) const = default;
};

/// The grid of processors over which both dimensions of a matrix are spread.
struct ProcessorGrid {
  std::uint32_t rows = 1;
  std::uint32_t cols = 1;
  bool operator==(const ProcessorGrid&) const = default;
};

/// Returns the grid that is as square as possible: rows is the greatest divisor of `processors` not above its square
/// root, so rows <= cols (16 -> 4x4, 8 -> 2x4, 7 -> 1x7). Processor (r, c) is number r * cols + c.
ProcessorGrid square_grid(std::uint32_t processors);

/// Returns the shape of a matrix of `records` records that is as square as possible: cols is the greatest divisor of
/// `records` not above its square root. A 10 MiB file gives 1280x1024 for 8-byte and 40x32 for 8192-byte records, the
/// shapes of Kotz, "Disk-directed I/O for MIMD multiprocessors" (TR94-226), Table 2.
ArrayShape square_shape(std::uint64_t records);

/// An unsigned divisor known in advance. If it is a power of two, as most are, it divides by a shift, to spare the host
/// a division; firmware that is counted divides (sw/os/counted.h).
class Divisor {
 public:
  explicit Divisor(std::uint64_t by = 1)
      : by_(by), shift_(shifts && std::has_single_bit(by) ? std::countr_zero(by) : -1) {}
  std::uint64_t value() const { return by_; }
  std::uint64_t quotient(std::uint64_t n) const { return shift_ >= 0 ? n >> shift_ : n / by_; }
  std::uint64_t remainder(std::uint64_t n) const { return shift_ >= 0 ? n & (by_ - 1) : n % by_; }

 private:
#ifdef SUNSTAR_COUNTING
  static constexpr bool shifts = false;
#else
  static constexpr bool shifts = true;
#endif
  std::uint64_t by_;
  int shift_;
};

/// One dimension of an array spread over processors. BLOCK rounds the block size up, as HPF does: the last processors
/// may hold less or nothing.
class SpreadDimension {
 public:
  SpreadDimension() = default;
  /// `elements` > 0 and `processors` > 0; `how` is not `all`. NONE uses one processor only.
  SpreadDimension(std::uint64_t elements, Distribution how, std::uint32_t processors);

  std::uint64_t elements() const { return elements_; }
  std::uint32_t processors() const { return processors_; }
  bool cyclic() const { return cyclic_; }
  std::uint64_t count(std::uint64_t processor) const;
  struct Holder {
    std::uint64_t processor = 0;
    std::uint64_t local = 0;  ///< position within the processor's part
  };
  Holder holder(std::uint64_t element) const {
    const std::uint64_t quotient = step_.quotient(element), remainder = step_.remainder(element);
    return cyclic_ ? Holder{remainder, quotient} : Holder{quotient, remainder};
  }
  std::uint64_t global(std::uint64_t processor, std::uint64_t local) const {
    return cyclic_ ? local * processors_ + processor : processor * step_.value() + local;
  }
  /// Consecutive elements of one owner: the BLOCK size, or 1 under CYCLIC.
  std::uint64_t run() const { return cyclic_ ? 1 : step_.value(); }

 private:
  std::uint64_t elements_ = 1;
  std::uint32_t processors_ = 1;
  bool cyclic_ = false;
  Divisor step_{1};  // BLOCK: size of a block; CYCLIC: processors
  // CYCLIC: elements of every processor, and how many processors have one more.
  std::uint64_t rounds_ = 1, left_over_ = 0;
};

/// The HPF distributions of a file of records, seen as a vector or a matrix, over the memories of compute processors
/// (TR94-226, Figure 3). Each processor keeps its part contiguously, in row-major order, as in the file.
///
/// A chunk extends across records and rows as long as it is contiguous in both file and memory. Under CYCLIC, though, a
/// chunk is always one element of the spread dimension, even where a processor's next element follows in the file, as
/// on a single processor: the program asks for one element at a time (Table 2). Pieces extend as long as they are
/// contiguous in both.
///
/// One spread dimension is spread over all processors, two over square_grid(processors). If both are NONE, processor 0
/// holds the file and the others hold nothing.
class HpfMapping : public Mapping {
 public:
  /// A vector (shape.cols = 1) distributed by `rows`, or the whole file everywhere (`rows` = all).
  HpfMapping(ArrayShape shape, Bytes record, Distribution rows, std::uint32_t processors)
      : HpfMapping(shape, record, rows, Distribution::none, processors) {}

  /// A matrix. Throws ConfigError if a dimension, the record size or the number of processors is 0, if the file has
  /// 2^63 bytes or more, or if only one dimension is ALL.
  HpfMapping(ArrayShape shape, Bytes record, Distribution rows, Distribution cols, std::uint32_t processors);

  std::uint64_t file_bytes() const override { return file_bytes_; }
  std::uint32_t processors() const override { return processors_; }
  void describe(Words& out) const override;
  std::uint64_t memory_bytes(std::uint32_t processor) const override;
  unsigned distributed_dimensions() const override { return dimensions_; }
  std::optional<Piece> chunk(std::uint32_t processor, std::uint64_t memory_offset) const override;
  void pieces(std::uint64_t offset, std::uint64_t bytes, std::vector<Piece>& out) const override;

  /// Number of the processor's chunks, without walking them.
  std::uint64_t chunk_count(std::uint32_t processor) const;

 private:
  struct Place {  // a processor's place in the grid, and its part of the array
    std::uint64_t row, col;
    std::uint64_t height, width;  // in elements
    std::uint64_t bytes;
  };
  Place place(std::uint32_t processor) const;

  ArrayShape shape_;
  std::uint64_t record_;
  Distribution by_rows_, by_cols_;
  std::uint64_t file_bytes_;
  std::uint32_t processors_;
  unsigned dimensions_;
  bool all_;
  ProcessorGrid grid_;
  // If processors hold whole rows, the file counts as one row whose elements are those rows, so that vectors and
  // matrices share one inner loop. `unit_` is then a whole row, otherwise a record.
  bool whole_rows_ = false;
  SpreadDimension rows_, cols_;
  Divisor unit_{1}, row_bytes_{1};
};

}  // namespace sunstar::requests
