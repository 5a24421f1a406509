// SPDX-License-Identifier: MIT
#include "sw/workload/oracle.h"

#include <algorithm>
#include <boost/icl/interval_set.hpp>
#include <cassert>
#include <cstring>
#include <unordered_map>

#include "models/core/content/generator.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {

namespace {

using Ranges = boost::icl::interval_set<std::uint64_t>;
using Range = Ranges::interval_type;

constexpr std::uint32_t number(Version v) { return v == Version::after ? 1 : 0; }

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

}  // namespace

std::unique_ptr<Oracle> oracle_of_calls(const Workload& workload) { return std::make_unique<CallOracle>(workload); }

std::optional<std::uint64_t> first_wrong(const ExpectedBytes& expected, std::span<const std::byte> data) {
  assert(data.size() == expected.bytes);
  auto bad = content::first_mismatch(expected.file, number(expected.version), expected.offset, data);
  while (bad && expected.version == Version::either &&
         !content::first_mismatch(expected.file, 1, *bad, data.subspan(*bad - expected.offset, 1))) {
    const std::uint64_t next = *bad + 1;
    if (next == expected.offset + expected.bytes) return std::nullopt;
    bad = content::first_mismatch(expected.file, 0, next, data.subspan(next - expected.offset));
  }
  return bad;
}

std::optional<std::uint64_t> first_wrong(const RecordsInMemory& expected, std::span<const std::byte> data) {
  assert(data.size() == expected.offsets.size() * expected.record_bytes);
  std::vector<std::byte> record(expected.record_bytes);
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> wanted;  // offsets by digest
  for (const std::uint64_t offset : expected.offsets) {
    content::fill(expected.file, number(expected.version), offset, std::span(record));
    wanted[digest(record)].push_back(offset);
  }
  for (std::uint64_t at = 0; at < data.size(); at += expected.record_bytes) {
    const auto here = data.subspan(at, expected.record_bytes);
    const auto found = wanted.find(digest(here));
    if (found == wanted.end()) return expected.memory + at;
    auto& offsets = found->second;
    const auto same = std::ranges::find_if(offsets, [&](std::uint64_t offset) {
      return !content::first_mismatch(expected.file, number(expected.version), offset, here);
    });
    if (same == offsets.end()) return expected.memory + at;
    offsets.erase(same);
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
