// SPDX-License-Identifier: MIT
#include "platforms/machine/verify.h"

#include <algorithm>
#include <boost/icl/interval_set.hpp>

#include "models/core/error.h"
#include "sw/workload/content.h"

namespace sunstar::machine {

namespace {

using Ranges = boost::icl::interval_set<std::uint64_t>;
namespace content = workload::content;

/// Calls visit(access) for every call of every processor.
template <class Visit>
void for_each_access(const file_systems::System& system, Visit&& visit) {
  workload::Access access;
  for (std::uint32_t p = 0; p < system.workload->processors(); ++p)
    for (auto source = system.workload->accesses(p); source->next(access);) visit(p, access);
}

std::span<std::byte> memory_of(const file_systems::System& system, std::uint32_t processor, const workload::Access& a) {
  return {system.memory[processor].base + a.memory, a.bytes};
}

[[noreturn]] void wrong(const file_systems::System& system, std::uint32_t file, std::uint64_t offset,
                        const std::string& where) {
  throw SimulationError("verification failed: byte " + std::to_string(offset) + " of file '" +
                        system.workload->files()[file].name + "' is wrong " + where);
}

/// What was written, by file.
std::vector<Ranges> written_ranges(const file_systems::System& system) {
  std::vector<Ranges> ranges(system.files.size());
  const auto& specs = system.workload->files();
  if (std::ranges::all_of(specs, [](const auto& s) { return s.written && !s.read && s.whole; })) {
    // A pattern writes its files whole; no need to add up a million pieces.
    for (std::size_t f = 0; f < ranges.size(); ++f)
      ranges[f].add(Ranges::interval_type::right_open(0, system.files[f].bytes));
    return ranges;
  }
  for_each_access(system, [&](std::uint32_t, const workload::Access& a) {
    if (a.operation == workload::Operation::write)
      ranges[a.file].add(Ranges::interval_type::right_open(a.offset, a.offset + a.bytes));
  });
  return ranges;
}

}  // namespace

void fill_media(Machine& machine, const file_systems::System& system) {
  const io::Striping striping = system.striping();
  std::vector<std::byte> block(striping.block_bytes);
  for (std::uint32_t f = 0; f < system.files.size(); ++f)
    for (std::uint64_t b = 0; b < system.blocks(f); ++b) {
      content::fill(f, 0, b * striping.block_bytes, std::span(block));
      machine.disk(striping.disk_of(b)).medium().write(system.sector_of(f, b) * system.sector_bytes, block);
    }
}

void fill_memories(file_systems::System& system) {
  if (std::ranges::none_of(system.workload->files(), &workload::FileSpec::written)) return;
  for_each_access(system, [&](std::uint32_t p, const workload::Access& a) {
    const auto memory = memory_of(system, p, a);
    if (a.operation == workload::Operation::write) content::fill(a.file, 1, a.offset, memory);
  });
}

Verdict verify(Machine& machine, const file_systems::System& system, const file_systems::FileSystem& file_system) {
  const workload::Workload& workload = *system.workload;
  const file_systems::RunRecord& record = system.record;
  const auto all_done = [](const char* what, std::uint64_t done, std::uint64_t wanted) {
    if (done != wanted)
      throw SimulationError(std::to_string(done) + " " + what + " were carried out, the workload has " +
                            std::to_string(wanted));
  };
  const bool collective = file_system.collective();
  const file_systems::Losses no_losses;
  const file_systems::Losses& losses = file_system.losses() ? *file_system.losses() : no_losses;
  all_done(collective ? "collectives" : "calls", record.calls + losses.calls,
           collective ? workload.collectives().size() : workload.access_count());
  all_done("bytes", record.bytes + losses.bytes, collective ? workload.collective_bytes() : workload.bytes_moved());
  std::vector<Ranges> lost(system.files.size());
  for (const auto& range : losses.ranges)
    lost[range.file].add(Ranges::interval_type::right_open(range.offset, range.offset + range.bytes));

  Verdict verdict;
  const std::vector<Ranges> written = written_ranges(system);
  for_each_access(system, [&](std::uint32_t p, const workload::Access& a) {
    if (a.operation != workload::Operation::read) return;
    const std::span<const std::byte> memory = memory_of(system, p, a);
    verdict.bytes += a.bytes;
    auto bad = content::first_mismatch(a.file, 0, a.offset, memory);
    // A file that is also written may be read before or after; byte by byte it is one or the other.
    while (bad && boost::icl::contains(written[a.file], *bad) &&
           !content::first_mismatch(a.file, 1, *bad, memory.subspan(*bad - a.offset, 1))) {
      const std::uint64_t next = *bad + 1;
      bad = next == a.offset + a.bytes ? std::nullopt
                                       : content::first_mismatch(a.file, 0, next, memory.subspan(next - a.offset));
    }
    if (bad) wrong(system, a.file, *bad, "in the memory of compute processor " + std::to_string(p));
  });

  const io::Striping striping = system.striping();
  std::vector<std::byte> block(striping.block_bytes);
  for (std::uint32_t f = 0; f < system.files.size(); ++f) {
    if (!workload.files()[f].written) continue;
    for (std::uint64_t b = 0; b < system.blocks(f); ++b) {
      const std::uint64_t start = b * striping.block_bytes;
      const std::uint64_t end = start + system.bytes_in_block(f, b);
      scsi::Target& disk = machine.disk(striping.disk_of(b));
      disk.medium().read(system.sector_of(f, b) * system.sector_bytes, block);
      const auto check = [&](std::uint32_t version, std::uint64_t from, std::uint64_t to) {
        verdict.bytes += to - from;
        while (const auto bad =
                   content::first_mismatch(f, version, from, std::span(block).subspan(from - start, to - from))) {
          // Where a write was lost the old bytes are right, too.
          if (!boost::icl::contains(lost[f], *bad) ||
              content::first_mismatch(f, 0, *bad, std::span(block).subspan(*bad - start, 1)))
            wrong(system, f, *bad, std::string("on the medium of ") + disk.name());
          from = *bad + 1;
          if (from == to) break;
        }
      };
      std::uint64_t at = start;
      const auto inside = written[f] & Ranges::interval_type::right_open(start, end);
      for (const auto& range : inside) {
        if (at < range.lower()) check(0, at, range.lower());
        check(1, range.lower(), range.upper());
        at = range.upper();
      }
      if (at < end) check(0, at, end);
    }
  }
  return verdict;
}

}  // namespace sunstar::machine
