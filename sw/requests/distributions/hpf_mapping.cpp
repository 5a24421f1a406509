// SPDX-License-Identifier: MIT
#include "sw/requests/distributions/hpf_mapping.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace sunstar::requests {
namespace {

std::uint64_t divisor_below_root(std::uint64_t n) {
  auto d = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(n))) + 1;
  while (d > 1 && (d > n / d || n % d != 0)) --d;
  return d;
}

}  // namespace

ProcessorGrid square_grid(std::uint32_t processors) {
  const auto rows = static_cast<std::uint32_t>(divisor_below_root(processors));
  return {rows, processors / rows};
}

ArrayShape square_shape(std::uint64_t records) {
  const std::uint64_t cols = divisor_below_root(records);
  return {records / cols, cols};
}

SpreadDimension::SpreadDimension(std::uint64_t elements, Distribution how, std::uint32_t processors)
    : elements_(elements),
      processors_(how == Distribution::none ? 1 : processors),
      cyclic_(how == Distribution::cyclic),
      step_(cyclic_ ? processors_ : (elements + processors_ - 1) / processors_),
      rounds_(elements / processors_),
      left_over_(elements % processors_) {
  assert(elements > 0 && processors > 0 && how != Distribution::all);
}

std::uint64_t SpreadDimension::count(std::uint64_t processor) const {
  if (cyclic_) return rounds_ + (processor < left_over_ ? 1 : 0);
  const std::uint64_t begin = processor * step_.value();
  return begin >= elements_ ? 0 : std::min(step_.value(), elements_ - begin);
}

HpfMapping::HpfMapping(ArrayShape shape, Bytes record, Distribution rows, Distribution cols, std::uint32_t processors)
    : shape_(shape),
      record_(record.count),
      by_rows_(rows),
      by_cols_(cols),
      processors_(processors),
      all_(rows == Distribution::all) {
  if (processors == 0) throw ConfigError("A file cannot be distributed over 0 processors; at least 1 is needed.");
  if (record.count == 0) throw ConfigError("A record of 0 bytes cannot be distributed; at least 1 byte is needed.");
  if (shape.rows == 0 || shape.cols == 0)
    throw ConfigError("An array of ", shape.rows, "x", shape.cols,
                      " records is empty; rows and columns must be at least 1.");
  if (cols == Distribution::all || (all_ && cols != Distribution::none))
    throw ConfigError("ALL distributes a whole file, not one dimension of it.");
  const auto product = static_cast<unsigned __int128>(shape.rows) * shape.cols;
  if (product >> 63 || product * record.count >> 63)
    throw ConfigError("An array of ", shape.rows, "x", shape.cols, " records of ", record.count,
                      " bytes is too large; a file must be below 2^63 bytes.");
  file_bytes_ = static_cast<std::uint64_t>(product) * record.count;
  if (all_) cols = rows = Distribution::none;

  const bool spread_rows = rows != Distribution::none, spread_cols = cols != Distribution::none;
  dimensions_ = (spread_rows ? 1 : 0) + (spread_cols ? 1 : 0);
  if (spread_rows && spread_cols) grid_ = square_grid(processors);
  else if (spread_rows) grid_ = {processors, 1};
  else if (spread_cols) grid_ = {1, processors};

  whole_rows_ = grid_.cols == 1 || shape.cols == 1;
  if (whole_rows_) {
    rows_ = SpreadDimension(1, Distribution::none, 1);
    cols_ = SpreadDimension(shape.rows, rows, grid_.rows);
    unit_ = Divisor(shape.cols * record.count);
  } else {
    rows_ = SpreadDimension(shape.rows, rows, grid_.rows);
    cols_ = SpreadDimension(shape.cols, cols, grid_.cols);
    unit_ = Divisor(record.count);
  }
  row_bytes_ = Divisor(cols_.elements() * unit_.value());
}

void HpfMapping::describe(Words& out) const {
  out.insert(out.end(), {static_cast<std::uint64_t>(Form::hpf), shape_.rows, shape_.cols, record_,
                         static_cast<std::uint64_t>(by_rows_), static_cast<std::uint64_t>(by_cols_), processors_});
}

HpfMapping::Place HpfMapping::place(std::uint32_t processor) const {
  Place at{processor / grid_.cols, processor % grid_.cols, 0, 0, 0};
  bool in_use = at.row < grid_.rows;
  if (whole_rows_) {
    in_use = in_use && at.col == 0;
    at.col = std::exchange(at.row, 0);
  }
  if (!in_use) return at;
  at.height = rows_.count(at.row);
  at.width = cols_.count(at.col);
  at.bytes = at.height * at.width * unit_.value();
  return at;
}

std::uint64_t HpfMapping::memory_bytes(std::uint32_t processor) const {
  assert(processor < processors_);
  return all_ ? file_bytes_ : place(processor).bytes;
}

std::optional<Piece> HpfMapping::chunk(std::uint32_t processor, std::uint64_t memory_offset) const {
  assert(processor < processors_);
  if (all_)
    return memory_offset >= file_bytes_
               ? std::nullopt
               : std::optional(Piece{processor, memory_offset, memory_offset, file_bytes_ - memory_offset});
  const Place at = place(processor);
  if (memory_offset >= at.bytes) return std::nullopt;
  const std::uint64_t unit = unit_.value(), width = at.width, height = at.height;
  const std::uint64_t index = unit_.quotient(memory_offset), within = unit_.remainder(memory_offset);
  std::uint64_t row = height == 1 ? 0 : index / width;
  std::uint64_t col = index - row * width;
  Piece chunk{processor, rows_.global(at.row, row) * row_bytes_.value() + cols_.global(at.col, col) * unit + within,
              memory_offset, 0};
  std::uint64_t units = 0;
  while (true) {
    const std::uint64_t run = cols_.cyclic() ? 1 : width - col;
    units += run;
    // The chunk continues into the next row only if the processor holds whole rows, and the next one too.
    if (cols_.cyclic() || rows_.cyclic() || width != cols_.elements() || row + 1 == height) break;
    ++row;
    col = 0;
  }
  chunk.bytes = units * unit - within;
  return chunk;
}

std::uint64_t HpfMapping::chunk_count(std::uint32_t processor) const {
  if (memory_bytes(processor) == 0) return 0;
  if (all_) return 1;
  const Place at = place(processor);
  const std::uint64_t width = at.width, height = at.height;
  if (cols_.cyclic()) return height * width;
  return width == cols_.elements() && !rows_.cyclic() ? 1 : height;  // as in chunk()
}

void HpfMapping::pieces(std::uint64_t offset, std::uint64_t bytes, std::vector<Piece>& out) const {
  assert(offset <= file_bytes_ && bytes <= file_bytes_ - offset);
  if (bytes == 0) return;
  if (all_) {
    for (std::uint32_t p = 0; p < processors_; ++p) out.push_back({p, offset, offset, bytes});
    return;
  }
  // Joins a piece to the last one that it has added if it continues that one in both file and memory.
  const auto add = [&out, first = out.size()](std::uint32_t processor, std::uint64_t file, std::uint64_t memory,
                                              std::uint64_t piece_bytes) {
    if (out.size() > first) {
      Piece& last = out.back();  // pieces come without gaps in the file
      if (last.processor == processor && last.memory_offset + last.bytes == memory) {
        last.bytes += piece_bytes;
        return;
      }
    }
    out.push_back({processor, file, memory, piece_bytes});
  };
  const std::uint64_t end = offset + bytes, unit = unit_.value();
  // Processor (r, c) has number r * grid.cols + c; if whole rows are spread, c counts processors in steps of grid.cols.
  const std::uint64_t step = whole_rows_ ? grid_.cols : 1;
  std::uint64_t row = 0, in_row = offset;
  if (!whole_rows_) {
    row = row_bytes_.quotient(offset);
    in_row = row_bytes_.remainder(offset);
  }
  std::uint64_t col = unit_.quotient(in_row), within = unit_.remainder(in_row);
  for (std::uint64_t at = offset; at < end;) {
    // The holder of each piece is found dimension by dimension: Cost::piece_dimension stands for one of them.
    SpreadDimension::Holder of_row;
    if (!whole_rows_) of_row = rows_.holder(row);
    const SpreadDimension::Holder of_col = cols_.holder(col);
    const std::uint64_t run = std::min(cols_.cyclic() ? 1 : cols_.run() - of_col.local, cols_.elements() - col);
    const std::uint64_t part = std::min(run * unit - within, end - at);
    add(static_cast<std::uint32_t>(of_row.processor * grid_.cols + of_col.processor * step), at,
        (of_row.local * cols_.count(of_col.processor) + of_col.local) * unit + within, part);
    at += part;
    within = 0;
    col += run;
    if (col == cols_.elements()) {
      col = 0;
      ++row;
    }
  }
}

}  // namespace sunstar::requests
