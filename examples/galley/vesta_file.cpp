// SPDX-License-Identifier: MIT
#include "examples/galley/vesta_file.h"

#include <array>
#include <boost/endian/arithmetic.hpp>
#include <cstddef>
#include <cstring>
#include <utility>

#include "examples/galley/crc.h"

namespace sunstar::file_systems::galley {

namespace {

/// What lies in the fork `meta_name`.
struct Meta {
  std::array<char, 4> magic{'V', 'S', 'T', '1'};
  boost::endian::little_uint32_t cells{0}, bsu_bytes{0}, checksum{0};

  std::uint32_t sum() const { return crc32(std::as_bytes(std::span(this, 1)).first(offsetof(Meta, checksum))); }
  bool sound() const { return magic == Meta{}.magic && checksum == sum() && cells > 0 && bsu_bytes > 0; }
};
static_assert(sizeof(Meta) == VestaFile::meta_bytes);

}  // namespace

os::Task<Error> VestaFile::create(const std::string& name, std::uint32_t cells, std::uint32_t bsu_bytes,
                                  std::uint32_t subfiles, std::uint32_t first_disk) {
  if (cells == 0 || bsu_bytes == 0) co_return Error::bad_argument;
  if (scratch_.bytes < meta_bytes || !in_buffer(gfs_, scratch_.memory, meta_bytes)) co_return Error::out_of_memory;
  const Answer file = co_await gfs_.gfs_create(name, subfiles, first_disk);
  if (file.error != Error::none) co_return file.error;
  std::vector<int> forks;
  for (std::uint32_t cell = 0; cell < cells; ++cell) {
    const std::string fork_name = cell_name(cell);
    const Answer fork = co_await gfs_.gfs_create_fork(file.number, cell % subfiles, fork_name);
    if (fork.error != Error::none) co_return fork.error;
    forks.push_back(fork.number);
  }
  // Whoever finds this fork finds all cells.
  const std::string fork_name = meta_name;
  const Answer fork = co_await gfs_.gfs_create_fork(file.number, 0, fork_name);
  if (fork.error != Error::none) co_return fork.error;
  Meta meta;
  meta.cells = cells;
  meta.bsu_bytes = bsu_bytes;
  meta.checksum = meta.sum();
  std::memcpy(gfs_.memory().base + scratch_.memory, &meta, meta_bytes);
  const Answer written = co_await gfs_.gfs_write(fork.number, static_cast<std::int64_t>(scratch_.memory), 0,
                                                 static_cast<std::int64_t>(meta_bytes));
  if (written.error != Error::none) co_return written.error;
  file_ = file.number;
  cells_ = cells;
  bsu_bytes_ = bsu_bytes;
  forks_ = std::move(forks);
  co_return Error::none;
}

os::Task<Error> VestaFile::open(const std::string& name) {
  if (scratch_.bytes < meta_bytes || !in_buffer(gfs_, scratch_.memory, meta_bytes)) co_return Error::out_of_memory;
  const Answer file = co_await gfs_.gfs_open(name);
  if (file.error != Error::none) co_return file.error;
  const std::string fork_name = meta_name;
  const Answer fork = co_await gfs_.gfs_open_fork(file.number, 0, fork_name);
  if (fork.error != Error::none) co_return fork.error;
  if (fork.bytes != meta_bytes) co_return Error::damaged;
  const Answer read = co_await gfs_.gfs_read(fork.number, static_cast<std::int64_t>(scratch_.memory), 0,
                                             static_cast<std::int64_t>(meta_bytes));
  if (read.error != Error::none) co_return read.error;
  Meta meta;
  std::memcpy(&meta, gfs_.memory().base + scratch_.memory, meta_bytes);
  if (!meta.sound()) co_return Error::damaged;
  file_ = file.number;
  cells_ = meta.cells;
  bsu_bytes_ = meta.bsu_bytes;
  forks_.assign(cells_, -1);
  co_return Error::none;
}

os::Task<Answer> VestaFile::read(const VestaPartition& partition, std::uint64_t memory, std::uint64_t first,
                                 std::uint64_t count) {
  return move(Gfs::Direction::read, partition, memory, first, count);
}
os::Task<Answer> VestaFile::write(const VestaPartition& partition, std::uint64_t memory, std::uint64_t first,
                                  std::uint64_t count) {
  return move(Gfs::Direction::write, partition, memory, first, count);
}

// Afterwards every offset into a fork, and every stride that is used, fits into 63 bits.
Error VestaFile::check(const VestaPartition& partition, std::uint64_t memory, std::uint64_t first,
                       std::uint64_t count) const {
  if (file_ < 0) return Error::not_open;
  if (partition.cells_of_file() != cells_) return Error::bad_argument;
  if (count == 0) return Error::none;
  if (partition.cells() == 0) return Error::out_of_file;
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(count, std::uint64_t{bsu_bytes_}, &bytes) || !in_buffer(gfs_, memory, bytes))
    return Error::out_of_memory;
  std::uint64_t end = 0, rows = 0;
  if (__builtin_add_overflow(first, count, &end) || end > INT64_MAX ||
      __builtin_mul_overflow((end - 1) / partition.position_stride() + 1, partition.row_stride(), &rows))
    return Error::overflow;
  return rows > INT64_MAX / bsu_bytes_ ? Error::overflow : Error::none;
}

os::Task<Error> VestaFile::open_cells(const VestaPartition& partition, std::uint64_t first, std::uint64_t count) {
  for (std::uint32_t mine = 0; mine < partition.cells(); ++mine) {
    const std::uint32_t cell = partition.cell(mine);
    if (forks_[cell] >= 0 || partition.strips(mine, first, count).empty()) continue;
    const std::string fork_name = cell_name(cell);
    const Answer fork = co_await gfs_.gfs_open_fork(file_, cell % gfs_.gfs_subfiles(file_), fork_name);
    if (fork.error != Error::none) co_return fork.error;
    forks_[cell] = fork.number;
  }
  co_return Error::none;
}

os::Task<Answer> VestaFile::move(Gfs::Direction direction, const VestaPartition& partition, std::uint64_t memory,
                                 std::uint64_t first, std::uint64_t count) {
  Answer answer;
  answer.error = check(partition, memory, first, count);
  if (answer.error != Error::none || count == 0) co_return answer;
  answer.error = co_await open_cells(partition, first, count);
  if (answer.error != Error::none) co_return answer;
  const std::uint64_t bsu = bsu_bytes_;
  std::vector<Gfs::Pending> pending;
  for (std::uint32_t mine = 0; mine < partition.cells(); ++mine) {
    const VestaPartition::Strips strips = partition.strips(mine, first, count);
    if (strips.empty()) continue;
    boost::container::static_vector<gfs_batch, 3> parts;
    for (const VestaPartition::Strip& strip : strips) {
      gfs_batch part;
      part.f_absolute = part.m_absolute = true;
      part.f_off = static_cast<std::int64_t>(strip.row * bsu);
      part.m_off = static_cast<std::int64_t>((strip.position - first) * bsu);
      part.size = static_cast<std::int64_t>(strip.bsus * bsu);
      part.quant = static_cast<std::int64_t>(strip.repetitions);
      if (strip.repetitions > 1) {
        part.f_stride = static_cast<std::int64_t>(partition.row_stride() * bsu);
        part.m_stride = static_cast<std::int64_t>(partition.position_stride() * bsu);
      }
      parts.push_back(part);
    }
    Gfs::Pending one = co_await gfs_.gfs_begin_batched(direction, forks_[partition.cell(mine)],
                                                       static_cast<std::int64_t>(memory), parts);
    pending.push_back(std::move(one));
  }
  answer = co_await wait_for_all(gfs_, pending);
  co_return answer;
}

}  // namespace sunstar::file_systems::galley
