// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <boost/icl/interval_map.hpp>
#include <cstdint>

#include "sw/file_systems/galley/requests/extents.h"

namespace sunstar::file_systems::galley {

/// Where the chunks of a read overlap in memory. The last one in the list must win, in whatever order their data
/// arrive: so the data of the others are dropped there.
class Overlaps {
 public:
  explicit Overlaps(const Extents& memory) {
    if (memory.apart()) return;
    for (const Extents::Piece& piece : memory.pieces())
      wins_.set({Interval::right_open(piece.offset, piece.offset + piece.bytes), piece.position - piece.offset + 1});
  }

  bool any() const { return !wins_.empty(); }

  /// Calls visit(piece) for the parts of a piece of memory that stay: those of which no later chunk has bytes, too.
  template <class Visit>
  void for_each_kept(const Extents::Piece& piece, Visit visit) const {
    if (!any()) return visit(piece);
    const std::uint64_t end = piece.offset + piece.bytes, shift = piece.position - piece.offset;
    const auto [first, last] = wins_.equal_range(Interval::right_open(piece.offset, end));
    for (auto i = first; i != last; ++i) {
      if (i->second != shift + 1) continue;
      const std::uint64_t from = std::max(i->first.lower(), piece.offset), to = std::min(i->first.upper(), end);
      visit(Extents::Piece{{from, to - from}, from + shift});
    }
  }

 private:
  using Interval = boost::icl::interval<std::uint64_t>;

  // By memory: stream position less memory offset, plus one, of the chunk that wins. 0 would be the map's neutral
  // value.
  boost::icl::interval_map<std::uint64_t, std::uint64_t> wins_;
};

}  // namespace sunstar::file_systems::galley
