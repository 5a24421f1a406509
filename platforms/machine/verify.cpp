// SPDX-License-Identifier: MIT
#include "platforms/machine/verify.h"

#include <algorithm>
#include <boost/icl/interval_set.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/core/content/generator.h"
#include "models/core/error.h"

namespace sunstar::machine {

namespace {

using Ranges = boost::icl::interval_set<std::uint64_t>;

[[noreturn]] void wrong(const workload::Job& job, std::uint32_t file, std::uint64_t offset, const std::string& where) {
  throw SimulationError("verification failed: byte " + std::to_string(offset) + " of file '" +
                        job.workload->files()[file].name + "' is wrong " + where);
}

void all_done(const workload::Job& job, const file_systems::FileSystem& file_system) {
  const auto agree = [](const char* what, std::uint64_t done, std::uint64_t wanted) {
    if (done != wanted)
      throw SimulationError(std::to_string(done) + " " + what + " were carried out, the workload has " +
                            std::to_string(wanted));
  };
  const workload::Workload& w = *job.workload;
  const file_systems::Losses& losses = file_system.losses();
  std::uint64_t units = 0, bytes = 0;
  const auto teams = static_cast<std::uint32_t>(w.teams().size());
  bool collective = true;
  for (std::uint32_t team = 0; team < teams; ++team) {
    const workload::Unit unit = file_system.unit(team);
    const workload::Workload::Totals totals = w.totals(unit, team);
    units += totals.units;
    bytes += totals.bytes;
    if (unit == workload::Unit::call) collective = false;
  }
  agree(w.streams() ? "messages" : collective ? "collectives" : "calls", job.record.units() + losses.calls, units);
  agree("bytes", job.record.bytes() + losses.bytes, bytes);
  if (w.streams()) agree("checks of bytes on arrival", job.record.bytes_checked(), bytes);
}

/// Checks what must be in the buffer of one processor.
class BufferCheck {
 public:
  BufferCheck(const workload::Job& job, std::uint32_t processor, Verdict& verdict)
      : job_(job), processor_(processor), verdict_(verdict) {}

  void operator()(const workload::BytesInMemory& expected) {
    if (const auto bad = first_wrong(expected, at(expected.memory, expected.bytes)))
      wrong(job_, expected.file, *bad, where());
  }
  void operator()(const workload::RecordsInMemory& expected) {
    const auto data = at(expected.memory, expected.offsets.size() * expected.record_bytes);
    if (const auto bad = first_wrong(expected, data))
      throw SimulationError("verification failed: the bytes from " + std::to_string(*bad) +
                            " on are not a record of '" + job_.workload->files()[expected.file].name +
                            "' that belongs " + where());
  }

 private:
  std::span<const std::byte> at(std::uint64_t offset, std::uint64_t bytes) {
    verdict_.bytes += bytes;
    return {job_.memory[processor_].base + offset, bytes};
  }
  std::string where() const { return "in the memory of compute processor " + std::to_string(processor_); }

  const workload::Job& job_;
  std::uint32_t processor_;
  Verdict& verdict_;
};

/// Checks a run of bytes of a file against the medium, block by block.
class MediumCheck {
 public:
  MediumCheck(io::Store& store, const io::Volume& volume, const workload::Job& job, const file_systems::Losses& losses)
      : store_(store), volume_(volume), job_(job), lost_(volume.file_count()) {
    for (const auto& range : losses.ranges)
      lost_[range.file].add(Ranges::interval_type::right_open(range.offset, range.offset + range.bytes));
  }

  void operator()(const workload::ExpectedBytes& expected) {
    const std::uint64_t end = expected.offset + expected.bytes;
    for (std::uint64_t at = expected.offset; at < end;) {
      const std::uint64_t block = at / volume_.block_bytes(), start = block * volume_.block_bytes();
      const std::uint64_t stop = std::min(end, start + volume_.block_bytes());
      const auto data = read(expected.file, block);
      check({expected.file, at, stop - at, expected.version}, data.subspan(at - start, stop - at), block);
      at = stop;
    }
  }

 private:
  std::span<const std::byte> read(std::uint32_t file, std::uint64_t block) {
    if (file != file_ || block != block_ || data_.empty()) {
      data_.resize(volume_.block_bytes());
      store_.raw(volume_.unit_of(block)).read(volume_.sector_of(file, block), std::span(data_));
      file_ = file;
      block_ = block;
    }
    return data_;
  }

  void check(workload::ExpectedBytes expected, std::span<const std::byte> data, std::uint64_t block) {
    while (const auto bad = first_wrong(expected, data)) {
      const std::uint64_t skip = *bad - expected.offset;
      const bool lost = boost::icl::contains(lost_[expected.file], *bad) &&
                        !content::first_mismatch(expected.file, 0, *bad, data.subspan(skip, 1));
      if (!lost) wrong(job_, expected.file, *bad, "on the medium of " + store_.raw(volume_.unit_of(block)).name());
      expected.offset += skip + 1;
      expected.bytes -= skip + 1;
      data = data.subspan(skip + 1);
      if (data.empty()) break;
    }
  }

  io::Store& store_;
  const io::Volume& volume_;
  const workload::Job& job_;
  std::vector<Ranges> lost_;     // by file
  std::vector<std::byte> data_;  // of the block
  std::uint32_t file_ = 0;
  std::uint64_t block_ = 0;
};

/// Checks that no byte outside the files' blocks, and the file system's own structures, has been written.
void nothing_else(io::Store& store, const io::Volume& volume, const std::optional<file_systems::Contents>& found) {
  std::vector<Ranges> blocks(volume.units());
  for (std::uint32_t d = 0; found && d < volume.units(); ++d)
    for (const auto& own : found->structures[d]) {
      const std::uint64_t begin = own.first * volume.sector_bytes();
      blocks[d].add(Ranges::interval_type::right_open(begin, begin + own.count * volume.sector_bytes()));
    }
  for (std::uint32_t f = 0; f < volume.file_count(); ++f)
    for (std::uint64_t b = 0; b < volume.blocks(f); ++b) {
      const std::uint64_t begin = volume.sector_of(f, b) * volume.sector_bytes();
      blocks[volume.unit_of(b)].add(Ranges::interval_type::right_open(begin, begin + volume.block_bytes()));
    }
  for (std::uint32_t d = 0; d < volume.units(); ++d)
    store.raw(d).for_each_written([&](std::uint64_t offset, std::span<const std::byte> bytes) {
      const auto whole = Ranges::interval_type::right_open(offset, offset + bytes.size());
      if (boost::icl::contains(blocks[d], whole)) return;
      for (const auto& free : Ranges(whole) - blocks[d]) {
        const auto part = bytes.subspan(free.lower() - offset, free.upper() - free.lower());
        const auto stray = std::ranges::find_if(part, [](std::byte b) { return b != std::byte{0}; });
        if (stray == part.end()) continue;
        const auto at = free.lower() + static_cast<std::uint64_t>(stray - part.begin());
        throw SimulationError("verification failed: sector " + std::to_string(at / volume.sector_bytes()) + " of " +
                              store.raw(d).name() + " was written, and it belongs to no file");
      }
    });
}

}  // namespace

Verdict verify(io::Store& store, const io::Volume& placed, const workload::Job& job,
               const file_systems::FileSystem& file_system) {
  all_done(job, file_system);
  const auto found = file_system.inspect(store);
  const io::Volume& volume = found ? found->volume : placed;
  Verdict verdict;
  verdict.bytes = job.record.bytes_checked();
  const auto oracle = job.workload->oracle();
  const auto& stopped = file_system.losses().processors;
  for (std::uint32_t p = 0; p < job.workload->processors(); ++p) {
    if (std::ranges::find(stopped, p) != stopped.end()) continue;
    BufferCheck check(job, p, verdict);
    oracle->in_memory(p, [&](const workload::InMemory& expected) { std::visit(check, expected); });
  }
  MediumCheck check(store, volume, job, file_system.losses());
  for (std::uint32_t f = 0; f < volume.file_count(); ++f)
    oracle->on_medium(f, [&](const workload::ExpectedBytes& expected) {
      check(expected);
      if (job.workload->files()[f].written) verdict.bytes += expected.bytes;
    });
  nothing_else(store, volume, found);
  return verdict;
}

}  // namespace sunstar::machine
