// SPDX-License-Identifier: MIT
#include "examples/galley/shifted_matrix.h"

#include <utility>

namespace sunstar::file_systems::galley {

// Blocks of the matrix are fewer than 2^63 bytes; so are those of each disk, and offsets into its fork fit.
Error ShiftedMatrix::check() const {
  if (layout_.grid_rows == 0 || layout_.grid_columns == 0 || layout_.rows == 0 || layout_.columns == 0 ||
      block_bytes_ == 0)
    return Error::bad_argument;
  const std::uint64_t disks = std::uint64_t{layout_.grid_rows} * layout_.grid_columns;
  if (disks > UINT32_MAX) return Error::too_many_subfiles;
  std::int64_t blocks = 0, bytes = 0;
  if (__builtin_mul_overflow(layout_.rows, layout_.columns, &blocks) ||
      __builtin_mul_overflow(layout_.slots(), block_bytes_, &bytes) ||
      __builtin_mul_overflow(blocks, block_bytes_, &bytes))
    return Error::overflow;
  return Error::none;
}

os::Task<Error> ShiftedMatrix::create(const std::string& name, std::uint32_t first_disk) {
  const Error wrong = check();
  if (wrong != Error::none) co_return wrong;
  const Answer file = co_await gfs_.gfs_create(name, layout_.disks(), first_disk);
  if (file.error != Error::none) co_return file.error;
  const std::string fork = fork_name;
  ForkSet set = co_await create_forks(gfs_, file.number, fork);
  if (set.error != Error::none) co_return set.error;
  for (const int number : set.numbers) {
    const Answer extended = co_await gfs_.gfs_extend(number, static_cast<std::int64_t>(layout_.slots() * block_bytes_));
    if (extended.error != Error::none) co_return extended.error;
  }
  forks_ = std::move(set.numbers);
  co_return Error::none;
}

os::Task<Error> ShiftedMatrix::open(const std::string& name) {
  const Error wrong = check();
  if (wrong != Error::none) co_return wrong;
  const Answer file = co_await gfs_.gfs_open(name);
  if (file.error != Error::none) co_return file.error;
  if (gfs_.gfs_subfiles(file.number) != layout_.disks()) co_return Error::bad_argument;
  const std::string fork = fork_name;
  ForkSet set = co_await open_forks(gfs_, file.number, fork);
  if (set.error != Error::none) co_return set.error;
  for (const std::uint64_t bytes : set.bytes)
    if (bytes != layout_.slots() * block_bytes_) co_return Error::bad_argument;
  forks_ = std::move(set.numbers);
  co_return Error::none;
}

os::Task<Answer> ShiftedMatrix::move(Gfs::Direction direction, std::uint64_t memory, std::uint64_t i, std::uint64_t j,
                                     std::uint64_t rows, std::uint64_t columns) {
  Answer answer;
  if (forks_.empty()) answer.error = Error::not_open;
  else if (i > layout_.rows || rows > layout_.rows - i || j > layout_.columns || columns > layout_.columns - j)
    answer.error = Error::out_of_file;
  else if (!in_buffer(gfs_, memory, rows * columns * block_bytes_)) answer.error = Error::out_of_memory;
  if (answer.error != Error::none) co_return answer;
  PieceLists pieces(forks_.size());
  for (std::uint64_t r = 0; r < rows; ++r)
    for (std::uint64_t c = 0; c < columns; ++c)
      pieces.add(layout_.disk_of(i + r, j + c), layout_.slot_of(i + r, j + c) * block_bytes_,
                 memory + (r * columns + c) * block_bytes_, block_bytes_);
  answer = co_await pieces.move(gfs_, direction, forks_);
  co_return answer;
}

}  // namespace sunstar::file_systems::galley
