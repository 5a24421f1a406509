// SPDX-License-Identifier: MIT
#include "sw/file_systems/traditional_caching/record_reader.h"

#include <utility>

#include "sw/io/shares.h"

namespace sunstar::file_systems::traditional_caching {

using os::Cost;
using requests::Operation;

RecordReader::RecordReader(Run& run, io::cached::Client& blocks, const Params& params, workload::Team& team,
                           std::uint32_t processor)
    : ComputeProcessor(run, team, processor), blocks_(blocks), params_(params) {
  endpoint_.offer(memory_);
  block_ = os_.node().allocate(run.volume.block_bytes());
  if (params.gather) packed_ = os_.node().allocate(run.volume.block_bytes());
}

os::Task<hal::Status> RecordReader::carry_out(const workload::Collective& collective) {
  if (params_.records == RecordReading::own_records) co_await read_own(collective);
  else co_await read_and_send(collective);
  co_return std::exchange(status_, hal::Status::ok);
}

// Whoever is gone may have read any record, and sent none.
hal::Status RecordReader::missing(const workload::Collective& collective) {
  run_.record.failed(
      {collective.file, Operation::read, 0, run_.volume.file_bytes(collective.file), hal::Status::no_answer});
  return hal::Status::no_answer;
}

// Whether the last move has failed, of which nothing is used then.
bool RecordReader::read_failed(std::uint64_t bytes) {
  const auto failures = blocks_.take_failures();
  if (failures.empty()) return false;
  status_ = failures.back().status;
  run_.record.not_moved(bytes);
  return true;
}

os::Task<> RecordReader::read_own(const workload::Collective& collective) {
  const requests::Selection& selection = *collective.selection;
  const std::uint64_t size = selection.record_bytes, file = run_.volume.file_bytes(collective.file);
  std::vector<std::byte> record;
  for (std::uint64_t at = (processor_ - team_.first()) * size; at < file; at += selection.processors * size) {
    os_.charge(Cost::file_call);
    // A record that the filter throws away is overwritten by the next.
    co_await blocks_.move({collective.file, Operation::read, at, memory_.appended, size, {}, {}}, memory_.base);
    if (read_failed(size)) continue;
    selection.charge_filter(os_, 1);
    if (selection.keeps(os_.memory().look(memory_.base + memory_.appended, static_cast<std::uint32_t>(size), record)))
      memory_.appended += size;
    run_.record.moved(size);
  }
}

os::Task<> RecordReader::read_and_send(const workload::Collective& collective) {
  const io::Volume& volume = run_.volume;
  const std::uint64_t me = processor_ - team_.first();
  const io::Shares shares{volume.blocks(collective.file), team_.processors(),
                          params_.records == RecordReading::cyclic_blocks};
  io::RecordSender sender(run_.nodes, endpoint_, *collective.selection,
                          {true, params_.gather, processor_, !params_.sends_own});
  messages::ReplyAction answers(endpoint_);
  for (std::uint64_t block = shares.begin(me), end = shares.end(me); block < end; block += shares.step()) {
    const std::uint64_t offset = block * volume.block_bytes(), bytes = volume.bytes_in_block(collective.file, block);
    os_.charge(Cost::file_call);
    co_await blocks_.move({collective.file, Operation::read, offset, 0, bytes, {}, {}}, block_);
    if (read_failed(bytes)) continue;
    // At most a block's records are under way.
    while (answers.outstanding()) co_await answers.arrival();
    co_await sender.send(offset / collective.selection->record_bytes, block_, bytes, packed_, answers);
    run_.record.moved(bytes);
  }
  while (answers.outstanding()) co_await answers.arrival();
}

}  // namespace sunstar::file_systems::traditional_caching
