// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <vector>

#include "sw/messages/kind.h"
#include "sw/os/counted.h"

// How a message describes several pieces that it carries. A list of pieces at equal distances shrinks to one entry, as
// a strided request of an application does.
namespace sunstar::messages {

/// `count` pieces of `bytes` each, whose beginnings are `stride` bytes apart.
struct PieceRun {
  std::uint64_t offset = 0;  ///< of the first piece
  std::uint32_t bytes = 0;
  std::uint32_t count = 1;
  std::uint64_t stride = 0;  ///< not used if there is one piece
};
static_assert(sizeof(PieceRun) == 24 && std::is_trivially_copyable_v<PieceRun>);

/// A list of pieces, in the order in which their bytes follow one another in a message.
class Runs {
 public:
  /// Adds a piece. Pieces that touch become one, and pieces at equal distances one run.
  void add(std::uint64_t offset, std::uint32_t bytes) {
    bytes_ += bytes;
    if (!list_.empty()) {
      PieceRun& last = list_.back();
      if (last.count == 1 && last.offset + last.bytes == offset) {
        last.bytes += bytes;
        return;
      }
      if (last.bytes == bytes && last.count == 1 && offset > last.offset) last.stride = offset - last.offset;
      if (last.bytes == bytes && last.stride > 0 && offset == last.offset + last.count * last.stride) {
        ++last.count;
        return;
      }
    }
    list_.push_back({offset, bytes});
  }
  void clear() {
    list_.clear();
    bytes_ = 0;
  }

  std::span<const PieceRun> list() const { return list_; }
  /// Of all pieces together.
  std::uint64_t bytes() const { return bytes_; }
  bool empty() const { return list_.empty(); }
  /// Bytes that the list takes in a message besides the header, which has room for one run.
  std::uint32_t list_bytes() const {
    return list_.size() > 1 ? static_cast<std::uint32_t>(list_.size() * sizeof(PieceRun)) : 0;
  }

 private:
  std::vector<PieceRun> list_;
  std::uint64_t bytes_ = 0;
};

/// Calls visit(offset, bytes) for each piece of a run.
template <class Visit>
inline void for_each_piece(const PieceRun& run, Visit visit) {
  for (std::uint32_t i = 0; i < run.count; ++i) visit(run.offset + i * run.stride, run.bytes);
}

/// Copies one piece. Where instructions are counted, all content is in bytes, as on the real machine.
inline void copy_piece(content::Memory& memory, std::byte* to, const std::byte* from, std::uint64_t bytes) {
  const os::Counted<os::Cost::copy_per_byte> mark;
  if (os::counting) std::memcpy(to, from, bytes);
  else memory.copy(to, from, bytes);
}
/// Copies `bytes` of a message's data, from byte `at` on, to their place.
inline void copy_piece(content::Memory& memory, std::byte* to, const hal::Message& m, std::uint64_t at,
                       std::uint64_t bytes) {
  const os::Counted<os::Cost::copy_per_byte> mark;
  if (os::counting) copy_data(m, at, to, bytes);
  else memory.write(to, *m.content, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(bytes));
}

/// Copies the pieces of a run, whose offsets count from `base`, one behind the other to `packed`; returns the end of
/// what it wrote.
inline std::byte* pack(const PieceRun& run, content::Memory& memory, const std::byte* base, std::byte* packed) {
  for_each_piece(run, [&](std::uint64_t offset, std::uint32_t bytes) {
    copy_piece(memory, packed, base + offset, bytes);
    packed += bytes;
  });
  return packed;
}
/// Copies packed pieces, from byte `at` of a message's data on, to their places; returns the end of what it read.
inline std::uint64_t unpack(const PieceRun& run, const hal::Message& m, std::uint64_t at, content::Memory& memory,
                            std::byte* base) {
  for_each_piece(run, [&](std::uint64_t offset, std::uint32_t bytes) {
    copy_piece(memory, base + offset, m, at, bytes);
    at += bytes;
  });
  return at;
}

}  // namespace sunstar::messages
