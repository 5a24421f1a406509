// SPDX-License-Identifier: MIT
#pragma once
#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

/// What lies where in a memory or on a medium: descriptions, and for the rest bytes in a store. Its own memory grows
/// with the pieces. Where they would take more room than the bytes, it makes bytes of them.
class ContentMap {
 public:
  static constexpr std::uint32_t chunk_bytes = 256 * 1024;

  /// The store must outlive the map.
  explicit ContentMap(ByteStore& bytes) : bytes_(bytes) {}

  /// Appends what lies at [at, at + bytes) to `to`.
  void read(std::uint64_t at, std::uint32_t bytes, Content& to) const;
  void write(std::uint64_t at, const Content& content) { write(at, content, 0, content.size()); }
  /// Writes `bytes` of the content from byte `from` on.
  void write(std::uint64_t at, const Content& content, std::uint32_t from, std::uint32_t bytes);
  /// Makes bytes of what lies there; they are in the store afterwards.
  void make_bytes(std::uint64_t at, std::uint64_t bytes);
  /// Forgets descriptions: the store holds what lies there.
  void forget(std::uint64_t at, std::uint64_t bytes);
  /// Whether all bytes are in the store.
  bool all_bytes() const { return chunks_.empty(); }
  /// The numbers of the chunks of chunk_bytes in which there are descriptions, in no particular order.
  std::vector<std::uint64_t> chunks() const;
  /// Descriptions held, and the memory of the host that they take.
  std::uint64_t pieces() const;
  std::uint64_t host_bytes() const;

 private:
  // A chunk with more entries than this in a page holds the page's bytes: half of what the bytes take.
  static constexpr std::uint32_t page_bytes = 4096, most_in_page = 128;

  // From `begin` to the next entry. Bytes in the store: Source::literal.
  struct Entry {
    std::uint32_t begin;
    Source source;
    std::uint64_t place;
  };
  using Chunk = boost::container::small_vector<Entry, 1>;

  static std::size_t holding(const Chunk&, std::uint32_t at);
  static std::uint32_t end_of(const Chunk& c, std::size_t i) { return i + 1 < c.size() ? c[i + 1].begin : chunk_bytes; }
  static Piece piece_of(const Chunk& c, std::size_t i) { return {c[i].source, end_of(c, i) - c[i].begin, c[i].place}; }
  static void assign(Chunk&, std::uint32_t at, const Piece&);
  static void join_around(Chunk&, std::size_t i);
  static bool crowded(const Chunk&, std::uint32_t page);
  void put(std::uint64_t at, const Piece&);
  void make_bytes(std::uint64_t number, Chunk&, std::uint32_t from, std::uint32_t to);
  template <class Visit>
  static void for_each_chunk(std::uint64_t at, std::uint64_t bytes, Visit visit);

  ByteStore& bytes_;
  boost::unordered_flat_map<std::uint64_t, Chunk> chunks_;
};

}  // namespace sunstar::content
