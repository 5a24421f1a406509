// SPDX-License-Identifier: MIT
#include "sw/file_systems/galley/libraries/linear_file.h"

namespace sunstar::file_systems::galley {

namespace {
constexpr std::uint64_t largest = INT64_MAX;

// Numbers from 2^63 on become negative, and are found to be wrong.
gfs_list_entry entry(std::uint64_t offset, std::uint64_t memory, std::uint64_t bytes) {
  return {static_cast<std::int64_t>(offset), static_cast<std::int64_t>(memory), static_cast<std::int64_t>(bytes)};
}
}  // namespace

os::Task<Error> LinearFile::create(const std::string& name, std::uint32_t first_disk) {
  const Answer file = co_await gfs_.gfs_create(name, declustering_.subfiles, first_disk);
  co_return co_await take_forks(file, create_forks);
}

os::Task<Error> LinearFile::open(const std::string& name) {
  const Answer file = co_await gfs_.gfs_open(name);
  co_return co_await take_forks(file, open_forks);
}

os::Task<Error> LinearFile::take_forks(Answer file, os::Task<ForkSet> (*forks_of)(Gfs&, int, const std::string&)) {
  status_ = file.status;
  if (file.error != Error::none) co_return file.error;
  number_ = file.number;
  if (gfs_.gfs_subfiles(number_) != declustering_.subfiles) co_return Error::bad_argument;
  const std::string fork = fork_name;
  ForkSet set = co_await forks_of(gfs_, number_, fork);
  status_ = set.status;
  forks_ = std::move(set.numbers);
  bytes_ = 0;
  for (std::uint32_t s = 0; s < set.bytes.size(); ++s) bytes_ = std::max(bytes_, declustering_.end_of(s, set.bytes[s]));
  co_return set.error;
}

os::Task<Answer> LinearFile::read(std::uint64_t memory, std::uint64_t offset, std::uint64_t bytes) {
  const gfs_list_entry piece = entry(offset, memory, bytes);
  co_return co_await move(Gfs::Direction::read, {&piece, 1});
}

os::Task<Answer> LinearFile::write(std::uint64_t memory, std::uint64_t offset, std::uint64_t bytes) {
  const gfs_list_entry piece = entry(offset, memory, bytes);
  co_return co_await move(Gfs::Direction::write, {&piece, 1});
}

os::Task<Error> LinearFile::extend(std::uint64_t bytes) {
  if (forks_.empty()) co_return Error::not_open;
  if (bytes > largest) co_return Error::overflow;
  for (std::uint32_t s = 0; s < forks_.size(); ++s) {
    const auto share = static_cast<std::int64_t>(declustering_.bytes_in(s, bytes));
    const Answer answer = co_await gfs_.gfs_extend(forks_[s], share);
    if (answer.error != Error::none) co_return answer.error;
  }
  bytes_ = std::max(bytes_, bytes);
  co_return Error::none;
}

os::Task<Answer> LinearFile::move(Gfs::Direction direction, std::span<const gfs_list_entry> list,
                                  std::vector<Extent>* missing) {
  if (forks_.empty()) co_return Answer{Error::not_open};
  PieceLists pieces(forks_.size());
  std::uint64_t end = 0;
  for (const auto& [f_off, m_off, size] : list) {
    const auto offset = static_cast<std::uint64_t>(f_off), memory = static_cast<std::uint64_t>(m_off);
    const auto bytes = static_cast<std::uint64_t>(size);
    if (offset > largest || bytes > largest - offset) co_return Answer{Error::overflow};
    if (!in_buffer(gfs_, memory, bytes)) co_return Answer{Error::out_of_memory};
    for (std::uint64_t done = 0; done < bytes;) {
      const Declustering::Place place = declustering_.place(offset + done);
      const std::uint64_t some = std::min(place.bytes, bytes - done);
      pieces.add(place.subfile, place.offset, memory + done, some);
      done += some;
    }
    if (bytes > 0) end = std::max(end, offset + bytes);
  }
  const Answer answer = co_await pieces.move(gfs_, direction, forks_, missing);
  if (answer.error == Error::none && direction == Gfs::Direction::write) bytes_ = std::max(bytes_, end);
  if (answer.error == Error::none || !missing) co_return answer;
  for (Extent& part : *missing) {  // no two pieces share memory
    const auto holds = [&](const gfs_list_entry& piece) {
      return part.offset - static_cast<std::uint64_t>(piece.m_off) < static_cast<std::uint64_t>(piece.size);
    };
    const gfs_list_entry& piece = *std::ranges::find_if(list, holds);
    part.offset += static_cast<std::uint64_t>(piece.f_off - piece.m_off);
  }
  co_return answer;
}

}  // namespace sunstar::file_systems::galley
