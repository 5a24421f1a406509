// SPDX-License-Identifier: MIT
#include "models/core/content/content_map.h"

#include <array>

#include "models/core/ranges.h"

namespace sunstar::content {

namespace {
// Bytes in the store lie at their own places, so that neighbours join.
constexpr Piece in_store(std::uint32_t within, std::uint32_t bytes) { return {Source::literal, bytes, within}; }
}  // namespace

ContentMap::Part ContentMap::part_at(std::uint64_t at) {
  const std::uint64_t number = at / chunk_bytes, page = at / page_bytes;
  const auto chunk = chunks_.find(number);
  if (chunk == chunks_.end()) return {chunks_, nullptr, number * chunk_bytes, chunk_bytes};
  if (!chunk->second.empty()) return {chunks_, &chunk->second, number * chunk_bytes, chunk_bytes};
  const auto found = pages_.find(page);
  return {pages_, found == pages_.end() ? nullptr : &found->second, page * page_bytes, page_bytes};
}

// Calls visit(part, offset in it, bytes) for the chunks and pages of a range.
template <class Visit>
void ContentMap::for_each_part(std::uint64_t at, std::uint64_t bytes, Visit visit) {
  while (bytes > 0) {
    const Part part = part_at(at);
    const auto within = static_cast<std::uint32_t>(at - part.base);
    const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, part.bytes - within));
    visit(part, within, n);
    at += n;
    bytes -= n;
  }
}

void ContentMap::read(std::uint64_t at, std::uint32_t bytes, Content& to) const {
  // Nothing changes: visiting parts is not const because other callers change them.
  const_cast<ContentMap*>(this)->for_each_part(at, bytes, [&](const Part& p, std::uint32_t within, std::uint32_t n) {
    if (!p.entries) return bytes_.read_bytes(p.base + within, n, to);
    for (std::size_t i = p.holding(within); n > 0; ++i) {
      const Entry& e = (*p.entries)[i];
      const std::uint32_t some = std::min(n, p.end_of(i) - within);
      if (e.source == Source::literal) bytes_.read_bytes(p.base + within, some, to);
      else to.append(part(p.piece(i), within - e.begin, some));
      within += some;
      n -= some;
    }
  });
}

void ContentMap::write(std::uint64_t at, const Content& content, std::uint32_t from, std::uint32_t bytes) {
  content.for_each(from, bytes, [&](const Piece& p, std::uint32_t offset) {
    const std::uint64_t to = at + (offset - from);
    if (p.source == Source::literal) {
      bytes_.write_bytes(to, std::span(content.literal() + p.place, p.bytes));
      forget(to, p.bytes);
    } else {
      put(to, p);
    }
  });
}

void ContentMap::put(std::uint64_t at, const Piece& piece) {
  std::uint32_t done = 0;
  for_each_part(at, piece.bytes, [&](Part p, std::uint32_t within, std::uint32_t n) {
    p.create();
    p.assign(within, n == piece.bytes ? piece : part(piece, done, n));
    done += n;
    if (p.entries->size() > (p.bytes == chunk_bytes ? most_in_chunk : most_in_page)) {
      if (p.bytes == chunk_bytes) divide(p);
      else make_bytes(p, 0, page_bytes);
    }
  });
}

void ContentMap::divide(const Part& chunk) {
  std::vector<std::pair<std::uint32_t, Piece>> pieces;
  for (std::size_t i = 0; i < chunk.entries->size(); ++i)
    if ((*chunk.entries)[i].source != Source::literal) pieces.emplace_back((*chunk.entries)[i].begin, chunk.piece(i));
  *chunk.entries = {};
  for (const auto& [begin, piece] : pieces) put(chunk.base + begin, piece);
}

void ContentMap::forget(std::uint64_t at, std::uint64_t bytes) {
  if (chunks_.empty()) return;
  for_each_part(at, bytes, [](Part p, std::uint32_t within, std::uint32_t n) { p.forget(within, n); });
}

void ContentMap::make_bytes(std::uint64_t at, std::uint64_t bytes) {
  if (chunks_.empty()) return;
  for_each_part(at, bytes, [&](const Part& p, std::uint32_t within, std::uint32_t n) { make_bytes(p, within, n); });
}

void ContentMap::make_bytes(Part p, std::uint32_t from, std::uint32_t bytes) {
  if (!p.entries) return;
  std::vector<std::byte> made;
  for (std::size_t i = p.holding(from); i < p.entries->size() && (*p.entries)[i].begin < from + bytes; ++i) {
    const Entry& e = (*p.entries)[i];
    if (e.source == Source::literal) continue;
    const std::uint32_t begin = std::max(from, e.begin), end = std::min(from + bytes, p.end_of(i));
    made.resize(end - begin);
    content::make_bytes(part(p.piece(i), begin - e.begin, end - begin), made.data());
    bytes_.write_bytes(p.base + begin, made);
  }
  p.forget(from, bytes);
}

std::size_t ContentMap::Part::holding(std::uint32_t at) const {
  const auto after = std::ranges::upper_bound(*entries, at, {}, &Entry::begin);
  return static_cast<std::size_t>(after - entries->begin()) - 1;
}

void ContentMap::Part::create() {
  if (entries) return;
  entries = &all[base / bytes];
  entries->push_back({0, Source::literal, 0});
}

void ContentMap::Part::forget(std::uint32_t at, std::uint32_t n) {
  if (!entries) return;
  assign(at, in_store(at, n));
  if (entries->size() == 1 && entries->front().source == Source::literal) all.erase(base / bytes);
}

// Puts the piece in the place of the entries that it covers; entries that reach beyond its two ends keep the rest.
void ContentMap::Part::assign(std::uint32_t at, const Piece& piece_here) {
  Entries& c = *entries;
  const std::uint32_t end = at + piece_here.bytes;
  const std::size_t first = holding(at);
  if (c[first].begin == at && first > 0 && end < end_of(first)) {
    // Most often the piece continues the one before it.
    if (Piece before = piece(first - 1); join(before, piece_here) && before.place == c[first - 1].place) {
      c[first - 1].source = before.source;
      const Piece rest = part(piece(first), piece_here.bytes, end_of(first) - end);
      c[first] = {end, rest.source, rest.place};
      return;
    }
  }
  const std::size_t last = holding(end - 1);
  std::array<Entry, 3> wanted;
  std::size_t n = 0, own = first;
  if (c[first].begin < at) {
    const Piece left = part(piece(first), 0, at - c[first].begin);
    wanted[n++] = {c[first].begin, left.source, left.place};
    ++own;
  }
  wanted[n++] = {at, piece_here.source, piece_here.place};
  if (const std::uint32_t over = end_of(last); over > end) {
    const Piece right = part(piece(last), end - c[last].begin, over - end);
    wanted[n++] = {end, right.source, right.place};
  }
  const std::size_t covered = last - first + 1, same = std::min(covered, n);
  std::copy_n(wanted.begin(), same, c.begin() + static_cast<std::ptrdiff_t>(first));
  const auto rest = c.begin() + static_cast<std::ptrdiff_t>(first + same);
  if (covered > n) c.erase(rest, rest + static_cast<std::ptrdiff_t>(covered - n));
  else
    c.insert(rest, wanted.begin() + static_cast<std::ptrdiff_t>(same), wanted.begin() + static_cast<std::ptrdiff_t>(n));
  join_around(own);
  if (c.capacity() > 4 * c.size()) c.shrink_to_fit();  // pieces arrived out of order and have been joined
}

// Joins entry i with its neighbours, where one continues another.
void ContentMap::Part::join_around(std::size_t i) {
  Entries& c = *entries;
  const auto joined = [&](std::size_t a, std::size_t count) {
    Piece all = piece(a);
    if (!(count == 2 ? join(all, piece(a + 1)) : join(all, piece(a + 1), piece(a + 2)))) return false;
    c[a] = {c[a].begin, all.source, all.place};
    const auto next = c.begin() + static_cast<std::ptrdiff_t>(a + 1);
    c.erase(next, next + static_cast<std::ptrdiff_t>(count - 1));
    return true;
  };
  if (i + 1 < c.size()) joined(i, 2);
  if (i > 0 && joined(i - 1, 2)) --i;
  for (std::size_t a = i > 2 ? i - 2 : 0; a <= i && a + 2 < c.size(); ++a)
    if (joined(a, 3)) return join_around(a);
}

std::vector<std::uint64_t> ContentMap::chunks() const { return mapped(chunks_, &ByNumber::value_type::first); }

std::uint64_t ContentMap::pieces() const {
  const auto entries = [](const ByNumber::value_type& of) { return of.second.size(); };
  return sum(chunks_, entries) + sum(pages_, entries);
}

std::uint64_t ContentMap::host_bytes() const {
  std::uint64_t n = 0;
  for (const ByNumber* all : {&chunks_, &pages_}) {
    n += all->bucket_count() * (sizeof(ByNumber::value_type) + 1);
    for (const auto& [number, entries] : *all)
      if (entries.capacity() > 1) n += entries.capacity() * sizeof(Entry);
  }
  return n;
}

}  // namespace sunstar::content
