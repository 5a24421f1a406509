// SPDX-License-Identifier: MIT
#include "models/core/content/content.h"

#include <array>
#include <boost/container_hash/hash.hpp>
#include <boost/describe/class.hpp>
#include <boost/unordered/unordered_map.hpp>
#include <cassert>

namespace sunstar::content {

// For their hashes.
BOOST_DESCRIBE_STRUCT(Generated, (), (file, version))
BOOST_DESCRIBE_STRUCT(Records, (), (of, record_bytes, stride, first))
BOOST_DESCRIBE_STRUCT(Scattered, (), (of, order))
BOOST_DESCRIBE_STRUCT(ExclusiveOr::Part, (), (of, shift))
BOOST_DESCRIBE_STRUCT(ExclusiveOr, (), (parts))
BOOST_DESCRIBE_STRUCT(Corrupted, (), (of))

namespace {

constexpr std::uint32_t first_number = 2;  // after zero and literal

// All sources of the program. A trial is a process of its own, so there is never more than one thread.
struct Sources {
  std::vector<const Definition*> definitions;  // each stays where it is
  boost::unordered_map<Definition, Source, boost::hash<Definition>> numbers;
};
Sources& sources() {
  static auto& all = *new Sources;  // never destroyed: see shelf()
  return all;
}

struct Maker {
  const Piece& piece;
  std::byte* to;

  void operator()(const Generated& g) const { fill(g.file, g.version, piece.place, std::span(to, piece.bytes)); }
  void operator()(const Records& r) const { in_parts(r.record_bytes); }
  void operator()(const Scattered& s) const { in_parts(s.order->block_bytes); }
  void operator()(const ExclusiveOr& x) const {
    std::fill_n(to, piece.bytes, std::byte{});
    std::vector<std::byte> bytes(piece.bytes);
    for (const auto& p : x.parts) {
      make_bytes({p.of, piece.bytes, piece.place + p.shift}, bytes.data());
      for (std::uint32_t i = 0; i < piece.bytes; ++i) to[i] ^= bytes[i];
    }
  }
  void operator()(const Corrupted& c) const {
    make_bytes({c.of, piece.bytes, piece.place}, to);
    std::ranges::transform(std::span(to, piece.bytes), to, [](std::byte b) { return ~b; });
  }

 private:
  // None crosses a multiple of `size`.
  void in_parts(std::uint32_t size) const {
    for (std::uint32_t done = 0; done < piece.bytes;) {
      const std::uint64_t rest = size - (piece.place + done) % size;
      const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(rest, piece.bytes - done));
      make_bytes(part(piece, done, n), to + done);
      done += n;
    }
  }
};

// The definition, if it puts parts of another source together.
const Definition* compound(Source s) {
  if (static_cast<std::uint32_t>(s) < first_number) return nullptr;
  const Definition& d = definition(s);
  return std::holds_alternative<Records>(d) || std::holds_alternative<Scattered>(d) ? &d : nullptr;
}

// A piece of one record or block as a piece of the source that the record or block belongs to.
Piece resolved(const Definition& d, const Piece& p) {
  if (const auto* r = std::get_if<Records>(&d))
    return p.place % r->record_bytes + p.bytes <= r->record_bytes ? Piece{r->of, p.bytes, r->origin(p.place)} : p;
  const auto& [of, order] = std::get<Scattered>(d);
  const std::uint64_t within = p.place % order->block_bytes, position = p.place / order->block_bytes;
  // A piece that join() asks about may lie behind the last block.
  if (within + p.bytes > order->block_bytes || position >= order->block_at.size()) return p;
  const std::uint32_t block = order->block_at[position];
  if (block == Order::none) return {Source::zero, p.bytes, 0};
  return {of, p.bytes, order->first + block * order->stride + within};
}

using Shelf = std::vector<std::unique_ptr<Literal>>;

// The free literals that have room for `capacity` bytes, a power of two. Never destroyed: a static object may hold the
// last reference to a literal.
Shelf& shelf(std::size_t capacity) {
  static auto& all = *new std::array<Shelf, 33>;
  return all[static_cast<std::size_t>(std::bit_width(capacity) - 1)];
}

// Calls visit(offset, bytes, piece of a, piece of b) for the longest runs in which neither changes its piece; stops
// when it returns false.
template <class Visit>
void side_by_side(const Content& a, const Content& b, Visit visit) {
  assert(a.size() == b.size());
  auto p = a.pieces().begin(), q = b.pieces().begin();
  for (std::uint32_t at = 0, in_p = 0, in_q = 0; at < a.size();) {
    const std::uint32_t n = std::min(p->bytes - in_p, q->bytes - in_q);
    if (!visit(at, n, part(*p, in_p, n), part(*q, in_q, n))) return;
    at += n;
    if ((in_p += n) == p->bytes) ++p, in_p = 0;
    if ((in_q += n) == q->bytes) ++q, in_q = 0;
  }
}

constexpr std::uint32_t window = 4096;  // bytes made at once

/// The bytes of a piece of `c`: where they are, or made in `room`.
const std::byte* bytes_of(const Content& c, const Piece& p, std::byte* room) {
  if (p.source == Source::literal) return c.literal() + p.place;
  make_bytes(p, room);
  return room;
}

// Of two pieces of one size.
std::optional<std::uint32_t> first_different_byte(const Content& a, const Piece& p, const Content& b, const Piece& q) {
  std::array<std::byte, window> of_a, of_b;
  for (std::uint32_t done = 0; done < p.bytes; done += window) {
    const std::uint32_t n = std::min(window, p.bytes - done);
    const std::byte* const x = bytes_of(a, part(p, done, n), of_a.data());
    const std::byte* const y = bytes_of(b, part(q, done, n), of_b.data());
    if (std::memcmp(x, y, n) != 0) return done + static_cast<std::uint32_t>(std::mismatch(x, x + n, y).first - x);
  }
  return std::nullopt;
}

std::vector<ExclusiveOr::Part> parts_of(const Piece& p) {
  if (const auto* x = std::get_if<ExclusiveOr>(&definition(p.source))) {
    auto parts = x->parts;
    for (auto& part : parts) part.shift += p.place;
    return parts;
  }
  return {{p.source, p.place}};
}

// Of two pieces that are neither literal nor zero. Equal parts cancel each other.
Piece exclusive_or(const Piece& a, const Piece& b) {
  std::vector<ExclusiveOr::Part> parts = parts_of(a);
  for (const auto& part : parts_of(b))
    if (const auto same = std::ranges::find(parts, part); same != parts.end()) parts.erase(same);
    else parts.push_back(part);
  if (parts.empty()) return {Source::zero, a.bytes, 0};
  std::ranges::sort(parts, {}, [](const auto& p) { return std::pair(p.of, p.shift); });
  const std::uint64_t place = parts[0].shift;
  if (parts.size() == 1) return {parts[0].of, a.bytes, place};
  for (auto& part : parts) part.shift -= place;
  return {source(ExclusiveOr{std::move(parts)}), a.bytes, place};
}

}  // namespace

Source source(const Definition& d) {
  Sources& all = sources();
  const auto [at, is_new] =
      all.numbers.try_emplace(d, Source{static_cast<std::uint32_t>(first_number + all.definitions.size())});
  if (is_new) all.definitions.push_back(&at->first);
  return at->second;
}

const Definition& definition(Source s) { return *sources().definitions[static_cast<std::uint32_t>(s) - first_number]; }

void make_bytes(const Piece& p, std::byte* to) {
  if (p.source == Source::zero) std::fill_n(to, p.bytes, std::byte{});
  else std::visit(Maker{p, to}, definition(p.source));
}

Piece part(const Piece& p, std::uint32_t from, std::uint32_t bytes) {
  if (p.source == Source::zero) return {Source::zero, bytes, 0};
  const Piece result{p.source, bytes, p.place + from};
  const Definition* const d = compound(p.source);
  return d ? resolved(*d, result) : result;
}

bool join(Piece& a, const Piece& b) {
  if (std::uint64_t{a.bytes} + b.bytes > UINT32_MAX) return false;
  if (a.source == b.source && (a.source == Source::zero || a.place + a.bytes == b.place)) {
    a.bytes += b.bytes;
    return true;
  }
  // The piece after a run of records may be a record or a part of one, and so may the piece before a run.
  if (const Definition* d = compound(a.source); d && resolved(*d, {a.source, b.bytes, a.place + a.bytes}) == b) {
    a.bytes += b.bytes;
    return true;
  }
  if (const Definition* d = compound(b.source);
      d && b.place >= a.bytes && resolved(*d, {b.source, a.bytes, b.place - a.bytes}) == a) {
    a = {b.source, a.bytes + b.bytes, b.place - a.bytes};
    return true;
  }
  return false;
}

bool join(Piece& a, const Piece& b, const Piece& c) {
  if (a.source != b.source || b.source != c.source || a.source <= Source::literal || compound(b.source)) return false;
  if (c.place < b.place || c.place - b.place <= b.bytes) return false;
  const std::uint64_t stride = c.place - b.place;
  if (b.place < stride || a.place + a.bytes + stride != b.place + b.bytes) return false;
  if (a.bytes > b.bytes || c.bytes > b.bytes) return false;
  const Source all = source(Records{b.source, b.bytes, stride, b.place % stride});
  a = {all, a.bytes + b.bytes + c.bytes, b.place / stride * b.bytes - a.bytes};
  return true;
}

boost::intrusive_ptr<Literal> Literal::of_size(std::size_t bytes) {
  const std::size_t capacity = std::bit_ceil(std::max<std::size_t>(bytes, 64));
  Shelf& free = shelf(capacity);
  std::unique_ptr<Literal> literal;
  if (free.empty()) {
    literal = std::make_unique<Literal>();
    literal->bytes_ = std::make_unique_for_overwrite<std::byte[]>(capacity);
    literal->capacity_ = capacity;
  } else {
    literal = std::move(free.back());
    free.pop_back();
  }
  return literal.release();
}

void Literal::recycle() { shelf(capacity_).emplace_back(this); }

Content::Content(std::span<const std::byte> bytes) { append(bytes); }

void Content::append(const Piece& piece) {
  assert(piece.source != Source::literal);
  if (piece.bytes == 0) return;
  size_ += piece.bytes;
  if (!pieces_.empty() && join(pieces_.back(), piece)) return;
  if (const std::size_t n = pieces_.size(); n >= 2 && join(pieces_[n - 2], pieces_[n - 1], piece)) {
    pieces_.pop_back();
    return;
  }
  pieces_.push_back(piece);
}

void Content::append(std::span<const std::byte> bytes) {
  append(static_cast<std::uint32_t>(bytes.size()),
         [&](std::span<std::byte> to) { std::memcpy(to.data(), bytes.data(), bytes.size()); });
}

std::span<std::byte> Content::add_literal(std::uint32_t bytes) {
  if (!literal_ || !literal_->has_room(literal_bytes_ + bytes)) {
    auto all = Literal::of_size(literal_bytes_ + bytes);
    if (literal_bytes_ > 0) std::memcpy(all->data(), literal_->data(), literal_bytes_);
    literal_ = std::move(all);
  }
  const Piece piece{Source::literal, bytes, literal_bytes_};
  literal_bytes_ += bytes;
  size_ += bytes;
  if (pieces_.empty() || !join(pieces_.back(), piece)) pieces_.push_back(piece);
  return {literal_->data() + piece.place, bytes};
}

void Content::append(const Content& other, std::uint32_t from, std::uint32_t bytes) {
  if (!literal_) {
    literal_ = other.literal_;
    literal_bytes_ = other.literal_bytes_;
  }
  other.for_each(from, bytes, [&](const Piece& p, std::uint32_t) {
    if (p.source != Source::literal) {
      append(p);
    } else if (literal_ != other.literal_) {
      append(std::span(other.literal() + p.place, p.bytes));
    } else {
      size_ += p.bytes;
      if (pieces_.empty() || !join(pieces_.back(), p)) pieces_.push_back(p);
    }
  });
}

void Content::clear() {
  pieces_.clear();
  literal_.reset();
  literal_bytes_ = 0;
  size_ = 0;
}

Content Content::slice(std::uint32_t from, std::uint32_t bytes) const {
  Content result;
  result.append(*this, from, bytes);
  return result;
}

void Content::make_bytes(std::byte* to, std::uint32_t from, std::uint32_t bytes) const {
  assert(from <= size_ && bytes <= size_ - from);
  for_each(from, bytes, [&](const Piece& p, std::uint32_t at) {
    if (p.source == Source::literal) std::memcpy(to + (at - from), literal() + p.place, p.bytes);
    else content::make_bytes(p, to + (at - from));
  });
}

std::optional<std::uint32_t> first_difference(const Content& a, const Content& b) {
  std::optional<std::uint32_t> first;
  side_by_side(a, b, [&](std::uint32_t at, std::uint32_t, const Piece& p, const Piece& q) {
    if (p == q && p.source != Source::literal) return true;
    if (const auto bad = first_different_byte(a, p, b, q)) first = at + *bad;
    return !first;
  });
  return first;
}

Content corrupted(const Content& c) {
  Content result;
  for (const Piece& p : c.pieces()) {
    if (p.source == Source::literal) {
      std::vector<std::byte> bytes(p.bytes);
      std::ranges::transform(std::span(c.literal() + p.place, p.bytes), bytes.begin(), [](std::byte b) { return ~b; });
      result.append(bytes);
    } else {
      result.append(Piece{source(Corrupted{p.source}), p.bytes, p.place});
    }
  }
  return result;
}

Content exclusive_or(const Content& a, const Content& b) {
  Content result;
  side_by_side(a, b, [&](std::uint32_t at, std::uint32_t n, const Piece& p, const Piece& q) {
    if (p.source == Source::zero) {
      result.append(b, at, n);
    } else if (q.source == Source::zero) {
      result.append(a, at, n);
    } else if (p.source == Source::literal || q.source == Source::literal) {
      std::vector<std::byte> of_a(n), of_b(n);
      a.make_bytes(of_a.data(), at, n);
      b.make_bytes(of_b.data(), at, n);
      std::ranges::transform(of_a, of_b, of_a.begin(), [](std::byte x, std::byte y) { return x ^ y; });
      result.append(of_a);
    } else {
      result.append(exclusive_or(p, q));
    }
    return true;
  });
  return result;
}

}  // namespace sunstar::content
