// SPDX-License-Identifier: MIT
#include "sw/file_systems/galley/client.h"

#include "models/core/error.h"

namespace sunstar::file_systems::galley {

Client::Client(Run& run, const Messages& messages, const Params& params, workload::Team& team, std::uint32_t processor)
    : ComputeProcessor(run, team, processor),
      job_(run.job),
      volume_(run.volume),
      gfs_(run, messages, params, processor) {}

os::Task<> Client::run() {
  co_await open_files();
  if (const auto requests = job_.workload->fork_requests(processor_)) {
    co_await team_.wait(processor_);
    co_await os_.sleep_until(os_.now() + job_.delay(processor_));
    co_await request_forks(*requests);
    co_await team_.wait(processor_);
  } else if (selects(*job_.workload, team_.number())) {
    co_await make_collectives(
        [this](const workload::Collective& collective, std::uint32_t) { return select_records(collective); });
  } else {
    co_await make_calls([this](const requests::Access& access) { return call(access); });
  }
}

// The first processor of a team that has the file to itself creates it.
os::Task<> Client::open_files() {
  const auto& files = job_.workload->files();
  const Declustering blocks = Declustering::cyclic(volume_.units(), volume_.block_bytes());
  const auto requests = job_.workload->fork_requests(processor_);
  for (std::uint32_t f = 0; f < files.size(); ++f) files_.emplace_back(gfs_, blocks);
  const std::uint32_t mine = requests ? requests->file : 0;
  const bool creates = requests && files[mine].created;
  if (creates && team_.leads(processor_)) {
    const Error error = co_await files_[mine].create(files[mine].name);
    if (error != Error::none)
      throw SimulationError("file '" + files[mine].name + "' cannot be created: " + what(error));
  }
  if (creates) co_await team_.wait(processor_);
  for (std::uint32_t f = 0; f < files.size(); ++f) {
    if (requests && (f != mine || (creates && team_.leads(processor_)))) continue;
    if (files[f].created && !requests) continue;
    const Error error = co_await files_[f].open(files[f].name);
    if (error != Error::none) throw SimulationError("file '" + files[f].name + "' cannot be opened: " + what(error));
  }
}

void Client::ended(const Answer& answer, Time start, std::uint64_t calls, std::uint64_t bytes,
                   const requests::Access* call) {
  if (answer.error != Error::none || answer.bytes != bytes)
    throw SimulationError("a transfer of Galley has failed: " + std::string(what(answer.error)) + " (" +
                          std::to_string(answer.bytes) + " of " + std::to_string(bytes) + " bytes were moved)");
  job_.record.moved(bytes);
  job_.record.progress(bytes);
  job_.record.end({processor_, start, os_.now(), calls, bytes, call});
}

os::Task<> Client::call(const requests::Access& access) {
  const Time start = os_.now();
  job_.record.begin(start, processor_);
  LinearFile& file = files_[access.file];
  Answer answer;
  if (access.operation == requests::Operation::read)
    answer = co_await file.read(access.memory, access.offset, access.bytes);
  else answer = co_await file.write(access.memory, access.offset, access.bytes);
  ended(answer, start, 1, access.bytes, &access);
}

// Every processor asks every fork for its records: the I/O processors choose them (the paper's future work).
os::Task<hal::Status> Client::select_records(const workload::Collective& collective) {
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
  for (const Gfs::Pending& one : pending) {
    const Answer answer = co_await gfs_.gfs_wait(*one);
    if (answer.error != Error::none)
      throw SimulationError("a transfer of Galley has failed: " + std::string(what(answer.error)));
  }
  if (!team_.leads(processor_)) co_return hal::Status::ok;
  job_.record.moved(bytes);
  job_.record.progress(bytes);
  co_return hal::Status::ok;
}

os::Task<> Client::request_forks(workload::ForkRequests requests) {
  const LinearFile& file = files_[requests.file];
  if (requests.one_request) co_await all_at_once(requests, file);
  else co_await one_by_one(requests, file);
}

namespace {
Gfs::Direction direction(const workload::ForkRequests& requests) {
  return requests.operation == requests::Operation::read ? Gfs::Direction::read : Gfs::Direction::write;
}
/// The calls of a workload that a record amounts to: one for each block that it touches.
std::uint64_t calls_of(const workload::ForkRequests& requests, std::uint64_t offset, std::uint64_t block) {
  return (offset + requests.record - 1) / block - offset / block + 1;
}
std::int64_t signed_bytes(std::uint64_t n) { return static_cast<std::int64_t>(n); }
}  // namespace

// A request to every fork at the same time; when one ends, the next one to that fork (6.3).
os::Task<> Client::one_by_one(const workload::ForkRequests& r, const LinearFile& file) {
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
    ended(answer, stream.start, calls_of(r, offset, volume_.block_bytes()), r.record);
    if (++stream.next < r.quant) pending[f] = co_await begin(f);
    else pending[f].reset();
  }
}

// One request to every fork for everything (6.4).
os::Task<> Client::all_at_once(const workload::ForkRequests& r, const LinearFile& file) {
  std::vector<Gfs::Pending> pending;
  const Time start = os_.now();
  job_.record.begin(start, processor_);
  for (std::uint32_t f = 0; f < r.forks; ++f) {
    Gfs::Pending one = co_await gfs_.gfs_begin_strided(
        direction(r), file.fork(f), signed_bytes(r.memory + f * r.memory_of_fork), signed_bytes(r.offset),
        signed_bytes(r.record), signed_bytes(r.f_stride), signed_bytes(r.m_stride), signed_bytes(r.quant));
    pending.push_back(std::move(one));
  }
  std::uint64_t calls = 0;
  for (std::uint64_t i = 0; i < r.quant; ++i) calls += calls_of(r, r.offset + i * r.f_stride, volume_.block_bytes());
  for (const Gfs::Pending& one : pending) {
    const Answer answer = co_await gfs_.gfs_wait(*one);
    ended(answer, start, calls, r.record * r.quant);
  }
}

}  // namespace sunstar::file_systems::galley
