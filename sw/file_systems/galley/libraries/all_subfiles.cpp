// SPDX-License-Identifier: MIT
#include "sw/file_systems/galley/libraries/all_subfiles.h"

namespace sunstar::file_systems::galley {

namespace {
os::Task<ForkSet> forks_of(Gfs& gfs, int file, const std::string& name, bool create) {
  ForkSet set;
  const std::uint32_t subfiles = gfs.gfs_subfiles(file);
  for (std::uint32_t s = 0; s < subfiles; ++s) {
    Answer fork;
    if (create) fork = co_await gfs.gfs_create_fork(file, s, name);
    else fork = co_await gfs.gfs_open_fork(file, s, name);
    if (fork.error != Error::none) {
      set = ForkSet{};
      set.error = fork.error;
      set.status = fork.status;
      co_return set;
    }
    set.numbers.push_back(fork.number);
    set.bytes.push_back(fork.bytes);
  }
  if (subfiles == 0) set.error = Error::not_open;
  co_return set;
}

/// Waits for all transfers. The answer has the sum of their bytes, and the first error among them.
os::Task<Answer> wait_for_all(Gfs& gfs, std::span<const Gfs::Pending> transfers) {
  Answer all;
  for (const Gfs::Pending& one : transfers) {
    const Answer answer = co_await gfs.gfs_wait(*one);
    if (answer.error != Error::none && all.error == Error::none) {
      all.error = answer.error;
      all.status = answer.status;
    }
    all.bytes += answer.bytes;
  }
  co_return all;
}
}  // namespace

os::Task<ForkSet> create_forks(Gfs& gfs, int file, const std::string& name) { return forks_of(gfs, file, name, true); }
os::Task<ForkSet> open_forks(Gfs& gfs, int file, const std::string& name) { return forks_of(gfs, file, name, false); }

void PieceLists::add(std::uint32_t subfile, std::uint64_t offset, std::uint64_t memory, std::uint64_t bytes) {
  std::vector<gfs_list_entry>& list = lists_[subfile];
  if (list.empty()) concerned_.push_back(subfile);
  list.push_back(
      {static_cast<std::int64_t>(offset), static_cast<std::int64_t>(memory), static_cast<std::int64_t>(bytes)});
}

os::Task<Answer> PieceLists::move(Gfs& gfs, Gfs::Direction direction, std::span<const int> forks,
                                  std::vector<Extent>* missing) const {
  std::vector<Gfs::Pending> pending;
  for (const std::uint32_t subfile : concerned_) {
    Gfs::Pending one = co_await gfs.gfs_begin_list(direction, forks[subfile], lists_[subfile]);
    pending.push_back(std::move(one));
  }
  const Answer all = co_await wait_for_all(gfs, pending);
  if (all.error == Error::none || !missing) co_return all;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    const Answer answer = co_await gfs.gfs_wait(*pending[i]);
    if (answer.error != Error::none) add_missing(concerned_[i], pending[i]->missing(), *missing);
  }
  co_return all;
}

/// Adds where parts of a subfile's stream lie in memory; all of the stream if there are none.
void PieceLists::add_missing(std::uint32_t subfile, const std::vector<Extent>& parts,
                             std::vector<Extent>& missing) const {
  const os::NotOnTheMachine mark;
  std::uint64_t position = 0;
  for (const gfs_list_entry& piece : lists_[subfile]) {
    const auto memory = static_cast<std::uint64_t>(piece.m_off), bytes = static_cast<std::uint64_t>(piece.size);
    if (parts.empty()) missing.push_back({memory, bytes});
    for (const Extent& part : parts) {
      const std::uint64_t from = std::max(part.offset, position);
      const std::uint64_t to = std::min(part.offset + part.bytes, position + bytes);
      if (from < to) missing.push_back({memory + (from - position), to - from});
    }
    position += bytes;
  }
}

}  // namespace sunstar::file_systems::galley
