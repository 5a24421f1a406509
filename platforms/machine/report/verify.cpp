// SPDX-License-Identifier: MIT
#include "platforms/machine/report/verify.h"

namespace sunstar::machine {

namespace {

std::string origin_of(const workload::Job& job, const content::Piece& byte) {
  if (byte.source == content::Source::zero) return "a zero";
  if (byte.source == content::Source::literal) return "a byte of unknown origin";
  const auto* generated = std::get_if<content::Generated>(&content::definition(byte.source));
  if (!generated) return "a corrupted byte";
  const auto& files = job.workload->files();
  const std::string name = generated->file < files.size() ? "file '" + files[generated->file].name + "'"
                                                          : "stream " + std::to_string(generated->file);
  return "byte " + std::to_string(byte.place) + " of " + name + ", version " + std::to_string(generated->version);
}

[[noreturn]] void wrong(const workload::Job& job, std::uint32_t file, std::uint64_t offset, const std::string& version,
                        const content::Content& found, std::uint64_t at, const std::string& where) {
  const content::Content byte = found.slice(static_cast<std::uint32_t>(at), 1);
  throw SimulationError("verification failed: byte ", offset, " of file '", job.workload->files()[file].name,
                        "' is wrong ", where, ": it should be of ", version, ", and is ",
                        origin_of(job, byte.pieces().front()));
}

/// Throws if a wrong byte has no excuse. `excused(offset, most, byte)`: how many bytes from there on have one, at most
/// `most`; 0: none.
template <class Excused, class Where>
void require_excuses(const workload::Job& job, workload::ExpectedBytes expected, content::Content found,
                     Excuses& excuses, const Excused& excused, const Where& where) {
  while (const auto bad = first_wrong(expected, found)) {
    const auto skip = static_cast<std::uint32_t>(*bad - expected.offset);
    const content::Content byte = found.slice(skip, 1);
    const workload::ExpectedBytes expected_byte = expected.part(skip, 1);
    std::uint64_t n = excused(*bad, expected.bytes - skip, byte);
    if (n == 0) n = excuses.in_message(!first_wrong(expected_byte, content::corrupted(byte)));
    if (n == 0) {
      const std::string version = expected.version == workload::Version::either  ? "either version"
                                  : expected.version == workload::Version::after ? "version 1"
                                  : expected.blank                               ? "a new file, zeros"
                                                                                 : "version 0";
      wrong(job, expected.file, *bad, version, found, skip, where());
    }
    expected.offset += skip + n;
    expected.bytes -= skip + n;
    if (expected.bytes == 0) return;
    found = found.slice(skip + static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(expected.bytes));
  }
}

/// Draws some parts of the checked bytes, 4 KiB at most, by the run's seed, and makes them from their descriptions:
/// these must be the generator's bytes, too.
class Sample {
 public:
  /// Of `all` bytes it draws some 64 parts.
  Sample(std::uint64_t seed, std::uint64_t all, Verdict& verdict)
      : random_(seed, "verification"), distance_(all / 64 + 1), left_(random_.below(distance_)), verdict_(verdict) {}

  /// Calls take(from, part) for the parts that it draws of the next bytes.
  template <class Take>
  void draw(const workload::ExpectedBytes& next, Take take) {
    for (; left_ < next.bytes; left_ += 1 + random_.below(2 * distance_)) {
      const std::uint64_t bytes = std::min<std::uint64_t>(next.bytes - left_, 4096);
      take(static_cast<std::uint32_t>(left_), next.part(left_, bytes));
    }
    left_ -= next.bytes;
  }
  /// Compares bytes; the descriptions agree.
  void compare(const workload::ExpectedBytes& expected, const content::Content& found) {
    made_.resize(found.size());
    found.make_bytes(made_.data());
    const std::uint32_t version = expected.version == workload::Version::after ? 1 : 0;
    if (!content::matches(expected.file, version, expected.offset, made_))
      throw SimulationError("verification failed: bytes of file ", expected.file,
                            " are described as they should be, and are others");
    verdict_.compared += found.size();
  }

 private:
  RandomStream random_;
  const std::uint64_t distance_;
  std::uint64_t left_;
  Verdict& verdict_;
  std::vector<std::byte> made_;
};

/// A stopped node's unfinished work is not counted; and a collective may have had several leaders, each of which took
/// those before it for gone.
void all_done(const workload::Job& job, const file_systems::FileSystem& file_system, bool nodes_stopped) {
  const auto agree = [&](const char* what, std::uint64_t done, std::uint64_t wanted) {
    if (nodes_stopped ? done > wanted : done != wanted)
      throw SimulationError(done, " ", what, " were carried out, the workload has ", wanted);
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
  if (!nodes_stopped)
    agree(w.streams() ? "messages" : collective ? "collectives" : "calls", job.record.units() + losses.calls, units);
  if (nodes_stopped && collective) bytes *= w.processors();
  agree("bytes", job.record.bytes() + job.record.bytes_not_moved() + losses.bytes, bytes);
  if (w.files().empty())
    agree("checks of bytes on arrival", job.record.bytes_checked() + job.record.bytes_not_moved(), bytes);
}

/// Bytes of a file from the beginning of an expected piece on; the piece may be of records.
std::uint64_t run_of(const content::Piece& expected) {
  const auto* const records = std::get_if<content::Records>(&content::definition(expected.source));
  if (!records) return expected.bytes;
  return std::min<std::uint64_t>(expected.bytes, records->record_bytes - expected.place % records->record_bytes);
}

/// Checks the buffer of one processor. Bytes that lie together are compared together.
class BufferCheck {
 public:
  BufferCheck(const workload::Job& job, std::uint32_t processor, Sample& sample, Excuses& excuses, Verdict& verdict)
      : job_(job), processor_(processor), sample_(sample), excuses_(excuses), verdict_(verdict) {}

  void operator()(const workload::BytesInMemory& expected) {
    content::for_each_part(expected.bytes, [&](std::uint64_t from, std::uint32_t bytes) {
      const workload::ExpectedBytes part = expected.part(from, bytes);
      const std::uint64_t at = expected.memory + from;
      if (part.version == workload::Version::either) {
        const auto excused = [&](std::uint64_t bad, std::uint64_t most, const content::Content&) {
          return excuses_.in_memory(part.file, bad, most);
        };
        return require_excuses(job_, part, read(at, bytes), excuses_, excused, [this] { return where(); });
      }
      if (at != begin_ + together_.size() || together_.size() + bytes > content::most_in_part) finish();
      if (together_.empty()) begin_ = at;
      sample_.draw(part, [&](std::uint32_t from, const workload::ExpectedBytes& drawn) {
        drawn_.emplace_back(together_.size() + from, drawn);
      });
      together_.append(content::Piece{sources_.of(part.file, part.version), bytes, part.offset});
    });
  }
  void operator()(const workload::RecordsInMemory& expected) {
    if (excuses_.unknown(expected.file)) return;
    const std::uint64_t bytes = expected.offsets.size() * expected.record_bytes;
    if (const auto bad = first_wrong(expected, [this](std::uint64_t at, std::uint32_t n) { return read(at, n); }))
      throw SimulationError("verification failed: the bytes from ", *bad, " on are not a record of '",
                            job_.workload->files()[expected.file].name, "' that belongs ", where());
    verdict_.compared += bytes;
  }

  /// Checks the rest.
  void finish() {
    if (together_.empty()) return;
    const content::Content found = read(begin_, together_.size());
    bool all_right = true;
    for (std::uint32_t at = 0; at < found.size();) {
      const std::uint32_t left = found.size() - at;
      const auto bad = first_difference(together_.slice(at, left), found.slice(at, left));
      if (!bad) break;
      at += *bad;
      all_right = false;
      std::uint64_t run = 0;  // of the file, from there on
      together_.for_each(at, found.size() - at, [&](const content::Piece& piece, std::uint32_t) {
        if (run == 0) run = run_of(piece);
      });
      const content::Piece byte = together_.slice(at, 1).pieces().front();
      const auto& file = std::get<content::Generated>(content::definition(byte.source));
      std::uint64_t n = excuses_.in_memory(file.file, byte.place, run);
      if (n == 0)
        n = excuses_.in_message(!first_difference(together_.slice(at, 1), content::corrupted(found.slice(at, 1))));
      if (n == 0) wrong(job_, file.file, byte.place, "version " + std::to_string(file.version), found, at, where());
      at += static_cast<std::uint32_t>(n);
    }
    if (all_right)
      for (const auto& [at, part] : drawn_)
        sample_.compare(part, found.slice(at, static_cast<std::uint32_t>(part.bytes)));
    drawn_.clear();
    together_.clear();
  }

 private:
  content::Content read(std::uint64_t offset, std::uint32_t bytes) {
    const messages::RemoteMemory& buffer = job_.memory[processor_];
    content::Content found;
    buffer.memory->read(buffer.base + offset, bytes, found);
    verdict_.bytes += bytes;
    return found;
  }
  std::string where() const { return "in the memory of compute processor " + std::to_string(processor_); }

  const workload::Job& job_;
  std::uint32_t processor_;
  Sample& sample_;
  Excuses& excuses_;
  Verdict& verdict_;
  content::Content together_;                                             // expected, from begin_ in the buffer on
  std::vector<std::pair<std::uint32_t, workload::ExpectedBytes>> drawn_;  // for the sample: where in it, and what
  std::uint64_t begin_ = 0;
  workload::FileSources sources_;
};

/// Checks a run of bytes of a file against the medium, block by block.
class MediumCheck {
 public:
  MediumCheck(io::Store& store, const io::Volume& volume, const workload::Job& job, Excuses& excuses, Sample& sample)
      : store_(store), volume_(volume), job_(job), excuses_(excuses), sample_(sample) {}

  void operator()(const workload::ExpectedBytes& expected) {
    const std::uint64_t end = expected.offset + expected.bytes;
    for (std::uint64_t at = expected.offset; at < end;) {
      const std::uint64_t block = at / volume_.block_bytes(), start = block * volume_.block_bytes();
      const std::uint64_t stop = std::min(end, start + volume_.block_bytes());
      const content::Content& data = read(expected.file, block);
      check(expected.part(at - expected.offset, stop - at),
            data.slice(static_cast<std::uint32_t>(at - start), static_cast<std::uint32_t>(stop - at)), block);
      at = stop;
    }
  }

 private:
  const content::Content& read(std::uint32_t file, std::uint64_t block) {
    if (file != file_ || block != block_ || data_.empty()) {
      data_.clear();
      store_.raw(volume_.unit_of(file, block)).read(volume_.sector_of(file, block), volume_.block_bytes(), data_);
      file_ = file;
      block_ = block;
    }
    return data_;
  }

  void check(const workload::ExpectedBytes& expected, content::Content data, std::uint64_t block) {
    if (expected.version == workload::Version::after ||
        (expected.version == workload::Version::before && !expected.blank))
      sample_.draw(expected, [&](std::uint32_t from, const workload::ExpectedBytes& drawn) {
        const content::Content part = data.slice(from, static_cast<std::uint32_t>(drawn.bytes));
        if (!first_wrong(drawn, part)) sample_.compare(drawn, part);
      });
    const auto excused = [&](std::uint64_t bad, std::uint64_t most, const content::Content& byte) {
      const workload::ExpectedBytes old{expected.file, bad, 1, workload::Version::before, expected.blank};
      return excuses_.on_medium(expected.file, bad, most, !first_wrong(old, byte));
    };
    require_excuses(job_, expected, std::move(data), excuses_, excused,
                    [&] { return "on the medium of " + store_.raw(volume_.unit_of(expected.file, block)).name(); });
  }

  io::Store& store_;
  const io::Volume& volume_;
  const workload::Job& job_;
  Excuses& excuses_;
  Sample& sample_;
  content::Content data_;  // of the block
  std::uint32_t file_ = 0;
  std::uint64_t block_ = 0;
};

/// Checks that no byte of a unit outside these ranges of bytes, in any order, has been written.
using Taken = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // first, one past the last
void nothing_else(const io::RawDisk& unit, Taken taken) {
  std::ranges::sort(taken);
  auto next = taken.begin();
  const auto zeros = [&](std::uint64_t at, std::uint64_t end, std::uint64_t offset, const content::Content& found) {
    if (at >= end) return;
    const auto n = static_cast<std::uint32_t>(end - at);
    const auto stray = first_difference(content::Content(content::Piece{content::Source::zero, n, 0}),
                                        found.slice(static_cast<std::uint32_t>(at - offset), n));
    if (stray && unit.silently_wrong(at + *stray) == 0)
      throw SimulationError("verification failed: sector ", (at + *stray) / unit.shape().sector_bytes, " of ",
                            unit.name(), " was written, and it belongs to no file");
  };
  unit.for_each_written([&](std::uint64_t offset, const content::Content& found) {
    const std::uint64_t end = offset + found.size();
    std::uint64_t at = offset;
    for (; next != taken.end() && next->first < end; ++next) {
      zeros(at, next->first, offset, found);
      at = std::max(at, next->second);
      if (at >= end) return;  // it may reach into the next range
    }
    zeros(at, end, offset, found);
  });
}

/// Checks that nothing but the files' blocks, and the file system's own structures, has been written.
void nothing_else(io::Store& store, const io::Volume& volume, const std::optional<file_systems::Contents>& found) {
  for (std::uint32_t u = 0; u < volume.units(); ++u) {
    Taken taken;
    const auto take = [&](std::uint64_t sector, std::uint64_t bytes) {
      const std::uint64_t begin = sector * volume.sector_bytes();
      if (!taken.empty() && taken.back().second == begin) taken.back().second += bytes;
      else taken.emplace_back(begin, begin + bytes);
    };
    if (found)
      for (const auto& own : found->structures[u]) take(own.first, own.count * volume.sector_bytes());
    for (std::uint32_t f = 0; f < volume.file_count(); ++f)
      for (std::uint64_t i = 0, n = volume.stripes(f).blocks_on(u, volume.blocks(f)); i < n; ++i)
        take(volume.sectors_on(u, f)[i], volume.block_bytes());
    nothing_else(store.raw(u), std::move(taken));
  }
}

/// How many bytes are expected in a buffer.
std::uint64_t bytes_of(const workload::InMemory& expected) {
  if (const auto* bytes = std::get_if<workload::BytesInMemory>(&expected)) return bytes->bytes;
  const auto& records = std::get<workload::RecordsInMemory>(expected);
  return records.offsets.size() * records.record_bytes;
}

}  // namespace

Verdict verify(io::Store& store, const io::Volume& placed, const workload::Job& job,
               const file_systems::FileSystem& file_system, std::uint64_t seed, bool nodes_stopped, bool spoilt) {
  all_done(job, file_system, nodes_stopped);
  const auto found = file_system.inspect(store);
  const io::Volume& volume = found ? found->volume : placed;
  Verdict verdict;
  verdict.bytes = job.record.bytes_checked();
  const auto oracle = job.workload->oracle();
  // A read does not find bytes that could not be written.
  const bool finds_new = file_system.coherent() && !nodes_stopped && job.record.failures().empty();
  Sample sample(seed, job.record.bytes(), verdict);
  Excuses excuses(store, volume, job.record, file_system.losses(), spoilt);
  const auto& stopped = file_system.losses().processors;
  for (std::uint32_t p = 0; p < job.workload->processors(); ++p) {
    if (std::ranges::find(stopped, p) != stopped.end()) {
      oracle->in_memory(p, [&](const workload::InMemory& read) { verdict.unchecked += bytes_of(read); });
      continue;
    }
    BufferCheck check(job, p, sample, excuses, verdict);
    oracle->in_memory(p, [&](workload::InMemory expected) {
      auto* const bytes = std::get_if<workload::BytesInMemory>(&expected);
      if (bytes && bytes->version == workload::Version::after && !finds_new) bytes->version = workload::Version::either;
      std::visit(check, expected);
    });
    check.finish();
  }
  MediumCheck check(store, volume, job, excuses, sample);
  for (std::uint32_t f = 0; f < volume.file_count(); ++f)
    oracle->on_medium(f, [&](const workload::ExpectedBytes& expected) {
      check(expected);
      if (job.workload->files()[f].written) verdict.bytes += expected.bytes;
    });
  nothing_else(store, volume, found);
  verdict.excused = excuses.excused();
  if (const auto fault = store.fault()) throw SimulationError("verification failed: ", *fault);
  return verdict;
}

}  // namespace sunstar::machine
