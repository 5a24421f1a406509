// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sw/file_systems/galley/gfs/gfs.h"

// What most libraries on top of Galley do: they keep a fork of the same name in every subfile, and ask all the subfiles
// that a call concerns at the same time, each by one request. If the create() of a library fails once the file exists,
// the incomplete file stays; gfs_delete removes it.
namespace sunstar::file_systems::galley {

/// The forks of one name, by subfile.
struct ForkSet {
  Error error = Error::none;             ///< that of the first call that failed; the vectors are empty then
  std::vector<int> numbers{};            ///< of the opened forks
  std::vector<std::uint64_t> bytes{};    ///< their sizes when they were opened
  hal::Status status = hal::Status::ok;  ///< with io_error
};

inline os::Task<ForkSet> forks_of(Gfs& gfs, int file, const std::string& name, bool create) {
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

/// Creates a fork in every subfile of an open file. Errors: those of gfs_create_fork.
inline os::Task<ForkSet> create_forks(Gfs& gfs, int file, const std::string& name) {
  return forks_of(gfs, file, name, true);
}

/// Opens it in every subfile. Errors: those of gfs_open_fork.
inline os::Task<ForkSet> open_forks(Gfs& gfs, int file, const std::string& name) {
  return forks_of(gfs, file, name, false);
}

/// Waits for all transfers. The answer has the sum of their bytes, and the first error among them.
inline os::Task<Answer> wait_for_all(Gfs& gfs, std::span<const Gfs::Pending> transfers) {
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

/// The pieces of one transfer, sorted by the subfile that holds them.
class PieceLists {
 public:
  explicit PieceLists(std::size_t subfiles) : lists_(subfiles) {}

  /// `bytes` from `offset` of the subfile's fork are, or shall be, at `memory`, an offset into the processor's buffer.
  /// Numbers from 2^63 on stand for errors, as negative ones do in a list request.
  void add(std::uint32_t subfile, std::uint64_t offset, std::uint64_t memory, std::uint64_t bytes) {
    std::vector<gfs_list_entry>& list = lists_[subfile];
    if (list.empty()) concerned_.push_back(subfile);
    list.push_back(
        {static_cast<std::int64_t>(offset), static_cast<std::int64_t>(memory), static_cast<std::int64_t>(bytes)});
  }

  bool empty() const { return concerned_.empty(); }

  /// Carries out one list request for each subfile that has pieces, all at the same time. The first piece decides when
  /// a subfile is asked: those named early start early. Errors: those of transfers; other subfiles may have moved their
  /// pieces. `missing` gets the parts of the memory whose bytes have not been moved, if there is an error.
  os::Task<Answer> move(Gfs& gfs, Gfs::Direction direction, std::span<const int> forks,
                        std::vector<Extent>* missing = nullptr) const {
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

 private:
  /// Adds where parts of a subfile's stream lie in memory; all of the stream if there are none.
  void add_missing(std::uint32_t subfile, const std::vector<Extent>& parts, std::vector<Extent>& missing) const {
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

  std::vector<std::vector<gfs_list_entry>> lists_;
  std::vector<std::uint32_t> concerned_;  // subfiles that have pieces
};

/// Whether [memory, memory + bytes) lies in the processor's buffer.
inline bool in_buffer(const Gfs& gfs, std::uint64_t memory, std::uint64_t bytes) {
  const std::uint64_t all = gfs.memory().bytes;
  return memory <= all && bytes <= all - memory;
}

}  // namespace sunstar::file_systems::galley
