// SPDX-License-Identifier: MIT
#pragma once
#include <cstring>

#include "models/core/content/content_map.h"

namespace sunstar::content {

/// A node's memory as its firmware uses it. Addresses are pointers into a range of the host's memory. copy(), read()
/// and write() move data by their description. Firmware writes data that it composes by put(), or directly to memory
/// that never held other data; before it computes on data from elsewhere, it asks look() or bytes() for their bytes.
class Memory final : private ByteStore {
 public:
  /// The range [base, base + bytes), which must outlive the memory.
  Memory(std::byte* base, std::uint64_t bytes) : base_(base), bytes_(bytes) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::byte* base() const { return base_; }
  std::uint64_t size() const { return bytes_; }
  std::uint64_t address_of(const std::byte* p) const { return static_cast<std::uint64_t>(p - base_); }

  /// Appends `n` bytes at `from` to `to`.
  void read(const std::byte* from, std::uint32_t n, Content& to) const {
    if (map_.all_bytes()) to.append(std::span(from, n));
    else map_.read(address_of(from), n, to);
  }
  void write(std::byte* to, const Content& from) { write(to, from, 0, from.size()); }
  void write(std::byte* to, const Content& from, std::uint32_t first, std::uint32_t n) {
    if (const std::byte* const bytes = from.bytes(); bytes && map_.all_bytes()) std::memcpy(to, bytes + first, n);
    else map_.write(address_of(to), from, first, n);
  }
  /// Copies `n` bytes; the two must not overlap.
  void copy(std::byte* to, const std::byte* from, std::uint64_t n) {
    if (map_.all_bytes()) std::memcpy(to, from, n);
    else copy_described(to, from, n);
  }
  /// Writes what firmware has composed, where data that came from elsewhere may have been.
  void put(std::byte* to, const void* from, std::uint64_t n) {
    if (n == 0) return;
    if (!map_.all_bytes()) map_.forget(address_of(to), n);
    std::memcpy(to, from, n);
  }
  /// Writes zeros, as a description: they take no memory of the host. Firmware that then writes there directly calls
  /// bytes() first.
  void clear(std::byte* at, std::uint64_t n) {
    for_each_part(n, [&](std::uint64_t done, std::uint32_t bytes) {
      map_.put(address_of(at) + done, {Source::zero, bytes, 0});
    });
  }
  /// The bytes of [at, at + n), for reading: in place, or in `room` if only a description is held.
  const std::byte* look(const std::byte* at, std::uint32_t n, std::vector<std::byte>& room) const {
    return map_.all_bytes() ? at : look_described(at, n, room);
  }
  /// Turns descriptions in [at, at + n) into bytes, to be read or written in place.
  std::byte* bytes(std::byte* at, std::uint64_t n) {
    if (!map_.all_bytes()) map_.make_bytes(address_of(at), n);
    return at;
  }
  const ContentMap& map() const { return map_; }

 private:
  void read_bytes(std::uint64_t at, std::uint32_t bytes, Content& to) const override {
    to.append(std::span<const std::byte>(base_ + at, bytes));
  }
  void write_bytes(std::uint64_t at, std::span<const std::byte> from) override {
    std::memcpy(base_ + at, from.data(), from.size());
  }
  const std::byte* look_described(const std::byte* at, std::uint32_t n, std::vector<std::byte>& room) const {
    Content content;
    read(at, n, content);
    room.resize(n);
    content.make_bytes(room.data());
    return room.data();
  }
  void copy_described(std::byte* to, const std::byte* from, std::uint64_t n) {
    for_each_part(n, [&](std::uint64_t done, std::uint32_t bytes) {
      Content content;
      read(from + done, bytes, content);
      write(to + done, content);
    });
  }

  std::byte* const base_;
  const std::uint64_t bytes_;
  ContentMap map_{*this};
};

}  // namespace sunstar::content
