// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "models/core/random.h"

// Where bytes come from. A source has a byte at every place from 0 on and can compute it without storing it. Content
// consists of pieces of sources.
namespace sunstar::content {

/// The number of a source. Equal sources have equal numbers.
enum class Source : std::uint32_t {
  zero,     ///< zero everywhere
  literal,  ///< no source: the bytes themselves are kept
};

/// A piece of a source: `bytes` from `place` on.
struct Piece {
  Source source = Source::zero;
  std::uint32_t bytes = 0;
  std::uint64_t place = 0;
  bool operator==(const Piece&) const = default;
};

/// A version of a file's content (fill()); places are offsets in the file.
struct Generated {
  std::uint32_t file = 0, version = 0;
  bool operator==(const Generated&) const = default;
};

/// Records of a source, one behind the other: record i begins at `first` + i * `stride` of it. An array's cyclic
/// distribution leaves one such piece in a processor's memory.
struct Records {
  Source of = Source::zero;
  std::uint32_t record_bytes = 1;
  std::uint64_t stride = 1;  ///< more than record_bytes
  std::uint64_t first = 0;   ///< less than stride

  /// The place in `of` of the byte at `place`.
  std::uint64_t origin(std::uint64_t place) const {
    return first + place / record_bytes * stride + place % record_bytes;
  }
  bool operator==(const Records&) const = default;
};

/// Where the blocks of a source lie if they are scattered, as a file's are on a disk.
struct Order {
  static constexpr std::uint32_t none = UINT32_MAX;
  std::uint32_t block_bytes = 1;
  std::uint64_t first = 0, stride = 1;  ///< block i begins at first + i * stride of the source
  std::vector<std::uint32_t> block_at;  ///< by position, in blocks: the block there; `none`: zeros
};

/// A source's blocks in another order.
struct Scattered {
  Source of = Source::zero;
  std::shared_ptr<const Order> order;
  bool operator==(const Scattered&) const = default;
};

/// The exclusive-or of sources, as parity is: of the byte at p + shift of each, modulo 2^64.
struct ExclusiveOr {
  struct Part {
    Source of = Source::zero;
    std::uint64_t shift = 0;
    bool operator==(const Part&) const = default;
  };
  std::vector<Part> parts;  ///< the first has shift 0
  bool operator==(const ExclusiveOr&) const = default;
};

/// A source with every bit inverted: wrong data that a device delivers as good.
struct Corrupted {
  Source of = Source::zero;
  bool operator==(const Corrupted&) const = default;
};

using Definition = std::variant<Generated, Records, Scattered, ExclusiveOr, Corrupted>;

/// The source so defined; it is kept until the program ends.
Source source(const Definition&);
/// The definition of a source other than `zero` and `literal`.
const Definition& definition(Source);

/// Writes a piece's bytes to `to`, which has room for them. The piece must not be literal.
void make_bytes(const Piece&, std::byte* to);

/// The part of a piece from byte `from` on. A part of a single record or scattered block is a piece of the source that
/// the record or block belongs to.
Piece part(const Piece&, std::uint32_t from, std::uint32_t bytes);

/// Whether `b` continues `a`; if so, `a` becomes both.
bool join(Piece& a, const Piece& b);
/// Whether three pieces are records at equal distances; if so, `a` becomes all of them.
bool join(Piece& a, const Piece& b, const Piece& c);

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
  void make_bytes(std::byte* to, std::uint32_t from, std::uint32_t bytes) const;
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

// The bytes of a file are a function of the file, the version and the offset, so that any part of a run can be checked
// without keeping a copy. Version 0 is on the disk before the run, version 1 is written by the run.
//
// A file is a sequence of 64-bit words in the host's byte order. Word i is x ^ (x >> 32) with x = (key + i) * g, where
// key is a hash of file and version and g is odd. So all words of a file differ, and the next x costs one addition.

inline constexpr std::uint64_t step = 0x9e3779b97f4a7c15ull;

/// Position of a word in the sequence of (file, version); the next word's position is larger by `step`.
constexpr std::uint64_t position(std::uint32_t file, std::uint32_t version, std::uint64_t word_index) {
  return (mix64(static_cast<std::uint64_t>(file) << 32 | version) + word_index) * step;
}
constexpr std::uint64_t word(std::uint64_t position) { return position ^ position >> 32; }

/// Writes the content of [offset, offset + data.size()).
inline void fill(std::uint32_t file, std::uint32_t version, std::uint64_t offset, std::span<std::byte> data) {
  if (data.empty()) return;  // memcpy must not be given a null pointer, even for 0 bytes
  std::uint64_t at = position(file, version, offset / 8);
  if (const std::size_t skip = offset % 8; skip != 0) {
    const std::size_t head = std::min<std::size_t>(8 - skip, data.size());
    const std::uint64_t w = word(at);
    std::memcpy(data.data(), reinterpret_cast<const std::byte*>(&w) + skip, head);
    data = data.subspan(head);
    at += step;
  }
  const std::size_t count = data.size() / 8;
  for (std::size_t i = 0; i < count; ++i, at += step) {
    const std::uint64_t w = word(at);
    std::memcpy(data.data() + i * 8, &w, 8);
  }
  const std::uint64_t w = word(at);
  if (const std::size_t tail = data.size() % 8; tail != 0) std::memcpy(data.data() + count * 8, &w, tail);
}

/// Whether `data` is the content of [offset, offset + data.size()).
inline bool matches(std::uint32_t file, std::uint32_t version, std::uint64_t offset, std::span<const std::byte> data) {
  std::vector<std::byte> wanted(data.size());
  fill(file, version, offset, wanted);
  return std::ranges::equal(data, wanted);
}

}  // namespace sunstar::content
