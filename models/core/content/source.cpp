// SPDX-License-Identifier: MIT
#include "models/core/content/source.h"

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <boost/describe/class.hpp>
#include <boost/unordered/unordered_map.hpp>

#include "models/core/content/generator.h"

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
  static auto& all = *new Sources;  // never destroyed: see content.cpp
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

}  // namespace sunstar::content
