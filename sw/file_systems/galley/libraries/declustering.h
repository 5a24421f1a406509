// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>

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

}  // namespace sunstar::file_systems::galley
