// SPDX-License-Identifier: MIT
#include "sw/file_systems/galley/libraries/linear_file.h"

#include <algorithm>

namespace sunstar::file_systems::galley {

os::Task<Error> LinearFile::create(const std::string& name, std::uint32_t first_disk) {
  const Answer file = co_await gfs_.gfs_create(name, declustering_.subfiles, first_disk);
  if (file.error != Error::none) co_return file.error;
  for (std::uint32_t s = 0; s < declustering_.subfiles; ++s) {
    const Answer fork = co_await gfs_.gfs_create_fork(file.number, s, fork_name);
    if (fork.error != Error::none) co_return fork.error;
    forks_.push_back(fork.number);
  }
  co_return Error::none;
}

os::Task<Error> LinearFile::open(const std::string& name) {
  const Answer file = co_await gfs_.gfs_open(name);
  if (file.error != Error::none) co_return file.error;
  for (std::uint32_t s = 0; s < declustering_.subfiles; ++s) {
    const Answer fork = co_await gfs_.gfs_open_fork(file.number, s, fork_name);
    if (fork.error != Error::none) co_return fork.error;
    forks_.push_back(fork.number);
    bytes_ += fork.bytes;
  }
  co_return Error::none;
}

os::Task<Answer> LinearFile::read(std::uint64_t memory, std::uint64_t offset, std::uint64_t bytes) {
  co_return co_await move(Gfs::Direction::read, memory, offset, bytes);
}

os::Task<Answer> LinearFile::write(std::uint64_t memory, std::uint64_t offset, std::uint64_t bytes) {
  const Answer answer = co_await move(Gfs::Direction::write, memory, offset, bytes);
  if (answer.error == Error::none) bytes_ = std::max(bytes_, offset + bytes);
  co_return answer;
}

os::Task<Answer> LinearFile::move(Gfs::Direction direction, std::uint64_t memory, std::uint64_t offset,
                                  std::uint64_t bytes) {
  std::vector<std::vector<gfs_list_entry>> lists(forks_.size());
  std::vector<std::uint32_t> concerned;
  for (std::uint64_t done = 0; done < bytes;) {
    const Declustering::Place place = declustering_.place(offset + done);
    const std::uint64_t some = std::min(place.bytes, bytes - done);
    if (lists[place.subfile].empty()) concerned.push_back(place.subfile);
    gfs_list_entry entry;
    entry.f_off = static_cast<std::int64_t>(place.offset);
    entry.m_off = static_cast<std::int64_t>(memory + done);
    entry.size = static_cast<std::int64_t>(some);
    lists[place.subfile].push_back(entry);
    done += some;
  }
  std::vector<Gfs::Pending> pending;
  for (const std::uint32_t subfile : concerned) {
    Gfs::Pending one = co_await gfs_.gfs_begin_list(direction, forks_[subfile], lists[subfile]);
    pending.push_back(std::move(one));
  }
  Answer all;
  for (const Gfs::Pending& one : pending) {
    const Answer answer = co_await gfs_.gfs_wait(*one);
    if (answer.error != Error::none && all.error == Error::none) all.error = answer.error;
    all.bytes += answer.bytes;
  }
  co_return all;
}

}  // namespace sunstar::file_systems::galley
