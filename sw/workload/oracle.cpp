// SPDX-License-Identifier: MIT
#include "sw/workload/oracle.h"

#include <boost/icl/interval_set.hpp>
#include <cassert>
#include <cstring>
#include <unordered_map>

#include "sw/workload/workload.h"

namespace sunstar::workload {

namespace {

using Ranges = boost::icl::interval_set<std::uint64_t>;
using Range = Ranges::interval_type;

class CallOracle final : public Oracle {
 public:
  explicit CallOracle(const Workload& workload) : workload_(workload), written_(workload.files().size()) {
    const auto& files = workload.files();
    if (std::ranges::all_of(files, [](const auto& f) { return f.written && !f.read && f.whole; })) {
      // All files are written whole, as patterns write them: there is no need to add up a million pieces.
      for (std::size_t f = 0; f < files.size(); ++f) written_[f].add(Range::right_open(0, files[f].bytes));
      return;
    }
    if (std::ranges::none_of(files, &FileSpec::written)) return;
    Access a;
    for (std::uint32_t p = 0; p < workload.processors(); ++p)
      for (const auto source = workload.accesses(p); source->next(a);)
        if (a.operation == Operation::write) written_[a.file].add(Range::right_open(a.offset, a.offset + a.bytes));
  }

  void on_medium(std::uint32_t file, const std::function<void(const ExpectedBytes&)>& visit) const override {
    split(file, 0, workload_.files()[file].bytes, Version::after, visit);
  }

  void in_memory(std::uint32_t processor, const std::function<void(const InMemory&)>& visit) const override {
    Access a;
    for (const auto source = workload_.accesses(processor); source->next(a);) {
      if (a.operation != Operation::read) continue;
      split(a.file, a.offset, a.offset + a.bytes, Version::either, [&](const ExpectedBytes& e) {
        visit(BytesInMemory{e, a.memory + (e.offset - a.offset)});
      });
    }
  }

 private:
  /// Visits [from, to) of a file in runs: bytes that the run writes have the version `written`; all others are as
  /// before the run.
  template <class Visit>
  void split(std::uint32_t file, std::uint64_t from, std::uint64_t to, Version written, Visit&& visit) const {
    std::uint64_t at = from;
    if (!written_[file].empty()) {
      const auto inside = written_[file] & Range::right_open(from, to);
      for (const auto& range : inside) {
        if (at < range.lower()) visit(ExpectedBytes{file, at, range.lower() - at, Version::before});
        visit(ExpectedBytes{file, range.lower(), range.upper() - range.lower(), written});
        at = range.upper();
      }
    }
    if (at < to) visit(ExpectedBytes{file, at, to - at, Version::before});
  }

  const Workload& workload_;
  std::vector<Ranges> written_;  // by file
};

content::Content content_of(const ExpectedBytes& e, Version version) {
  const auto source = e.blank && version != Version::after
                          ? content::Source::zero
                          : content::source(content::Generated{e.file, number(version)});
  return content::Content(content::Piece{source, static_cast<std::uint32_t>(e.bytes), e.offset});
}

}  // namespace

std::unique_ptr<Oracle> oracle_of_calls(const Workload& workload) { return std::make_unique<CallOracle>(workload); }

std::optional<std::uint64_t> first_wrong(const ExpectedBytes& expected, const content::Content& found) {
  assert(found.size() == expected.bytes);
  const content::Content now = content_of(expected, expected.version);
  if (expected.version != Version::either) {
    const auto bad = first_difference(now, found);
    return bad ? std::optional(expected.offset + *bad) : std::nullopt;
  }
  const content::Content after = content_of(expected, Version::after);
  // Runs of old bytes and of new ones in turn.
  for (std::uint32_t at = 0; at < found.size();) {
    const auto differs = [&](const content::Content& from) {
      return first_difference(from.slice(at, found.size() - at), found.slice(at, found.size() - at));
    };
    const auto old = differs(now);
    if (!old) break;
    at += *old;
    const auto changed = differs(after);
    if (!changed) break;
    if (*changed == 0) return expected.offset + at;
    at += *changed;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> first_wrong(const RecordsInMemory& expected,
                                         const std::function<content::Content(std::uint64_t, std::uint32_t)>& read) {
  const std::uint32_t size = expected.record_bytes;
  std::vector<std::byte> record(size);
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> wanted;  // offsets by digest
  for (const std::uint64_t offset : expected.offsets) {
    content::fill(expected.file, number(expected.version), offset, std::span(record));
    wanted[digest(record)].push_back(offset);
  }
  const std::uint64_t end = expected.memory + expected.offsets.size() * size;
  const std::uint64_t part = std::max<std::uint64_t>(content::most_in_part / size, 1) * size;
  for (std::uint64_t from = expected.memory; from < end; from += part) {
    const content::Content found = read(from, static_cast<std::uint32_t>(std::min(part, end - from)));
    for (std::uint32_t at = 0; at < found.size(); at += size) {
      found.make_bytes(record.data(), at, size);
      const auto alike = wanted.find(digest(record));
      if (alike == wanted.end()) return from + at;
      auto& offsets = alike->second;
      const auto same = std::ranges::find_if(offsets, [&](std::uint64_t offset) {
        return content::matches(expected.file, number(expected.version), offset, record);
      });
      if (same == offsets.end()) return from + at;
      offsets.erase(same);
    }
  }
  return std::nullopt;
}

std::uint64_t digest(std::span<const std::byte> data) {
  constexpr std::uint64_t prime = 0x100000001b3ull;
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (; data.size() >= 8; data = data.subspan(8)) {
    std::uint64_t word;
    std::memcpy(&word, data.data(), 8);
    hash = (hash ^ word) * prime;
  }
  for (const std::byte b : data) hash = (hash ^ static_cast<std::uint64_t>(b)) * prime;
  return hash;
}

}  // namespace sunstar::workload
