// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <boost/container/flat_set.hpp>
#include <boost/icl/interval_map.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <vector>

#include "sw/file_systems/striped/objects.h"

namespace sunstar::file_systems::locking {

using striped::Extent;

enum class Mode : std::uint8_t {
  read,  ///< protected read: others may read
  write  ///< protected write: nobody else may read or write
};
inline bool compatible(Mode a, Mode b) { return a == Mode::read && b == Mode::read; }

/// The extent locks of one object, as Lustre's lock manager grants them. Requests that conflict wait, first come first
/// served; the table calls back the conflicting locks, once each. A lock is granted as wide as other locks and waiting
/// requests leave room, so that a client that is alone asks once. With many conflicting locks it grows only forward
/// (more than 4), a write lock by at most 32 MiB (more than 32).
///
/// Knows neither time nor messages. Intervals are kept in maps by their bytes, so a step costs the logarithm of the
/// number of locks, plus the locks found.
class LockTable {
 public:
  using Id = std::uint64_t;
  struct Request {
    Extent extent;  ///< whole pages
    Mode mode = Mode::read;
    bool exact = false;    ///< is not to grow
    bool no_wait = false;  ///< is refused if anything is in the way
  };
  struct Grant {
    Id id;
    Extent extent;
    bool called_back;  ///< others wait for it already
  };
  /// What a step asks its caller to do.
  struct Steps {
    std::vector<Grant> granted;
    std::vector<Id> call_back;
    bool refused = false;  ///< the request
  };

  /// Ids are in order of arrival.
  Steps request(Id id, const Request& request);
  /// A lock is returned, or a request withdrawn.
  Steps release(Id id);

  bool empty() const { return entries_.empty(); }
  std::size_t locks() const { return held_[0].count + held_[1].count; }

 private:
  static constexpr std::size_t grows_forward = 4, contended = 32;
  static constexpr std::uint64_t most_grown = 32 << 20;
  using Ids = boost::container::flat_set<Id>;
  /// Locks of one mode, or requests that wait, by their bytes.
  struct Index {
    boost::icl::interval_map<std::uint64_t, Ids> by_byte;
    std::size_t count = 0;
    void add(Id id, const Extent& e);
    void remove(Id id, const Extent& e);
    void overlapping(const Extent& e, std::vector<Id>& to) const;
    /// Shrinks `room` around `asked` until it holds no byte of the index; false if `asked` holds one.
    bool limit(const Extent& asked, Extent& room) const;
  };
  struct Entry {
    Request request;
    Extent extent;  ///< as granted
    bool granted = false, called_back = false;
    std::uint32_t in_the_way = 0;  ///< locks, and requests before it
    std::vector<Id> waiters;       ///< that it is in the way of
  };
  static constexpr std::array modes{Mode::read, Mode::write};
  Index& index(const Entry& e) { return (e.granted ? held_ : waiting_)[static_cast<std::size_t>(e.request.mode)]; }
  Extent widest(const Request& request) const;
  void grant(Id id, Entry& entry, Steps& steps);

  boost::unordered_flat_map<Id, Entry> entries_;
  std::array<Index, 2> held_, waiting_;  // by mode
};

}  // namespace sunstar::file_systems::locking
