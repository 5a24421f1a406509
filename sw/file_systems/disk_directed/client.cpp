// SPDX-License-Identifier: MIT
#include "sw/file_systems/disk_directed/client.h"

namespace sunstar::file_systems::disk_directed {

Client::Client(Run& run, const Messages& messages, const Params& params, workload::Team& team, std::uint32_t processor)
    : ComputeProcessor(run, team, processor),
      messages_(messages),
      filter_at_(params.filter_at),
      lists_(run, messages.list, processor) {
  endpoint_.offer(memory_, params.gather ? packed_bytes(run.volume.block_bytes()) : 0);
}

os::Task<> Client::run() {
  return make_collectives(
      [this](const workload::Collective& collective, std::uint32_t number) { return carry_out(collective, number); },
      [this](const workload::Collective& collective, const workload::Gone& gone) { return missing(collective, gone); });
}

os::Task<hal::Status> Client::carry_out(const workload::Collective& collective, std::uint32_t number) {
  if (collective.mapping->listed()) {
    const io::Volume& volume = run_.volume;
    BlockMovers movers{{}, [&](std::uint64_t block) { return volume.server_of(block); }, volume.units()};
    for (io::IoNode& io : run_.nodes.io) movers.nodes.push_back(&io.endpoint);
    co_await lists_.send(*collective.mapping, number, movers);
  }
  hal::Status status = hal::Status::ok;
  if (team_.leads(processor_)) status = co_await request(collective, number);
  if (!collective.selection || filter_at_ != FilterAt::compute_processor) co_return status;
  co_await team_.wait(processor_);  // all records are there
  filter(*collective.selection);
  co_await os_.settle();
  co_return status;
}

void Client::filter(const requests::Selection& selection) {
  const std::uint32_t size = selection.record_bytes;
  std::vector<std::byte> record;
  std::uint64_t end = 0;
  for (std::uint64_t at = 0; at < memory_.appended; at += size) {
    if (!selection.keeps(os_.memory().look(memory_.base + at, size, record))) continue;
    if (end != at) messages::copy_piece(os_.memory(), memory_.base + end, memory_.base + at, size);
    end += size;
  }
  selection.charge_filter(os_, memory_.appended / size);
  endpoint_.charge_for_pieces(end / size, end);
  memory_.appended = end;
}

// The leader is gone, and the I/O processors' replies with it: nothing counts as moved.
hal::Status Client::missing(const workload::Collective& collective, const workload::Gone& gone) {
  if (!gone.leader) return hal::Status::ok;
  for (std::uint32_t i = 0; i < run_.nodes.io.size(); ++i) note_gone(collective, i);
  return hal::Status::no_answer;
}

os::Task<hal::Status> Client::request(const requests::Transfer& wanted, std::uint32_t number) {
  const requests::Words words = wanted.words();
  const auto bytes = static_cast<std::uint32_t>(words.size() * sizeof words.front());
  if (bytes > description_bytes_) {
    description_ = os_.node().allocate(bytes);
    description_bytes_ = bytes;
  }
  os_.memory().put(description_, words.data(), bytes);
  os_.charge(os::Cost::copy_per_byte, bytes);
  while (replies_.size() < run_.nodes.io.size()) replies_.emplace_back(endpoint_);
  if (!failures_) failures_ = os_.node().allocate(replies_.size() * failure_list);
  for (std::size_t i = 0; i < replies_.size(); ++i) {
    const hal::NodeId server = run_.nodes.io[i].endpoint.id();
    std::byte* const failures = failures_ + i * failure_list;
    os_.memory().clear(failures, sizeof(FailedRange));
    const CollectiveRequest request{number, team_.processors(), replies_[i].expect(server, failures)};
    endpoint_.count_list(bytes);
    co_await os_.send(messages_.collective.message(server, request, description_, bytes));
  }
  hal::Status worst = hal::Status::ok;
  for (std::size_t i = 0; i < replies_.size(); ++i) {
    while (replies_[i].outstanding()) co_await replies_[i].arrival();
    const hal::Status status = replies_[i].take_status();
    if (status == hal::Status::ok) continue;
    worst = status;
    const bool told = note_failures(wanted, status, failures_ + i * failure_list);
    if (!told) note_gone(wanted, static_cast<std::uint32_t>(i));
  }
  co_return worst;
}

// Returns whether the I/O processor has listed any failure.
bool Client::note_failures(const requests::Transfer& wanted, hal::Status status, const std::byte* list) {
  std::array<FailedRange, failure_list / sizeof(FailedRange)> ranges;
  std::vector<std::byte> room;
  std::memcpy(ranges.data(), os_.memory().look(list, failure_list, room), failure_list);
  for (const FailedRange& range : ranges) {
    if (range.bytes == 0) break;
    run_.record.failed({wanted.file, wanted.operation, range.offset, range.bytes, status});
  }
  return ranges.front().bytes > 0;
}

// The I/O processor may have moved some of it.
void Client::note_gone(const requests::Transfer& wanted, std::uint32_t io_processor) {
  const io::Volume& volume = run_.volume;
  for (std::uint64_t block = 0; block < volume.blocks(wanted.file); ++block) {
    const std::uint64_t offset = block * volume.block_bytes(), bytes = volume.bytes_in_block(wanted.file, block);
    if (volume.place_of(block).io_processor == io_processor && wanted.mapping->touches(offset, bytes))
      run_.record.failed({wanted.file, wanted.operation, offset, bytes, hal::Status::no_answer});
  }
}

/// Disk-directed I/O (TR94-226, sections 3 and 4): the compute processors hand one collective request to all I/O
/// processors, which move the blocks between disks and memories in the order that suits the disks.
/// docs/file-systems/disk-directed.md follows a collective step by step.
using DiskDirected = ClientServer<Params, Messages, Server, Client>;

std::unique_ptr<FileSystem> make(const Params& params, Run& run) {
  require_whole_records(run);
  return std::make_unique<DiskDirected>(run, params);
}

std::uint64_t memory(const Params& params, const Sizes& sizes) {
  const std::uint64_t packed = params.gather ? packed_bytes(sizes.block_bytes) : 0;
  const std::uint64_t list = sizes.block_bytes;  // being sent
  const std::uint64_t failures = (sizes.disks + 1) * failure_list;
  return failures + params.buffers_per_disk * sizes.disks_of_node * (sizes.block_bytes + packed) + packed + list;
}

}  // namespace sunstar::file_systems::disk_directed
