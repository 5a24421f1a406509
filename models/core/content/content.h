// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "models/core/content/source.h"

namespace sunstar::content {

/// Immutable bytes, shared by all contents that refer to them. Their memory is kept for later literals.
class Literal {
 public:
  static boost::intrusive_ptr<Literal> of_size(std::size_t bytes);
  std::byte* data() { return bytes_.get(); }
  /// Whether `bytes` bytes fit, and no other content sees the bytes added.
  bool has_room(std::size_t bytes) const { return references_ == 1 && bytes <= capacity_; }

 private:
  friend void intrusive_ptr_add_ref(Literal* l) { ++l->references_; }
  friend void intrusive_ptr_release(Literal* l) {
    if (--l->references_ == 0) l->recycle();
  }
  void recycle();

  std::unique_ptr<std::byte[]> bytes_;
  std::size_t capacity_ = 0;
  std::size_t references_ = 0;
};

/// Data in flight, less than 4 GiB: a value that describes byte by byte where the data come from. It costs the memory
/// of its description, not that of its bytes.
class Content {  // NOLINT(bugprone-exception-escape): moving pieces allocates nothing
 public:
  Content() = default;
  explicit Content(const Piece& piece) { append(piece); }
  /// A copy of bytes whose source nobody knows.
  explicit Content(std::span<const std::byte> bytes);

  std::uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// In order; neighbours that continue one another are one piece. The place of a literal piece counts from literal().
  std::span<const Piece> pieces() const { return {pieces_.data(), pieces_.size()}; }
  const std::byte* literal() const { return literal_ ? literal_->data() : nullptr; }
  /// The bytes, if all of them are literal; nullptr otherwise.
  const std::byte* bytes() const {
    return pieces_.size() == 1 && pieces_[0].source == Source::literal ? literal_->data() + pieces_[0].place : nullptr;
  }

  void append(const Piece& piece);
  void append(std::span<const std::byte> bytes);
  /// Appends `bytes` bytes that fill(span) writes.
  template <class Fill>
  void append(std::uint32_t bytes, Fill fill) {
    if (bytes > 0) fill(add_literal(bytes));
  }
  void append(const Content& other) { append(other, 0, other.size()); }
  /// Appends `bytes` of `other` from byte `from` on. Refers to the other's bytes if this content has none of its own.
  void append(const Content& other, std::uint32_t from, std::uint32_t bytes);
  void clear();

  Content slice(std::uint32_t from, std::uint32_t bytes) const;
  /// Writes `bytes` from byte `from` on to `to`.
  void make_bytes(std::byte* to, std::uint32_t from, std::uint32_t bytes) const;
  /// Writes all bytes to `to`.
  void make_bytes(std::byte* to) const { make_bytes(to, 0, size_); }

  /// The same bytes, without their sources.
  Content as_bytes() const {
    Content bytes;
    bytes.append(size_, [&](std::span<std::byte> room) { make_bytes(room.data()); });
    return bytes;
  }

  /// Calls visit(piece, offset) for the pieces of [from, from + bytes), cut to it.
  template <class Visit>
  void for_each(std::uint32_t from, std::uint32_t bytes, Visit visit) const {
    std::uint32_t begin = 0;
    for (const Piece& p : pieces_) {
      const std::uint32_t first = std::max(from, begin), end = std::min(from + bytes, begin + p.bytes);
      if (first < end) visit(part(p, first - begin, end - first), first);
      if ((begin += p.bytes) >= from + bytes) break;
    }
  }

 private:
  std::span<std::byte> add_literal(std::uint32_t bytes);

  boost::container::small_vector<Piece, 1> pieces_;
  boost::intrusive_ptr<Literal> literal_;
  std::uint32_t literal_bytes_ = 0;  // bytes of the literal in use
  std::uint32_t size_ = 0;
};

/// Divides `bytes` into parts small enough for one Content and calls visit(from, bytes) for each.
constexpr std::uint64_t most_in_part = 1 << 20;
template <class Visit>
void for_each_part(std::uint64_t bytes, Visit visit) {
  for (std::uint64_t from = 0; from < bytes; from += most_in_part)
    visit(from, static_cast<std::uint32_t>(std::min(most_in_part, bytes - from)));
}

/// The first byte in which two contents of one size differ, if any. Compares descriptions, and bytes only where
/// descriptions differ.
std::optional<std::uint32_t> first_difference(const Content& a, const Content& b);

/// The content with every bit inverted.
Content corrupted(const Content&);
/// The exclusive-or of two contents of one size, as parity is.
Content exclusive_or(const Content& a, const Content& b);

}  // namespace sunstar::content
