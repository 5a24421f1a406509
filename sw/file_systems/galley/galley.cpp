// SPDX-License-Identifier: MIT
#include "sw/file_systems/client_server.h"
#include "sw/file_systems/galley/gfs/gfs.h"
#include "sw/file_systems/galley/libraries/linear_file.h"
#include "sw/file_systems/galley/on_disk/inspection.h"
#include "sw/file_systems/galley/params.h"
#include "sw/file_systems/galley/server/file_numbers.h"
#include "sw/file_systems/galley/server/server.h"

namespace sunstar::file_systems::galley {

namespace {

/// That of a call, or of requests for forks.
template <class Wanted>
Gfs::Direction direction(const Wanted& wanted) {
  return wanted.operation == requests::Operation::read ? Gfs::Direction::read : Gfs::Direction::write;
}
/// The calls of a workload that a record amounts to: one for each block that it touches.
std::uint64_t calls_of(const workload::ForkRequests& requests, std::uint64_t offset, std::uint64_t block) {
  return (offset + requests.record - 1) / block - offset / block + 1;
}
std::int64_t signed_bytes(std::uint64_t n) { return static_cast<std::int64_t>(n); }

/// The program of a workload on a compute processor. It opens the workload's files, each with a subfile on every disk,
/// before the run's first request, and makes its calls: those of linear files through the library for them, requests
/// for forks as the measurements of the paper do (6.2 to 6.4). The run ends with gfs_sync().
class Client final : public ComputeProcessor {
 public:
  Client(Run& run, const Messages& messages, const Params& params, workload::Team& team, std::uint32_t processor)
      : ComputeProcessor(run, team, processor),
        job_(run.job),
        volume_(run.volume),
        list_calls_(params.list_calls),
        gfs_(run, messages, params, processor) {}

  os::Task<> run() {
    co_await open_files();
    if (const auto requests = job_.workload->fork_requests(processor_)) {
      co_await team_.wait(processor_);
      co_await os_.sleep_until(os_.now() + job_.delay(processor_));
      const LinearFile& file = files_[requests->file];
      if (requests->permissions > 0) gfs_.gfs_set_permissions(requests->permissions);
      if (requests->interface == workload::ForkInterface::traditional) co_await one_by_one(*requests, file);
      else co_await all_at_once(*requests, file);
      co_await team_.wait(processor_);
    } else if (selects(*job_.workload, team_.number())) {
      co_await make_collectives(
          [this](const workload::Collective& collective, std::uint32_t) { return select_records(collective); },
          [this](const workload::Collective& collective, const workload::Gone&) {
            // A processor that is gone may have read any record, and sent none.
            job_.record.failed({collective.file, collective.operation, 0, volume_.file_bytes(collective.file),
                                hal::Status::no_answer});
            return hal::Status::no_answer;
          });
    } else {
      co_await make_calls([this](const requests::Access& one, requests::Calls& calls) { return call(one, calls); });
    }
  }

  os::Task<> sync() {
    const Answer synced = co_await gfs_.gfs_sync();  // the servers have noted what is lost
    if (synced.error == Error::none) co_return;
    for (std::uint32_t i = 0; i < run_.nodes.io.size(); ++i)
      if (endpoint_.peers().was_lost(run_.nodes.io[i].endpoint.id())) job_.record.unsynced(i);
  }

  /// Tells `files` which files it opens, and what has failed.
  void tells(FileNumbers& files) { numbers_ = &files; }

 private:
  // The first processor of a team that has the file to itself creates it.
  os::Task<> open_files() {
    const auto& files = job_.workload->files();
    const Declustering blocks = Declustering::cyclic(volume_.units(), volume_.block_bytes());
    const auto requests = job_.workload->fork_requests(processor_);
    for (std::uint32_t f = 0; f < files.size(); ++f) files_.emplace_back(gfs_, blocks);
    const std::uint32_t mine = requests ? requests->file : 0;
    const bool creates = requests && files[mine].created, leads = team_.leads(processor_);
    if (creates && leads) {
      const Error error = co_await files_[mine].create(files[mine].name);
      opened(mine, error, "created");
    }
    if (creates) co_await team_.wait(processor_);
    for (std::uint32_t f = 0; f < files.size(); ++f) {
      if (requests && (f != mine || (creates && leads))) continue;
      if (files[f].created && !requests) continue;
      const Error error = co_await files_[f].open(files[f].name);
      opened(f, error, "opened");
    }
  }

  // Calls that follow one another may be one list request (5.4).
  os::Task<> call(const requests::Access& first, requests::Calls& calls) {
    const Time start = os_.now();
    job_.record.begin(start, processor_);
    requests::Access one = first;
    std::vector<gfs_list_entry> list;
    std::uint64_t bytes = 0;
    do {
      list.push_back({signed_bytes(one.offset), signed_bytes(one.memory), signed_bytes(one.bytes)});
      bytes += one.bytes;
    } while (list.size() < list_calls_ && calls.continues(one));
    std::vector<Extent> missing;
    const Answer answer = co_await files_[first.file].move(direction(first), list, &missing);
    if (answer.error != Error::none && missing.empty())
      for (const auto& piece : list)
        missing.push_back({static_cast<std::uint64_t>(piece.f_off), static_cast<std::uint64_t>(piece.size)});
    std::vector<requests::Failed> failed;
    for (const Extent& part : missing) failed.push_back({first.file, first.operation, part.offset, part.bytes});
    ended(answer, start, list.size(), bytes, std::move(failed), &first);
  }

  // Every processor asks every fork for its records: the I/O processors choose them (the paper's future work).
  os::Task<hal::Status> select_records(const workload::Collective& collective) {
    const LinearFile& file = files_[collective.file];
    const std::uint32_t forks = volume_.units();
    const std::uint64_t bytes = job_.workload->files()[collective.file].bytes;
    const Declustering blocks = Declustering::cyclic(forks, volume_.block_bytes());
    std::vector<Gfs::Pending> pending;
    for (std::uint32_t f = 0; f < forks; ++f) {
      Gfs::Pending one =
          co_await gfs_.gfs_begin_selected(file.fork(f), 0, static_cast<std::int64_t>(blocks.bytes_in(f, bytes)),
                                           *collective.selection, processor_, forks, f);
      pending.push_back(std::move(one));
    }
    hal::Status status = hal::Status::ok;
    std::uint64_t lost = 0;
    for (std::uint32_t f = 0; f < forks; ++f) {
      const Answer answer = co_await gfs_.gfs_wait(*pending[f]);
      if (answer.error == Error::none) continue;
      status = status_of(answer, collective.file);
      std::vector<requests::Failed> failed;
      for (const Extent& part : missing(answer, *pending[f], blocks.bytes_in(f, bytes)))
        add(failed, collective.file, requests::Operation::read, f, part.offset, part.bytes);
      for (requests::Failed& part : failed) {
        part.status = status;
        lost += part.bytes;
        job_.record.failed(part);
      }
    }
    if (!team_.leads(processor_)) co_return status;
    if (lost > 0) job_.record.not_moved(lost);
    job_.record.moved(bytes - lost);
    job_.record.progress(bytes);
    co_return status;
  }

  // A request to every fork at the same time; when one ends, the next one to that fork (6.3).
  os::Task<> one_by_one(const workload::ForkRequests& r, const LinearFile& file) {
    struct Stream {
      std::uint64_t next = 0;
      Time start{};
    };
    std::vector<Stream> streams(r.forks);
    std::vector<Gfs::Pending> pending(r.forks);
    std::uint64_t left = r.forks * r.quant;
    const auto begin = [&](std::size_t f) {
      Stream& stream = streams[f];
      const std::uint64_t memory = r.memory + f * r.memory_of_fork + stream.next * r.m_stride;
      const std::uint64_t offset = r.offset + stream.next * r.f_stride;
      stream.start = os_.now();
      job_.record.begin(stream.start, processor_);
      return gfs_.gfs_begin(direction(r), file.fork(static_cast<std::uint32_t>(f)), signed_bytes(memory),
                            signed_bytes(offset), signed_bytes(r.record));
    };
    for (std::size_t f = 0; f < r.forks && r.quant > 0; ++f) pending[f] = co_await begin(f);
    for (; left > 0; --left) {
      const std::size_t f = co_await gfs_.gfs_wait_any(pending);
      const Answer answer = co_await gfs_.gfs_wait(*pending[f]);
      Stream& stream = streams[f];
      const std::uint64_t offset = r.offset + stream.next * r.f_stride;
      std::vector<requests::Failed> failed;
      for (const Extent& part : missing(answer, *pending[f], r.record))
        add(failed, r.file, r.operation, static_cast<std::uint32_t>(f), offset + part.offset, part.bytes);
      ended(answer, stream.start, calls_of(r, offset, volume_.block_bytes()), r.record, std::move(failed));
      if (++stream.next < r.quant) pending[f] = co_await begin(f);
      else pending[f].reset();
    }
  }

  /// Begins a request for all records of a fork, in one of the forms of section 5.
  os::Task<Gfs::Pending> begin_all(const workload::ForkRequests& r, int fork, std::int64_t memory) {
    const std::int64_t offset = signed_bytes(r.offset), record = signed_bytes(r.record);
    const stride level{signed_bytes(r.f_stride), signed_bytes(r.m_stride), signed_bytes(r.quant)};
    if (r.interface == workload::ForkInterface::nested)
      return gfs_.gfs_begin_nested(direction(r), fork, memory, offset, record, {&level, 1});
    if (r.interface == workload::ForkInterface::batched) {
      const gfs_batch batch{.f_off = offset,
                            .quant = level.quant,
                            .f_stride = level.f_stride,
                            .m_stride = level.m_stride,
                            .size = record};
      return gfs_.gfs_begin_batched(direction(r), fork, memory, {&batch, 1});
    }
    if (r.interface == workload::ForkInterface::list) {
      std::vector<gfs_list_entry> list;
      for (std::int64_t i = 0; i < level.quant; ++i)
        list.push_back({offset + i * level.f_stride, memory + i * level.m_stride, record});
      return gfs_.gfs_begin_list(direction(r), fork, list);
    }
    return gfs_.gfs_begin_strided(direction(r), fork, memory, offset, record, level.f_stride, level.m_stride,
                                  level.quant);
  }

  // One request to every fork for everything (6.4).
  os::Task<> all_at_once(const workload::ForkRequests& r, const LinearFile& file) {
    std::vector<Gfs::Pending> pending;
    const Time start = os_.now();
    job_.record.begin(start, processor_);
    for (std::uint32_t f = 0; f < r.forks; ++f) {
      Gfs::Pending one = co_await begin_all(r, file.fork(f), signed_bytes(r.memory + f * r.memory_of_fork));
      pending.push_back(std::move(one));
    }
    std::uint64_t calls = 0;
    for (std::uint64_t i = 0; i < r.quant; ++i) calls += calls_of(r, r.offset + i * r.f_stride, volume_.block_bytes());
    for (std::uint32_t f = 0; f < r.forks; ++f) {
      const Answer answer = co_await gfs_.gfs_wait(*pending[f]);
      std::vector<requests::Failed> failed;
      for (const Extent& part : missing(answer, *pending[f], r.record * r.quant))
        for (std::uint64_t at = part.offset, end = at + part.bytes; at < end;) {
          const std::uint64_t in_record = at % r.record, some = std::min(r.record - in_record, end - at);
          add(failed, r.file, r.operation, f, r.offset + at / r.record * r.f_stride + in_record, some);
          at += some;
        }
      ended(answer, start, calls, r.record * r.quant, std::move(failed));
    }
  }

  /// Creating or opening a file has ended, well or not.
  // The application's calls on a file that is not open fail.
  void opened(std::uint32_t file, Error error, const char* what_was_done) {
    if (const std::uint64_t id = files_[file].id(); id != 0)
      numbers_->opened(id, {file, job_.workload->files()[file].bytes});
    if (error == Error::none) return;
    if (error == Error::io_error || error == Error::damaged) numbers_->call_failed();
    if (!numbers_->has_call_failed())
      throw SimulationError("file '", job_.workload->files()[file].name, "' cannot be ", what_was_done, ": ",
                            what(error));
  }

  /// What a failed call on the file returns. Throws SimulationError if no disk is to blame.
  hal::Status status_of(const Answer& answer, std::uint32_t file) {
    if (answer.error == Error::io_error || answer.error == Error::damaged) numbers_->call_failed();
    if (!numbers_->has_call_failed()) throw SimulationError("a transfer of Galley has failed: ", what(answer.error));
    const hal::Status status = answer.error == Error::not_open ? files_[file].status() : answer.status;
    return status == hal::Status::ok ? hal::Status::refused : status;
  }

  /// Calls for `bytes` in all have ended without moving `failed`.
  void ended(const Answer& answer, Time start, std::uint64_t calls, std::uint64_t bytes,
             std::vector<requests::Failed> failed, const requests::Access* call = nullptr) {
    requests::Ended ended{processor_, start, os_.now(), calls, bytes, call};
    std::uint64_t lost = 0;
    if (answer.error != Error::none) [[unlikely]] {
      ended.status = status_of(answer, failed.empty() ? 0 : failed.front().file);
      for (requests::Failed& part : failed) {
        part.status = ended.status;
        lost += part.bytes;
        job_.record.failed(part);
      }
      job_.record.not_moved(lost);
    } else if (answer.bytes != bytes) {
      throw SimulationError("a transfer of Galley has moved ", answer.bytes, " of ", bytes, " bytes");
    }
    job_.record.moved(bytes - lost);
    job_.record.progress(bytes);
    job_.record.end(ended);
  }

  /// Adds what is missing at `offset` of the file's fork on a disk.
  void add(std::vector<requests::Failed>& failed, std::uint32_t file, requests::Operation operation, std::uint32_t disk,
           std::uint64_t offset, std::uint64_t bytes) {
    for_each_part_of_file(volume_, job_.workload->files()[file].bytes, {file, operation}, disk, offset, bytes,
                          [&](const requests::Failed& part) { failed.push_back(part); });
  }

  /// The parts of a stream of `bytes` that a transfer has not moved.
  static std::vector<Extent> missing(const Answer& answer, const Gfs::Transfer& transfer, std::uint64_t bytes) {
    if (answer.error == Error::none) return {};
    return transfer.missing().empty() ? std::vector<Extent>{{0, bytes}} : transfer.missing();
  }

  workload::Job& job_;
  io::Volume& volume_;
  const std::uint32_t list_calls_;
  Gfs gfs_;
  std::deque<LinearFile> files_;
  FileNumbers* numbers_ = nullptr;
};

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

  // The stopped node's calls count as failed.
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
                "file_system.layout places blocks at any sector, but Galley divides its disks into whole blocks; set "
                "it to contiguous or random-blocks.");
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
    if (!found.findings.empty()) throw SimulationError("Galley's structures on the disks: ", found.findings.front());
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
        throw ConfigError("workload.kind is forks, which has a fork on each of the ", wanted->forks,
                          " disks (machine.disks); for Galley, this store (file_system.store.kind) has ", disks,
                          ". Use a store without copies, spares or a disk for parity.");
    std::vector<std::size_t> entries(disks, files.size());
    for (const workload::FileSpec& file : files) {
      ++entries[home_disk(file.name, disks)];
      const std::uint64_t most = forms.front().most_bytes_of_fork();
      const std::uint64_t largest = Declustering::cyclic(disks, forms.front().block_bytes).bytes_in(0, file.bytes);
      if (largest > most)
        throw ConfigError("file '", file.name, "' would have ", largest, " bytes on a disk; with blocks of ",
                          forms.front().block_bytes, " bytes (file_system.block_size), a fork of Galley has at most ",
                          most, ".");
    }
    const std::size_t needed = *std::ranges::max_element(entries);
    if (needed > params().entries)
      throw ConfigError("file_system.entries is ", params().entries, "; the workload's files and forks need ", needed,
                        " on one disk.");
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

  /// The files where the servers had them at the end of the run; nothing tells what else was written.
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
      throw SimulationError("file '", name_of(f), "' has ", stored.bytes, " bytes after the run; it should have ",
                            expected);
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
      throw ConfigError(
          run.job.workload->path(collective.team), ".record_size: a record of ", collective.selection->record_bytes,
          " bytes does not fit into a message of ", params.packet.count,
          " bytes (file_system.packet), and Galley sends whole records; choose smaller records or a larger packet.");
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
