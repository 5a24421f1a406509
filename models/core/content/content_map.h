// SPDX-License-Identifier: MIT
#pragma once
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstring>

#include "models/core/content/content.h"

namespace sunstar::content {

/// Storage for bytes by address.
class ByteStore {
 public:
  /// Appends the bytes to `to`.
  virtual void read_bytes(std::uint64_t at, std::uint32_t bytes, Content& to) const = 0;
  virtual void write_bytes(std::uint64_t at, std::span<const std::byte> from) = 0;

 protected:
  ~ByteStore() = default;
};

/// The content of a memory or medium by address: descriptions, and for the rest bytes in a store. The map's own memory
/// grows with the pieces. Where pieces would take more room than the bytes, it turns them into bytes.
class ContentMap {
 public:
  static constexpr std::uint32_t chunk_bytes = 1 << 20;

  /// The store must outlive the map.
  explicit ContentMap(ByteStore& bytes) : bytes_(bytes) {}

  /// Appends the content of [at, at + bytes) to `to`.
  void read(std::uint64_t at, std::uint32_t bytes, Content& to) const;
  void write(std::uint64_t at, const Content& content) { write(at, content, 0, content.size()); }
  /// Writes `bytes` of the content from byte `from` on.
  void write(std::uint64_t at, const Content& content, std::uint32_t from, std::uint32_t bytes);
  /// Writes a piece, which must not be literal, unchanged.
  void put(std::uint64_t at, const Piece& piece);
  /// Turns the descriptions there into bytes in the store.
  void make_bytes(std::uint64_t at, std::uint64_t bytes);
  /// Forgets the descriptions there: the store holds the content.
  void forget(std::uint64_t at, std::uint64_t bytes);
  bool all_bytes() const { return chunks_.empty(); }
  /// The numbers of the chunks (of chunk_bytes) that hold descriptions, in no particular order.
  std::vector<std::uint64_t> chunks() const;
  /// Descriptions held, and the memory of the host that they take.
  std::uint64_t pieces() const;
  std::uint64_t host_bytes() const;

 private:
  // A chunk with many entries is divided into pages, so that a new entry moves few others. A page with more than
  // most_in_page entries becomes bytes: the entries would take half the bytes' memory.
  static constexpr std::uint32_t most_in_chunk = 256, page_bytes = 4096, most_in_page = 128;

  // From `begin` to the next entry. Bytes in the store: Source::literal.
  struct Entry {
    std::uint32_t begin;
    Source source;
    std::uint64_t place;
  };
  using Entries = boost::container::small_vector<Entry, 1>;
  using ByNumber = boost::unordered_flat_map<std::uint64_t, Entries>;

  // A chunk or a page: the entries of [base, base + bytes); null if the whole range is in the store.
  struct Part {
    ByNumber& all;
    Entries* entries;
    std::uint64_t base;
    std::uint32_t bytes;

    std::uint32_t end_of(std::size_t i) const { return i + 1 < entries->size() ? (*entries)[i + 1].begin : bytes; }
    Piece piece(std::size_t i) const {
      const Entry& e = (*entries)[i];
      return {e.source, end_of(i) - e.begin, e.place};
    }
    std::size_t holding(std::uint32_t at) const;
    void create();
    void assign(std::uint32_t at, const Piece&);
    void join_around(std::size_t i);
    void forget(std::uint32_t at, std::uint32_t bytes);
  };
  Part part_at(std::uint64_t at);
  template <class Visit>
  void for_each_part(std::uint64_t at, std::uint64_t bytes, Visit visit);
  void divide(const Part& chunk);
  void make_bytes(Part, std::uint32_t from, std::uint32_t bytes);

  ByteStore& bytes_;
  ByNumber chunks_;  // a chunk without entries is divided into pages
  ByNumber pages_;
};

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
  /// Writes `n` bytes of a content from byte `first` on.
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
