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
/// Creates a fork in every subfile of an open file. Errors: those of gfs_create_fork.
os::Task<ForkSet> create_forks(Gfs& gfs, int file, const std::string& name);
/// Opens it in every subfile. Errors: those of gfs_open_fork.
os::Task<ForkSet> open_forks(Gfs& gfs, int file, const std::string& name);

/// The pieces of one transfer, sorted by the subfile that holds them.
class PieceLists {
 public:
  explicit PieceLists(std::size_t subfiles) : lists_(subfiles) {}

  /// `bytes` from `offset` of the subfile's fork are, or shall be, at `memory`, an offset into the processor's buffer.
  /// Numbers from 2^63 on stand for errors, as negative ones do in a list request.
  void add(std::uint32_t subfile, std::uint64_t offset, std::uint64_t memory, std::uint64_t bytes);
  bool empty() const { return concerned_.empty(); }
  /// Carries out one list request for each subfile that has pieces, all at the same time. The first piece decides when
  /// a subfile is asked: those named early start early. Errors: those of transfers; other subfiles may have moved their
  /// pieces. `missing` gets the parts of the memory whose bytes have not been moved, if there is an error.
  os::Task<Answer> move(Gfs& gfs, Gfs::Direction direction, std::span<const int> forks,
                        std::vector<Extent>* missing = nullptr) const;

 private:
  void add_missing(std::uint32_t subfile, const std::vector<Extent>& parts, std::vector<Extent>& missing) const;
  std::vector<std::vector<gfs_list_entry>> lists_;
  std::vector<std::uint32_t> concerned_;  // subfiles that have pieces
};

/// Whether [memory, memory + bytes) lies in the processor's buffer.
inline bool in_buffer(const Gfs& gfs, std::uint64_t memory, std::uint64_t bytes) {
  const std::uint64_t all = gfs.memory().bytes;
  return memory <= all && bytes <= all - memory;
}

}  // namespace sunstar::file_systems::galley
