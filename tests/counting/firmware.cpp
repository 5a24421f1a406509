// SPDX-License-Identifier: MIT
// The firmware of a small machine, for counting the instructions of its primitives: 16 compute processors and 4 I/O
// processors with a disk each, or six for a redundant store, in blocks of 8 KiB. It carries out one access pattern,
// checks that every byte is where it belongs, and prints the primitives with their calibrated cycles and how often each
// was carried out, as JSON.
//
//   firmware FILE-SYSTEM PATTERN RECORD-BYTES FILE-BYTES [gather | raid5 | raid6]
//
// A PATTERN that begins with `by-` distributes records by their bytes: by-cyclic, by-hash, by-range; half of them are
// filtered out. `strided-read` and `strided-write` are one strided request a fork, of records that go to the processors
// in turn.
#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>
#include <span>
#include <stdexcept>
#include <string>

#include "models/core/content/content.h"
#include "models/core/error.h"
#include "sw/messages/endpoint.h"
#include "sw/registry/file_systems.h"
#include "sw/workload/forks/params.h"
#include "sw/workload/pattern/params.h"
#include "sw/workload/records/params.h"
#include "tests/counting/machine.h"
#include "tests/support/fake_store.h"

namespace sunstar::counting {
namespace {

constexpr std::uint32_t compute = 16, io = 4, disks_of_array = 6, block = 8192, sectors_per_block = block / 512;
constexpr std::uint64_t reserved_at_most = 8192;  // sectors of a disk that a file system may keep for itself

/// Interrupts take a moment, so that what their handlers do has an end; all else is free.
os::Costs costs() {
  os::Costs all = test::free_of_charge();
  all.interrupt = Cycles{1};
  return all;
}

class Run {
 public:
  Run(const std::string& file_system, std::unique_ptr<workload::Workload> workload, const std::string& option)
      : workload_(std::move(workload)),
        blocks_((workload_->files().front().bytes + block - 1) / block),
        disks_(option.empty() || option == "gather" ? 1 : disks_of_array),
        machine_(compute + io, compute, disks_, reserved_at_most + (blocks_ / io + 1) * sectors_per_block),
        common_(costs()),
        store_(make_store(option, drives())),
        volume_(*store_, block) {
    file_systems::FileSystemParams params;
    if (!params.kind.choose(file_system)) throw std::runtime_error("there is no file system " + file_system);
    if (auto* direct = params.kind.if_is<file_systems::disk_directed::Params>()) direct->gather = option == "gather";
    for (std::size_t i = 0; i < machine_.size(); ++i) {
      executives_.push_back(std::make_unique<os::Os>(machine_[i], common_));
      endpoints_.push_back(std::make_unique<messages::Endpoint>(*executives_.back(), protocol_));
    }
    for (std::uint32_t p = 0; p < compute; ++p) nodes_.compute.push_back(endpoints_[p].get());
    for (std::uint32_t d = 0; d < io; ++d) nodes_.add_io(*endpoints_[compute + d], *store_, params.queue_order);
    io::StoredFile stored;
    stored.bytes = workload_->files().front().bytes;
    stored.on_unit.resize(volume_.units());
    const std::uint64_t reserved = file_systems::reserved_sectors(params, sectors(), 512);
    if (reserved > reserved_at_most) throw std::runtime_error("the disks are too small");
    for (std::uint64_t b = 0; b < blocks_; ++b)
      stored.on_unit[volume_.unit_of(b)].push_back(reserved + b / volume_.units() * sectors_per_block);
    volume_.add(std::move(stored));
    for (std::uint64_t b = 0; b < blocks_; ++b) {
      std::vector<std::byte> bytes(volume_.bytes_in_block(0, b));
      content::fill(0, 0, b * block, bytes);
      store_->raw(volume_.unit_of(b)).write(volume_.sector_of(0, b), bytes);
    }
    fill_memory();
    job_.workload = workload_.get();
    file_system_ = file_systems::make(params, run_);
    file_system_->format(*store_);
  }

  /// Returns how often each primitive was carried out. Not counted is what start() itself does: the start of all
  /// threads, and what the first compute processor does before it first waits.
  std::map<std::string, double> carry_out() {
    file_system_->start();
    const auto at_start = tallies();
    machine_.timeline.run();
    auto times = tallies();
    for (const auto& [name, n] : at_start) times[name] -= n;
    return times;
  }

  /// Throws unless every byte is where the workload's oracle expects it.
  void check() const {
    if (!job_.record.finished()) throw std::runtime_error("the run has not finished");
    const auto oracle = workload_->oracle();
    oracle->on_medium(0, [this](const workload::ExpectedBytes& all) {
      for (std::uint64_t at = all.offset; at < all.offset + all.bytes;) {
        workload::ExpectedBytes part = all;
        part.offset = at;
        part.bytes = std::min(all.offset + all.bytes, (at / block + 1) * block) - at;
        if (workload::first_wrong(part, on_disk(at, part.bytes)))
          throw std::runtime_error("the disks hold wrong bytes");
        at += part.bytes;
      }
    });
    std::uint64_t checked = 0;
    for (std::uint32_t p = 0; p < compute; ++p)
      oracle->in_memory(p, [&](const workload::InMemory& expected) {
        if (const auto* records = std::get_if<workload::RecordsInMemory>(&expected)) {
          const auto read = [&](std::uint64_t place, std::uint32_t bytes) {
            return content::Content(std::span(job_.memory[p].base + place, bytes));
          };
          if (workload::first_wrong(*records, read)) throw std::runtime_error("a memory holds wrong records");
          return;
        }
        const auto& bytes = std::get<workload::BytesInMemory>(expected);
        if (workload::first_wrong(bytes, content::Content(std::span(job_.memory[p].base + bytes.memory, bytes.bytes))))
          throw std::runtime_error("a memory holds wrong bytes");
        checked += bytes.bytes;
      });
    const bool reads = workload_->files().front().read && workload_->access_count() > 0;
    if (reads && checked != workload_->bytes_moved()) throw std::runtime_error("not all bytes were checked");
  }

 private:
  static std::unique_ptr<io::Store> make_store(const std::string& option, std::vector<io::Drive> drives) {
    io::redundant::Raid5 five;
    io::redundant::Raid6 six;
    five.stripe_unit = six.stripe_unit = {block};
    if (option == "raid5") return io::redundant::make(five, std::move(drives));
    if (option == "raid6") return io::redundant::make(six, std::move(drives));
    return io::plain::make({}, std::move(drives));
  }
  std::vector<io::Drive> drives() {
    std::vector<io::Drive> all;
    for (std::uint32_t d = 0; d < disks_; ++d)
      for (std::uint32_t i = 0; i < io; ++i)
        all.push_back({{i, d}, std::make_unique<test::BytesOfDisk>("disk", machine_[compute + i].disks[d].bytes)});
    return all;
  }
  std::uint64_t sectors() { return machine_[compute].disks.front().sectors(); }
  /// Bytes of the file within one block, as they lie on the store.
  content::Content on_disk(std::uint64_t offset, std::uint64_t bytes) const {
    const std::uint64_t b = offset / block, from = offset % block;
    content::Content whole;
    store_->raw(volume_.unit_of(b)).read(volume_.sector_of(0, b), static_cast<std::uint32_t>(from + bytes), whole);
    return whole.slice(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(bytes));
  }
  void fill_memory() {
    for (std::uint32_t p = 0; p < compute; ++p) {
      const std::uint64_t bytes = workload_->memory_bytes(p);
      job_.memory.push_back({machine_[p].allocate(bytes), bytes, &machine_[p].memory()});
      requests::Access a;
      for (const auto source = workload_->accesses(p); source->next(a);)
        if (a.operation == requests::Operation::write)
          content::fill(a.file, 1, a.offset, std::span(job_.memory[p].base + a.memory, a.bytes));
    }
  }
  std::map<std::string, double> tallies() const {
    StatisticSet set;
    for (const auto& os : executives_) os->add_statistics(set);
    std::map<std::string, double> times;
    set.for_each([&](const Statistic& s) {
      if (s.name.find(".count.") != std::string::npos)
        times[std::string(s.name.substr(s.name.rfind('.') + 1))] += s.value();
    });
    return times;
  }

  std::unique_ptr<workload::Workload> workload_;
  std::uint64_t blocks_;
  std::uint32_t disks_;  // of each I/O processor
  Machine machine_;
  os::Common common_;
  messages::Protocol protocol_;
  std::vector<std::unique_ptr<os::Os>> executives_;
  std::vector<std::unique_ptr<messages::Endpoint>> endpoints_;
  io::Nodes nodes_;
  std::unique_ptr<io::Store> store_;
  io::Volume volume_;
  workload::Job job_;
  file_systems::Run run_{protocol_, nodes_, volume_, job_};
  std::unique_ptr<file_systems::FileSystem> file_system_;
};

/// Prints, for each primitive in the order of its mark, the calibrated cycles and how often it was carried out.
void print(std::map<std::string, double> times) {
  const os::CostTable calibrated = os::Costs{}.table();
  for (std::size_t i = 0; i < os::common_cost_count; ++i)
    std::printf("%s\n  {\"name\": \"%s\", \"calibrated\": %g, \"times\": %.0f}", i == 0 ? "[" : ",", os::cost_names[i],
                calibrated[i].count, times[os::cost_names[i]]);
  std::printf("\n]\n");
}

std::unique_ptr<workload::Workload> workload_of(const std::string& pattern, Bytes record, Bytes file) {
  if (pattern.starts_with("strided-")) {
    workload::ForksParams params;
    params.interface = workload::ForkInterface::strided;
    params.record_size = record;
    params.fork_size = {file.count / io};
    if (pattern == "strided-write") params.operation = workload::ForkOperation::overwrite;
    if (pattern == "strided-create") params.operation = workload::ForkOperation::create;
    return workload::make(params, {compute, io, io, block});
  }
  if (!pattern.starts_with("by-")) return workload::make(workload::PatternParams{pattern, record, file, ""}, {compute});
  workload::RecordsParams params;
  params.record_size = record;
  params.file_size = file;
  params.discard = 0.5;
  if (pattern == "by-hash") params.function = workload::RecordFunction::hash;
  if (pattern == "by-range") params.function = workload::RecordFunction::range;
  return workload::make(params, {compute});
}

int run(const std::vector<std::string>& words) {
  const std::string option = words.size() == 5 ? words[4] : "";
  const bool known = option.empty() || option == "gather" || option == "raid5" || option == "raid6";
  if (words.size() < 4 || words.size() > 5 || !known) {
    std::cerr << "usage: firmware FILE-SYSTEM PATTERN RECORD-BYTES FILE-BYTES [gather | raid5 | raid6]\n";
    return 2;
  }
  Run run(words[0], workload_of(words[1], {std::stoull(words[2])}, {std::stoull(words[3])}), option);
  const auto times = run.carry_out();
  run.check();
  print(times);
  return 0;
}

}  // namespace
}  // namespace sunstar::counting

int main(int argc, char** argv) try {
  return sunstar::counting::run({argv + 1, argv + argc});
} catch (const std::exception& error) {
  std::cerr << "firmware: " << error.what() << '\n';
  return 4;
}
