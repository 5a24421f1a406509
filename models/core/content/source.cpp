// SPDX-License-Identifier: MIT
#include "models/core/content/source.h"

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <boost/unordered/unordered_map.hpp>
#include <deque>

#include "models/core/content/generator.h"

namespace sunstar::content {

std::size_t hash_value(const Generated& g) { return boost::hash_value(std::pair(g.file, g.version)); }
std::size_t hash_value(const Records& r) {
  std::size_t h = 0;
  boost::hash_combine(h, static_cast<std::uint32_t>(r.of));
  boost::hash_combine(h, r.record_bytes);
  boost::hash_combine(h, r.stride);
  boost::hash_combine(h, r.first);
  return h;
}
std::size_t hash_value(const ExclusiveOr::Part& p) {
  return boost::hash_value(std::pair(static_cast<std::uint32_t>(p.of), p.shift));
}
std::size_t hash_value(const ExclusiveOr& x) { return boost::hash_value(x.parts); }
std::size_t hash_value(const Corrupted& c) { return boost::hash_value(static_cast<std::uint32_t>(c.of)); }

namespace {

constexpr std::uint32_t first_number = 2;  // after zero and literal

// All sources of the program. A trial is a process of its own, so there is never more than one thread.
struct Sources {
  std::deque<Definition> definitions;
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
  void operator()(const Records& r) const {
    for (std::uint32_t done = 0; done < piece.bytes;) {
      const std::uint64_t place = piece.place + done;
      const auto n = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(r.record_bytes - place % r.record_bytes, piece.bytes - done));
      make_bytes({r.of, n, r.origin(place)}, to + done);
      done += n;
    }
  }
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
};

const Records* records(Source s) {
  return static_cast<std::uint32_t>(s) < first_number ? nullptr : std::get_if<Records>(&definition(s));
}

// A record behind a run of records, or the rest of one that the run breaks off in.
bool continues(const Records& r, const Piece& run, const Piece& next) {
  const std::uint64_t end = run.place + run.bytes;
  return next.source == r.of && next.place == r.origin(end) && next.bytes <= r.record_bytes - end % r.record_bytes;
}
// A record before a run of records, or the end of one.
bool precedes(const Records& r, const Piece& last, const Piece& run) {
  if (last.source != r.of || run.place < last.bytes) return false;
  const std::uint64_t before = run.place - 1;
  return last.place + last.bytes == r.origin(before) + 1 && last.bytes <= before % r.record_bytes + 1;
}

}  // namespace

Source source(const Definition& d) {
  Sources& all = sources();
  const auto [at, is_new] =
      all.numbers.try_emplace(d, Source{static_cast<std::uint32_t>(first_number + all.definitions.size())});
  if (is_new) all.definitions.push_back(d);
  return at->second;
}

const Definition& definition(Source s) { return sources().definitions[static_cast<std::uint32_t>(s) - first_number]; }

void make_bytes(const Piece& p, std::byte* to) {
  if (p.source == Source::zero) std::fill_n(to, p.bytes, std::byte{});
  else std::visit(Maker{p, to}, definition(p.source));
}

Piece part(const Piece& p, std::uint32_t from, std::uint32_t bytes) {
  if (p.source == Source::zero) return {Source::zero, bytes, 0};
  const std::uint64_t place = p.place + from;
  if (const Records* r = records(p.source); r && place % r->record_bytes + bytes <= r->record_bytes)
    return {r->of, bytes, r->origin(place)};
  return {p.source, bytes, place};
}

bool join(Piece& a, const Piece& b) {
  if (std::uint64_t{a.bytes} + b.bytes > UINT32_MAX) return false;
  if (a.source == b.source && (a.source == Source::zero || a.place + a.bytes == b.place)) {
    a.bytes += b.bytes;
    return true;
  }
  if (const Records* r = records(a.source); r && continues(*r, a, b)) {
    a.bytes += b.bytes;
    return true;
  }
  if (const Records* r = records(b.source); r && precedes(*r, a, b)) {
    a = {b.source, a.bytes + b.bytes, b.place - a.bytes};
    return true;
  }
  return false;
}

bool join(Piece& a, const Piece& b, const Piece& c) {
  if (a.source != b.source || b.source != c.source || a.source <= Source::literal || records(b.source)) return false;
  if (c.place < b.place || c.place - b.place <= b.bytes) return false;
  const std::uint64_t stride = c.place - b.place;
  if (b.place < stride || a.place + a.bytes + stride != b.place + b.bytes) return false;
  if (a.bytes > b.bytes || c.bytes > b.bytes) return false;
  const Source all = source(Records{b.source, b.bytes, stride, b.place % stride});
  a = {all, a.bytes + b.bytes + c.bytes, b.place / stride * b.bytes - a.bytes};
  return true;
}

}  // namespace sunstar::content
