// SPDX-License-Identifier: MIT
#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "models/core/error.h"
#include "sw/file_systems/client_server.h"
#include "sw/file_systems/galley/client.h"
#include "sw/file_systems/galley/on_disk/inspection.h"
#include "sw/file_systems/galley/params.h"
#include "sw/file_systems/galley/programs.h"
#include "sw/file_systems/galley/server/server.h"

namespace sunstar::file_systems::galley {
namespace {

/// Galley (Nieuwejaar and Kotz 1997). docs/file-systems/galley.md follows one request.
class Galley final : public ClientServer<Params, Messages, Server, Client> {
 public:
  Galley(Run& run, const Params& params, Program program = {})
      : ClientServer(run, params), program_(std::move(program)) {}

  void start() override {
    if (!program_) {
      ClientServer::start();
      for (const auto& client : clients_) client->tells(numbers_);
    } else {
      start_servers();
    }
    for (const auto& server : servers_) server->knows(numbers_);
    if (!program_) return;
    running_ = static_cast<std::uint32_t>(run_.nodes.compute.size());
    ending_.emplace(run_, [this](std::uint32_t p) { return sync(p); });
    for (std::uint32_t p = 0; p < run_.nodes.compute.size(); ++p) {
      Gfs& gfs = libraries_.emplace_back(run_, messages(), params(), p);
      gfs.os().spawn(run(gfs, p), "program");
    }
  }

  // What the node was to bring about is missing.
  void stop(std::uint32_t processor) override {
    numbers_.call_failed();
    if (!program_) {
      ClientServer::stop(processor);
      return;
    }
    losses_.processors.push_back(processor);
    ending_->stopped(processor);
  }

  /// The workload's files that are there before the run, each with a fork on every disk.
  void format(io::Store& store) override {
    const io::Volume& volume = run_.volume;
    const auto forms = forms_of(store);
    require_room(forms);
    std::vector<FileOnDisks> files;
    for (std::uint32_t f = 0; f < volume.file_count(); ++f) {
      if (run_.job.workload->files()[f].created) continue;
      FileOnDisks file;
      file.name = name_of(f);
      const Declustering blocks = Declustering::cyclic(volume.units(), volume.block_bytes());
      for (std::uint32_t d = 0; d < volume.units(); ++d) {
        ForkOnDisk fork;
        fork.name = LinearFile::fork_name;
        fork.bytes = blocks.bytes_in(d, volume.file_bytes(f));
        for (std::uint64_t b = volume.first_on(d); b < volume.blocks(f); b = volume.next_on_unit(b)) {
          const std::uint64_t sector = volume.sector_of(f, b);
          if (sector % volume.sectors_per_block() != 0)
            throw ConfigError(
                "file_system.layout places blocks at any sector, but Galley divides its disks into whole "
                "blocks; set it to contiguous or random-blocks.");
          fork.blocks.push_back(static_cast<BlockNumber>(sector / volume.sectors_per_block()));
        }
        file.subfiles.push_back({fork});
      }
      files.push_back(std::move(file));
    }
    const auto images = make_images(forms, files);
    for (std::uint32_t d = 0; d < volume.units(); ++d)
      for (const auto& [block, bytes] : images[d])
        store.raw(d).write(std::uint64_t{block} * volume.sectors_per_block(), bytes);
  }

  std::optional<Contents> inspect(io::Store& store) const override {
    const io::Volume& before = run_.volume;
    const std::uint32_t per_block = before.sectors_per_block();
    std::vector<InspectedDisk> inspected;
    const auto forms = forms_of(store);
    for (std::uint32_t d = 0; d < before.units(); ++d)
      inspected.push_back(
          {forms[d], [&disk = store.raw(d), per_block](std::uint64_t block, std::span<std::byte> bytes) {
             disk.read(block * per_block, bytes);
           }});
    const Inspection found = galley::inspect(inspected);
    Contents contents{io::Volume(store, before.block_bytes()), {}};
    if (may_be_wrong(store, found)) {
      bool right = found.findings.empty();
      for (std::uint32_t f = 0; f < before.file_count() && right; ++f) right = bytes_of(f, found) == expected_bytes(f);
      if (!right) return as_servers_know(store);
    }
    if (!found.findings.empty()) throw SimulationError("Galley's structures on the disks: " + found.findings.front());
    for (std::uint32_t f = 0; f < before.file_count(); ++f) contents.volume.add(stored(f, found));
    for (const auto& blocks : found.metadata) {
      auto& structures = contents.structures.emplace_back();
      for (const BlockNumber block : blocks) structures.push_back({std::uint64_t{block} * per_block, per_block});
    }
    return contents;
  }

 private:
  /// Every file has its forks in every disk's table, and its own entry in one of them.
  void require_room(const std::vector<Form>& forms) const {
    const auto& files = run_.job.workload->files();
    const auto disks = static_cast<std::uint32_t>(forms.size());
    for (std::uint32_t p = 0; p < run_.job.workload->processors(); ++p)
      if (const auto wanted = run_.job.workload->fork_requests(p); wanted && wanted->forks > disks)
        throw ConfigError("workload.kind is forks, which has a fork on each of the " + std::to_string(wanted->forks) +
                          " disks (machine.disks); for Galley, this store (file_system.store.kind) has " +
                          std::to_string(disks) + ". Use a store without copies, spares or a disk for parity.");
    std::vector<std::size_t> entries(disks, files.size());
    for (const workload::FileSpec& file : files) {
      ++entries[home_disk(file.name, disks)];
      const std::uint64_t most = forms.front().most_bytes_of_fork();
      const std::uint64_t largest = Declustering::cyclic(disks, forms.front().block_bytes).bytes_in(0, file.bytes);
      if (largest > most)
        throw ConfigError("file '" + file.name + "' would have " + std::to_string(largest) +
                          " bytes on a disk; with blocks of " + std::to_string(forms.front().block_bytes) +
                          " bytes (file_system.block_size), a fork of Galley has at most " + std::to_string(most) +
                          ".");
    }
    const std::size_t needed = *std::ranges::max_element(entries);
    if (needed > params().entries)
      throw ConfigError("file_system.entries is " + std::to_string(params().entries) +
                        "; the workload's files and forks need " + std::to_string(needed) + " on one disk.");
  }
  std::vector<Form> forms_of(io::Store& store) const {
    const io::Volume& volume = run_.volume;
    std::vector<Form> forms;
    for (std::uint32_t d = 0; d < volume.units(); ++d) {
      forms.push_back(form_of(store.raw(d).shape().sectors, volume.sector_bytes(), volume.block_bytes(), params()));
      forms.back().check("disk " + std::to_string(d));
    }
    return forms;
  }
  const std::string& name_of(std::uint32_t file) const { return run_.job.workload->files()[file].name; }

  std::uint64_t expected_bytes(std::uint32_t f) const { return run_.job.workload->files()[f].bytes; }
  std::uint64_t bytes_of(std::uint32_t f, const Inspection& found) const {
    std::uint64_t bytes = 0;
    for (const FileOnDisks& file : found.files)
      if (file.name == name_of(f))
        for (const SubfileOnDisk& subfile : file.subfiles)
          for (const ForkOnDisk& fork : subfile) bytes += fork.bytes;
    return bytes;
  }

  /// Whether the structures on the disks may contradict themselves: somebody has been told of a failure, or a device
  /// has passed wrong bytes of theirs as good, or a node has stopped before it had done all.
  bool may_be_wrong(io::Store& store, const Inspection& found) const {
    if (!run_.job.record.failures().empty() || !losses_.processors.empty()) return true;
    if (std::ranges::any_of(run_.nodes.io, [](const io::IoNode& io) { return io.endpoint.os.off(); })) return true;
    const io::Volume& volume = run_.volume;
    for (std::uint32_t d = 0; d < volume.units(); ++d) {
      const io::Place& place = volume.place(d);
      if (servers_[place.io_processor]->catalogue().incomplete(place.unit)) return true;
      for (const BlockNumber block : found.metadata[d])
        for (std::uint64_t at = std::uint64_t{block} * volume.block_bytes(), end = at + volume.block_bytes(); at < end;
             at += volume.sector_bytes())
          if (store.raw(d).silently_wrong(at) > 0 || store.raw(d).lost_with_power(at) > 0 ||
              store.raw(d).delivered_wrong(at) > 0)
            return true;
    }
    return false;
  }

  /// The files where the servers had them at the end of the run. What else has been written, nobody can tell.
  Contents as_servers_know(io::Store& store) const {
    const io::Volume& before = run_.volume;
    const std::uint64_t per_block = before.sectors_per_block();
    Contents contents{io::Volume(store, before.block_bytes()), {}};
    for (std::uint32_t f = 0; f < before.file_count(); ++f) {
      io::StoredFile file{expected_bytes(f), {}};
      const std::uint64_t placed = before.blocks(f);  // none of a file that was to be created
      const std::uint64_t nowhere = (store.raw(0).shape().sectors / per_block - 1) * per_block;
      const auto id = numbers_.id_of(f);
      for (std::uint32_t d = 0; d < before.units(); ++d) {
        const io::Place& place = before.place(d);
        const Fork* const fork = id ? servers_[place.io_processor]->catalogue().fork_of(place.unit, *id) : nullptr;
        auto& addresses = file.on_unit.emplace_back();
        std::uint64_t i = 0;
        for (std::uint64_t b = before.first_on(d); b < before.blocks_in(file.bytes); b = before.next_on_unit(b), ++i) {
          if (fork && i < fork->blocks.size()) addresses.push_back(std::uint64_t{fork->blocks[i]} * per_block);
          else addresses.push_back(b < placed ? before.sector_of(f, b) : nowhere - i * per_block);
        }
      }
      contents.volume.add(std::move(file));
    }
    for (std::uint32_t d = 0; d < before.units(); ++d)
      contents.structures.push_back({{0, store.raw(d).shape().sectors}});
    return contents;
  }

  /// The linear file that a workload sees in a file of one fork on every disk.
  io::StoredFile stored(std::uint32_t f, const Inspection& found) const {
    io::StoredFile stored;
    for (const FileOnDisks& file : found.files) {
      if (file.name != name_of(f)) continue;
      for (const SubfileOnDisk& subfile : file.subfiles) {
        auto& addresses = stored.on_unit.emplace_back();
        for (const ForkOnDisk& fork : subfile) {
          stored.bytes += fork.bytes;
          for (const BlockNumber block : fork.blocks)
            addresses.push_back(std::uint64_t{block} * run_.volume.sectors_per_block());
        }
      }
    }
    const std::uint64_t expected = expected_bytes(f);
    if (stored.bytes != expected)
      throw SimulationError("file '" + name_of(f) + "' has " + std::to_string(stored.bytes) +
                            " bytes after the run; it should have " + std::to_string(expected));
    return stored;
  }

  os::Task<> run(Gfs& gfs, std::uint32_t processor) {
    run_.job.record.begin(gfs.os().now(), processor);
    co_await program_(gfs, processor);
    co_await ending_->program_ended(processor, --running_ == 0);
  }
  os::Task<> sync(std::uint32_t processor) { co_await libraries_[processor].gfs_sync(); }

  const Program program_;
  FileNumbers numbers_;
  std::deque<Gfs> libraries_;  // of processors that run a program
  std::uint32_t running_ = 0;
};

}  // namespace

std::unique_ptr<FileSystem> make(const Params& params, Run& run, Program program) {
  return std::make_unique<Galley>(run, params, std::move(program));
}

std::unique_ptr<FileSystem> make(const Params& params, Run& run) {
  require_whole_records(run);
  for (const workload::Collective& collective : run.job.workload->collectives())
    if (collective.selection && collective.selection->record_bytes > params.packet.count)
      throw ConfigError(run.job.workload->path(collective.team) + ".record_size: a record of " +
                        std::to_string(collective.selection->record_bytes) + " bytes does not fit into a message of " +
                        std::to_string(params.packet.count) +
                        " bytes (file_system.packet), and Galley sends whole records; choose smaller records or a "
                        "larger packet.");
  return std::make_unique<Galley>(run, params);
}

std::uint64_t reserved_sectors(const Params& params, std::uint64_t sectors, std::uint64_t sector_bytes,
                               std::uint32_t block_bytes) {
  return form_of(sectors, sector_bytes, block_bytes, params).first_data_block() * block_bytes / sector_bytes;
}

std::uint64_t memory(const Params& params, const Sizes& sizes) {
  const std::uint64_t packet = std::max<std::uint64_t>(params.packet.count, 64) + 64;
  return params.cache_blocks * sizes.block_bytes +
         (sizes.compute_processors * std::max<std::uint64_t>(sizes.disks_of_node, 1) + 2 * sizes.disks) * packet +
         sizes.compute_processors * sizeof(std::uint64_t) + 1024 + 2 * (answer_bytes(params) + 64);
}

}  // namespace sunstar::file_systems::galley
