// SPDX-License-Identifier: MIT
#include "sw/file_systems/galley/client.h"

#include <algorithm>
#include <utility>

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
    const LinearFile& file = files_[requests->file];
    if (requests->one_request) co_await all_at_once(*requests, file);
    else co_await one_by_one(*requests, file);
    co_await team_.wait(processor_);
  } else if (selects(*job_.workload, team_.number())) {
    co_await make_collectives(
        [this](const workload::Collective& collective, std::uint32_t) { return select_records(collective); },
        [this](const workload::Collective& collective, const workload::Gone&) {
          // Whoever is gone may have read any record, and sent none.
          job_.record.failed(
              {collective.file, collective.operation, 0, volume_.file_bytes(collective.file), hal::Status::no_answer});
          return hal::Status::no_answer;
        });
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

os::Task<> Client::sync() {
  const Answer synced = co_await gfs_.gfs_sync();  // the servers have noted what is lost
  if (synced.error == Error::none) co_return;
  for (std::uint32_t i = 0; i < run_.nodes.io.size(); ++i)
    if (endpoint_.peers().was_lost(run_.nodes.io[i].endpoint.id())) job_.record.unsynced(i);
}

// What the application does with a file that is not open fails.
void Client::opened(std::uint32_t file, Error error, const char* what_was_done) {
  if (const std::uint64_t id = files_[file].id(); id != 0)
    numbers_->opened(id, {file, job_.workload->files()[file].bytes});
  if (error == Error::none) return;
  if (error == Error::io_error || error == Error::damaged) numbers_->call_failed();
  if (!numbers_->has_call_failed())
    throw SimulationError("file '" + job_.workload->files()[file].name + "' cannot be " + what_was_done + ": " +
                          what(error));
}

hal::Status Client::status_of(const Answer& answer, std::uint32_t file) {
  if (answer.error == Error::io_error || answer.error == Error::damaged) numbers_->call_failed();
  if (!numbers_->has_call_failed())
    throw SimulationError("a transfer of Galley has failed: " + std::string(what(answer.error)));
  const hal::Status status = answer.error == Error::not_open ? files_[file].status() : answer.status;
  return status == hal::Status::ok ? hal::Status::refused : status;
}

void Client::add(std::vector<requests::Failed>& failed, std::uint32_t file, requests::Operation operation,
                 std::uint32_t disk, std::uint64_t offset, std::uint64_t bytes) {
  for_each_part_of_file(volume_, job_.workload->files()[file].bytes, {file, operation}, disk, offset, bytes,
                        [&](const requests::Failed& part) { failed.push_back(part); });
}

std::vector<Extent> Client::missing(const Answer& answer, const Gfs::Transfer& transfer, std::uint64_t bytes) {
  if (answer.error == Error::none) return {};
  return transfer.missing().empty() ? std::vector<Extent>{{0, bytes}} : transfer.missing();
}

void Client::ended(const Answer& answer, Time start, std::uint64_t calls, std::uint64_t bytes,
                   std::vector<requests::Failed> failed, const requests::Access* call) {
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
    throw SimulationError("a transfer of Galley has moved " + std::to_string(answer.bytes) + " of " +
                          std::to_string(bytes) + " bytes");
  }
  job_.record.moved(bytes - lost);
  job_.record.progress(bytes);
  job_.record.end(ended);
}

os::Task<> Client::call(const requests::Access& access) {
  const Time start = os_.now();
  job_.record.begin(start, processor_);
  LinearFile& file = files_[access.file];
  std::vector<Extent> missing;
  Answer answer;
  if (access.operation == requests::Operation::read)
    answer = co_await file.read(access.memory, access.offset, access.bytes, &missing);
  else answer = co_await file.write(access.memory, access.offset, access.bytes, &missing);
  if (answer.error != Error::none && missing.empty()) missing.push_back({access.offset, access.bytes});
  std::vector<requests::Failed> failed;
  for (const Extent& part : missing) failed.push_back({access.file, access.operation, part.offset, part.bytes});
  ended(answer, start, 1, access.bytes, std::move(failed), &access);
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
    std::vector<requests::Failed> failed;
    for (const Extent& part : missing(answer, *pending[f], r.record))
      add(failed, r.file, r.operation, static_cast<std::uint32_t>(f), offset + part.offset, part.bytes);
    ended(answer, stream.start, calls_of(r, offset, volume_.block_bytes()), r.record, std::move(failed));
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

}  // namespace sunstar::file_systems::galley
