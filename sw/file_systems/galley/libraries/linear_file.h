// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "sw/file_systems/galley/gfs/gfs.h"
#include "sw/file_systems/galley/libraries/declustering.h"

namespace sunstar::file_systems::galley {

/// A library on top of Galley: a file as Unix knows it, one linear sequence of bytes, declustered over subfiles of one
/// fork each. A call asks all subfiles that it concerns at the same time, each by one request.
class LinearFile {
 public:
  LinearFile(Gfs& gfs, const Declustering& declustering) : gfs_(gfs), declustering_(declustering) {}

  /// Creates the file, from its first disk on, or opens it. Errors: those of Galley.
  os::Task<Error> create(const std::string& name, std::uint32_t first_disk = 0);
  os::Task<Error> open(const std::string& name);
  /// The size at the time of opening, and what this processor has written since.
  std::uint64_t bytes() const { return bytes_; }

  /// Moves [offset, offset + bytes) of the file to or from `memory`, an offset into the processor's buffer.
  os::Task<Answer> read(std::uint64_t memory, std::uint64_t offset, std::uint64_t bytes);
  os::Task<Answer> write(std::uint64_t memory, std::uint64_t offset, std::uint64_t bytes);

  /// The fork of a subfile, for those who know how the file is declustered.
  int fork(std::uint32_t subfile) const { return forks_[subfile]; }
  static constexpr const char* fork_name = "data";

 private:
  os::Task<Answer> move(Gfs::Direction direction, std::uint64_t memory, std::uint64_t offset, std::uint64_t bytes);

  Gfs& gfs_;
  const Declustering declustering_;
  std::vector<int> forks_;
  std::uint64_t bytes_ = 0;
};

}  // namespace sunstar::file_systems::galley
