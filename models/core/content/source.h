// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

// Where bytes come from. A source has a byte at every place from 0 on and can compute it without storing it. Content
// (content.h) consists of pieces of sources.
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

/// A version of a file's content (generator.h); places are offsets in the file.
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

}  // namespace sunstar::content
