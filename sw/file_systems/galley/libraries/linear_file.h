// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>

#include "sw/file_systems/galley/libraries/all_subfiles.h"

namespace sunstar::file_systems::galley {

/// Where the bytes of a linear file lie in its subfiles: in units that go to the subfiles in turn (cyclic), or in one
/// contiguous share for each subfile, which is a unit as large as the share.
struct Declustering {
  std::uint32_t subfiles = 1;  ///< at least 1
  std::uint64_t unit = 32768;  ///< bytes, at least 1

  struct Place {
    std::uint32_t subfile = 0;
    std::uint64_t offset = 0;  ///< into its fork
    std::uint64_t bytes = 0;   ///< from there to the end of the unit
  };
  /// Where a byte of the file lies.
  Place place(std::uint64_t offset) const {
    const std::uint64_t number = offset / unit, in_unit = offset % unit;
    return {static_cast<std::uint32_t>(number % subfiles), number / subfiles * unit + in_unit, unit - in_unit};
  }
  /// Bytes in the fork of a subfile if the file has `bytes`.
  std::uint64_t bytes_in(std::uint32_t subfile, std::uint64_t bytes) const {
    const std::uint64_t units = bytes / unit, rest = bytes % unit;
    const std::uint64_t whole = units / subfiles + (subfile < units % subfiles ? 1 : 0);
    return whole * unit + (units % subfiles == subfile ? rest : 0);
  }
  /// Where the file ends if the last byte of the subfile's fork, which has `bytes`, is its last one; 0 if it has none.
  std::uint64_t end_of(std::uint32_t subfile, std::uint64_t bytes) const {
    if (bytes == 0) return 0;
    const std::uint64_t last = bytes - 1;
    return (last / unit * subfiles + subfile) * unit + last % unit + 1;
  }

  static Declustering cyclic(std::uint32_t subfiles, std::uint64_t unit) {
    return {subfiles, std::max<std::uint64_t>(unit, 1)};
  }
  /// Contiguous shares of a file of `bytes`. What is written behind them goes on in turn, a share each.
  static Declustering shares(std::uint32_t subfiles, std::uint64_t bytes) {
    return cyclic(subfiles, (bytes + subfiles - 1) / subfiles);
  }
};

inline constexpr std::uint64_t largest = INT64_MAX;

// Numbers from 2^63 on become negative, and are found to be wrong.
inline gfs_list_entry entry(std::uint64_t offset, std::uint64_t memory, std::uint64_t bytes) {
  return {static_cast<std::int64_t>(offset), static_cast<std::int64_t>(memory), static_cast<std::int64_t>(bytes)};
}

/// A library on top of Galley: a file as Unix knows it, one linear sequence of bytes, declustered over subfiles of one
/// fork each. A call asks all subfiles that it concerns at the same time, each by one request. Offsets and sizes are in
/// bytes. The declustering is not stored: a program that opens the file names it.
///
/// A read of a byte behind the end of its fork answers out_of_file; bytes from other subfiles may have arrived then.
/// This is so behind the end of the file and, because no fork of Galley knows the others, in a hole at the end of a
/// subfile. Other holes hold zeros, and extend() turns all holes below the new end into zeros.
class LinearFile {
 public:
  LinearFile(Gfs& gfs, const Declustering& declustering) : gfs_(gfs), declustering_(declustering) {}

  /// Creates the file, from its first disk on, and opens it. Errors: those of gfs_create and gfs_create_fork.
  os::Task<Error> create(const std::string& name, std::uint32_t first_disk = 0) {
    const Answer file = co_await gfs_.gfs_create(name, declustering_.subfiles, first_disk);
    co_return co_await take_forks(file, create_forks);
  }

  /// Errors: those of gfs_open and gfs_open_fork; bad_argument if the file has another number of subfiles.
  os::Task<Error> open(const std::string& name) {
    const Answer file = co_await gfs_.gfs_open(name);
    co_return co_await take_forks(file, open_forks);
  }

  /// Where the file ended at the time of opening, or behind what this processor has written or extended since.
  std::uint64_t bytes() const { return bytes_; }

  /// Moves [offset, offset + bytes) of the file to or from `memory`, an offset into the processor's buffer. Errors:
  /// not_open, overflow, out_of_memory (nothing is moved then), out_of_file, no_space.
  /// After io_error, a part has been moved; `missing` gets the parts of the file that have not.
  os::Task<Answer> read(std::uint64_t memory, std::uint64_t offset, std::uint64_t bytes) {
    const gfs_list_entry piece = entry(offset, memory, bytes);
    co_return co_await move(Gfs::Direction::read, {&piece, 1});
  }

  os::Task<Answer> write(std::uint64_t memory, std::uint64_t offset, std::uint64_t bytes) {
    const gfs_list_entry piece = entry(offset, memory, bytes);
    co_return co_await move(Gfs::Direction::write, {&piece, 1});
  }

  /// Moves the pieces of a list, whose f_off are offsets into the file, by one list request for each subfile (5.4).
  os::Task<Answer> move(Gfs::Direction direction, std::span<const gfs_list_entry> list,
                        std::vector<Extent>* missing = nullptr) {
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

  /// Gives the file at least that size. New bytes are zero. Errors: not_open, overflow, no_space.
  os::Task<Error> extend(std::uint64_t bytes) {
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

  /// The fork of a subfile, for callers that know the declustering; -1 if the file is not open.
  int fork(std::uint32_t subfile) const { return subfile < forks_.size() ? forks_[subfile] : -1; }
  /// The number by which Galley knows the file; 0 if it has not been found.
  std::uint64_t id() const { return gfs_.gfs_id(number_); }
  /// After create() or open() has answered io_error: what the disk has answered.
  hal::Status status() const { return status_; }
  static constexpr const char* fork_name = "data";

 private:
  /// The file has been created or opened, as `file` says; now its forks are, by one of the functions for that.
  os::Task<Error> take_forks(Answer file, os::Task<ForkSet> (*forks_of)(Gfs&, int, const std::string&)) {
    status_ = file.status;
    if (file.error != Error::none) co_return file.error;
    number_ = file.number;
    if (gfs_.gfs_subfiles(number_) != declustering_.subfiles) co_return Error::bad_argument;
    const std::string fork = fork_name;
    ForkSet set = co_await forks_of(gfs_, number_, fork);
    status_ = set.status;
    forks_ = std::move(set.numbers);
    bytes_ = 0;
    for (std::uint32_t s = 0; s < set.bytes.size(); ++s)
      bytes_ = std::max(bytes_, declustering_.end_of(s, set.bytes[s]));
    co_return set.error;
  }

  Gfs& gfs_;
  const Declustering declustering_;
  std::vector<int> forks_;
  std::uint64_t bytes_ = 0;
  int number_ = -1;
  hal::Status status_ = hal::Status::ok;
};

}  // namespace sunstar::file_systems::galley
