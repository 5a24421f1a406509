// SPDX-License-Identifier: MIT
#include "models/core/content/content.h"

#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <vector>

namespace sunstar::content {

namespace {

using Shelf = std::vector<std::unique_ptr<Literal>>;

// The free literals that have room for `capacity` bytes, a power of two. Never destroyed: a static object may hold the
// last reference to a literal.
Shelf& shelf(std::size_t capacity) {
  static auto& all = *new std::array<Shelf, 33>;
  return all[static_cast<std::size_t>(std::bit_width(capacity) - 1)];
}

}  // namespace

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

namespace {

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

}  // namespace

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

namespace {

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
