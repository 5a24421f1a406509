// SPDX-License-Identifier: MIT
#pragma once
#include <boost/unordered/unordered_flat_map.hpp>

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

}  // namespace sunstar::content
