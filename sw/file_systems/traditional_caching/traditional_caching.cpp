// SPDX-License-Identifier: MIT
#include "sw/file_systems/client_server.h"
#include "sw/file_systems/traditional_caching/params.h"
#include "sw/io/cached/client.h"
#include "sw/io/cached/server.h"
#include "sw/io/record_sender.h"
#include "sw/io/volume.h"

namespace sunstar::file_systems::traditional_caching {

using os::Cost;
using requests::Operation;

namespace {

/// A compute processor: makes its calls one by one, or itself distributes records by their bytes. Then it reads a
/// convenient part of the file and sends each record on to the compute processor that the function names (Kotz,
/// "Expanding the potential for disk-directed I/O", section 3).
class Client : public ComputeProcessor {
 public:
  Client(Run& run, const io::cached::Messages& messages, const Params& params, workload::Team& team,
         std::uint32_t processor)
      : ComputeProcessor(run, team, processor),
        params_(params),
        blocks_(run.nodes, run.caller(processor), messages, params.strided) {
    if (!selects(*run.job.workload, team.number())) return;
    endpoint_.offer(memory_);
    block_ = os_.node().allocate(run.volume.block_bytes());
    if (params.gather) packed_ = os_.node().allocate(run.volume.block_bytes());
  }

  os::Task<> run() {
    if (block_)
      return make_collectives(
          [this](const workload::Collective& collective, std::uint32_t) { return carry_out(collective); },
          [this](const workload::Collective& collective, const workload::Gone&) { return missing(collective); });
    return make_calls(
        [this](const requests::Access& call, requests::Calls& calls) { return blocks_.call(call, calls); });
  }
  os::Task<> sync() { return blocks_.sync(); }

 private:
  /// This processor's part of the collective. All records are there when all processors have done theirs.
  os::Task<hal::Status> carry_out(const workload::Collective& collective) {
    if (params_.records == RecordReading::own_records) co_await read_own(collective);
    else co_await read_and_send(collective);
    co_return std::exchange(status_, hal::Status::ok);
  }

  /// Notes the bytes that are missing because processors are gone.
  // A processor that is gone may have read any record, and sent none.
  hal::Status missing(const workload::Collective& collective) {
    run_.record.failed(
        {collective.file, Operation::read, 0, run_.volume.file_bytes(collective.file), hal::Status::no_answer});
    return hal::Status::no_answer;
  }
  os::Task<> read_own(const workload::Collective& collective) {
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
  os::Task<> read_and_send(const workload::Collective& collective) {
    const io::Volume& volume = run_.volume;
    // The next processor's share: a reader sends each block to another node (Kotz 1995, section 3.2).
    const std::uint64_t me = (processor_ - team_.first() + 1) % team_.processors();
    const io::Shares shares{volume.blocks(collective.file), team_.processors(),
                            params_.records == RecordReading::cyclic_blocks};
    io::RecordSender sender(run_.nodes, endpoint_, *collective.selection, {true, params_.gather, processor_});
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
  // Whether the last move has failed: none of its bytes is used then.
  bool read_failed(std::uint64_t bytes) {
    const auto failures = blocks_.take_failures();
    if (failures.empty()) return false;
    status_ = failures.back().status;
    run_.record.not_moved(bytes);
    return true;
  }

  const Params& params_;
  io::cached::Client blocks_;
  std::byte *block_ = nullptr, *packed_ = nullptr;  // for distributing records
  hal::Status status_ = hal::Status::ok;            // of the collective under way
};

/// A traditional parallel file system (TR94-226, section 4): compute processors request contiguous chunks, block by
/// block; I/O processors cache blocks. docs/file-systems/traditional-caching.md follows one call.
using TraditionalCaching = ClientServer<Params, io::cached::Messages, io::cached::Server, Client>;

}  // namespace

std::unique_ptr<FileSystem> make(const Params& params, Run& run) {
  const workload::Workload& work = *run.job.workload;
  if (params.records != RecordReading::own_records) require_whole_records(run);
  else
    for (const workload::Collective& c : work.collectives())
      if (c.selection && c.selection->function != requests::Selection::Function::cyclic) {
        const std::string function = work.path(c.team) + ".function";
        throw ConfigError(
            "file_system.records is own-records, but no processor knows its own records if their bytes decide (",
            function, "); choose cyclic-blocks or contiguous-share, or ", function, "=cyclic.");
      }
  return std::make_unique<TraditionalCaching>(run, params);
}

std::uint64_t memory(const Params& params, const Sizes& sizes) {
  // Of a compute processor: records that it distributes, or a strided request.
  const std::uint64_t distributing = 2 * sizes.block_bytes;
  return io::cached::memory(params.cache, sizes.compute_processors, sizes.disks_of_node, sizes.block_bytes) +
         distributing;
}

}  // namespace sunstar::file_systems::traditional_caching
