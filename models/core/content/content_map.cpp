// SPDX-License-Identifier: MIT
#include "models/core/content/content_map.h"

#include <algorithm>
#include <array>
#include <vector>

namespace sunstar::content {

namespace {
// Bytes in the store lie at their own places, so that neighbours join.
constexpr Piece in_store(std::uint32_t within, std::uint32_t bytes) { return {Source::literal, bytes, within}; }
}  // namespace

// Calls visit(number of the chunk, offset in it, bytes) for the chunks of a range.
template <class Visit>
void ContentMap::for_each_chunk(std::uint64_t at, std::uint64_t bytes, Visit visit) {
  while (bytes > 0) {
    const auto within = static_cast<std::uint32_t>(at % chunk_bytes);
    const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, chunk_bytes - within));
    visit(at / chunk_bytes, within, n);
    at += n;
    bytes -= n;
  }
}

std::size_t ContentMap::holding(const Chunk& c, std::uint32_t at) {
  const auto after = std::ranges::upper_bound(c, at, {}, &Entry::begin);
  return static_cast<std::size_t>(after - c.begin()) - 1;
}

void ContentMap::read(std::uint64_t at, std::uint32_t bytes, Content& to) const {
  for_each_chunk(at, bytes, [&](std::uint64_t number, std::uint32_t within, std::uint32_t n) {
    const std::uint64_t base = number * chunk_bytes;
    const auto found = chunks_.find(number);
    if (found == chunks_.end()) return bytes_.read_bytes(base + within, n, to);
    const Chunk& c = found->second;
    for (std::size_t i = holding(c, within); n > 0; ++i) {
      const std::uint32_t some = std::min(n, end_of(c, i) - within);
      if (c[i].source == Source::literal) bytes_.read_bytes(base + within, some, to);
      else to.append(part(piece_of(c, i), within - c[i].begin, some));
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
  for_each_chunk(at, piece.bytes, [&](std::uint64_t number, std::uint32_t within, std::uint32_t n) {
    const auto [found, is_new] = chunks_.try_emplace(number);
    Chunk& c = found->second;
    if (is_new) c.push_back({0, Source::literal, 0});
    assign(c, within, part(piece, done, n));
    done += n;
    if (const std::uint32_t page = within / page_bytes * page_bytes; c.size() > most_in_page && crowded(c, page))
      make_bytes(number, c, page, page + page_bytes);
  });
}

void ContentMap::forget(std::uint64_t at, std::uint64_t bytes) {
  if (chunks_.empty()) return;
  for_each_chunk(at, bytes, [&](std::uint64_t number, std::uint32_t within, std::uint32_t n) {
    const auto found = chunks_.find(number);
    if (found == chunks_.end()) return;
    assign(found->second, within, in_store(within, n));
    if (found->second.size() == 1 && found->second[0].source == Source::literal) chunks_.erase(found);
  });
}

void ContentMap::make_bytes(std::uint64_t at, std::uint64_t bytes) {
  if (chunks_.empty()) return;
  for_each_chunk(at, bytes, [&](std::uint64_t number, std::uint32_t within, std::uint32_t n) {
    if (const auto found = chunks_.find(number); found != chunks_.end())
      make_bytes(number, found->second, within, within + n);
  });
  forget(at, bytes);
}

// The chunk's entries remain, and say that its bytes are in the store.
void ContentMap::make_bytes(std::uint64_t number, Chunk& c, std::uint32_t from, std::uint32_t to) {
  std::vector<std::byte> made;
  for (std::size_t i = holding(c, from); i < c.size() && c[i].begin < to; ++i) {
    if (c[i].source == Source::literal) continue;
    const std::uint32_t begin = std::max(from, c[i].begin), end = std::min(to, end_of(c, i));
    made.resize(end - begin);
    content::make_bytes(part(piece_of(c, i), begin - c[i].begin, end - begin), made.data());
    bytes_.write_bytes(number * chunk_bytes + begin, made);
  }
  assign(c, from, in_store(from, to - from));
}

bool ContentMap::crowded(const Chunk& c, std::uint32_t page) {
  return holding(c, page + page_bytes - 1) - holding(c, page) >= most_in_page;
}

// Puts the piece in the place of what it covers; of the entries at its two ends, the rests stay.
void ContentMap::assign(Chunk& c, std::uint32_t at, const Piece& piece) {
  const std::uint32_t end = at + piece.bytes;
  const std::size_t first = holding(c, at), last = holding(c, end - 1);
  std::array<Entry, 3> entries;
  std::size_t n = 0, own = first;
  if (c[first].begin < at) {
    const Piece left = part(piece_of(c, first), 0, at - c[first].begin);
    entries[n++] = {c[first].begin, left.source, left.place};
    ++own;
  }
  entries[n++] = {at, piece.source, piece.place};
  if (const std::uint32_t over = end_of(c, last); over > end) {
    const Piece right = part(piece_of(c, last), end - c[last].begin, over - end);
    entries[n++] = {end, right.source, right.place};
  }
  const std::size_t covered = last - first + 1, same = std::min(covered, n);
  std::copy_n(entries.begin(), same, c.begin() + static_cast<std::ptrdiff_t>(first));
  const auto rest = c.begin() + static_cast<std::ptrdiff_t>(first + same);
  if (covered > n) c.erase(rest, rest + static_cast<std::ptrdiff_t>(covered - n));
  else
    c.insert(rest, entries.begin() + static_cast<std::ptrdiff_t>(same),
             entries.begin() + static_cast<std::ptrdiff_t>(n));
  join_around(c, own);
}

// Joins entry i with its neighbours, where one continues another.
void ContentMap::join_around(Chunk& c, std::size_t i) {
  const auto joined = [&](std::size_t a, std::size_t count) {
    Piece all = piece_of(c, a);
    if (!(count == 2 ? join(all, piece_of(c, a + 1)) : join(all, piece_of(c, a + 1), piece_of(c, a + 2)))) return false;
    c[a] = {c[a].begin, all.source, all.place};
    const auto next = c.begin() + static_cast<std::ptrdiff_t>(a + 1);
    c.erase(next, next + static_cast<std::ptrdiff_t>(count - 1));
    return true;
  };
  if (i + 1 < c.size()) joined(i, 2);
  if (i > 0 && joined(i - 1, 2)) --i;
  for (std::size_t a = i > 2 ? i - 2 : 0; a <= i && a + 2 < c.size(); ++a)
    if (joined(a, 3)) return join_around(c, a);
}

std::vector<std::uint64_t> ContentMap::chunks() const {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(chunks_.size());
  for (const auto& [number, chunk] : chunks_) numbers.push_back(number);
  return numbers;
}

std::uint64_t ContentMap::pieces() const {
  std::uint64_t n = 0;
  for (const auto& [number, chunk] : chunks_) n += chunk.size();
  return n;
}

std::uint64_t ContentMap::host_bytes() const {
  std::uint64_t n = chunks_.bucket_count() * (sizeof(std::pair<const std::uint64_t, Chunk>) + 1);
  for (const auto& [number, chunk] : chunks_)
    if (chunk.capacity() > 1) n += chunk.capacity() * sizeof(Entry);
  return n;
}

}  // namespace sunstar::content
