// SPDX-License-Identifier: MIT
#include "sw/io/block_transfers.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace sunstar::io {

BlockTransfers::BlockTransfers(IoNode& node, const Volume& volume, const BlockTransferParams& params,
                               workload::Recorder& record)
    : node_(node),
      volume_(volume),
      params_(params),
      record_(record),
      os_(node.endpoint.os),
      buffers_(node.drivers.size()),
      moved_(os_, "the blocks of a disk-directed transfer"),
      done_(os_, "the buffer threads of a disk-directed transfer"),
      next_turn_(os_, "the previous block in the disk's order") {
  for (auto& of_disk : buffers_)
    for (std::uint32_t i = 0; i < params_.buffers_per_disk; ++i)
      of_disk.push_back(os_.node().allocate(volume_.block_bytes()));
}

void BlockTransfers::add(std::vector<List>& lists, std::uint32_t file, std::uint64_t block) const {
  const os::Counted<os::Cost::block_list_entry> mark;
  lists[volume_.place_of(block).device].push_back({file, block, volume_.sector_of(file, block), 0});
}

void BlockTransfers::put_in_order(std::vector<List>& lists) {
  for (List& list : lists) {
    os_.charge(os::Cost::block_list_entry, static_cast<double>(list.size()));
    if (params_.presort && list.size() > 1) {
      {
        const os::Counted<os::Cost::sort_comparison> mark;
        std::ranges::sort(list, {}, &BlockJob::sector);
      }
      os_.charge(os::Cost::sort_comparison,
                 static_cast<double>(list.size()) * static_cast<double>(std::bit_width(list.size() - 1)));
    }
  }
}

void BlockTransfers::begin(std::vector<List> lists, workload::Operation operation, BlockMover& mover) {
  assert(work_.threads == 0);
  work_ = {std::move(lists), std::vector<std::uint64_t>(node_.drivers.size()), operation == workload::Operation::write,
           &mover};
  for (auto& list : work_.lists) {
    const os::Counted<os::Cost::block_list_entry> mark;
    for (std::uint64_t turn = 0; turn < list.size(); ++turn) list[turn].turn = turn;
    work_.to_move += list.size();
  }
  for (std::uint32_t device = 0; device < node_.drivers.size(); ++device)
    for (std::byte* buffer : buffers_[device]) {
      const os::Counted<os::Cost::thread_create> mark;
      os_.charge(os::Cost::thread_create);
      ++work_.threads;
      os_.spawn(buffer_thread(device, buffer), "buffer");
    }
}

os::Task<> BlockTransfers::moved() {
  while (work_.to_move > 0) co_await moved_.wait();
}

os::Task<> BlockTransfers::completed() {
  while (work_.threads > 0) co_await done_.wait();
}

os::Task<> BlockTransfers::buffer_thread(std::uint32_t device, std::byte* buffer) {
  Work& work = work_;
  List& list = work.lists[device];
  messages::ReplyAction pieces_moved(node_.endpoint);
  std::vector<workload::Piece> pieces;
  AwaitedRequest transfer(os_);
  while (!list.empty()) {
    os::counted_from_here<os::Cost::block_list_entry>();
    const BlockJob job = list.front();
    list.pop_front();
    transfer.sector = job.sector;
    transfer.sectors = volume_.sectors_per_block();
    transfer.data = buffer;
    pieces.clear();
    const std::uint64_t covered = work.mover->find_pieces(job, pieces);
    // A block that is to be written only in part is read first, so that its other bytes stay as they were.
    if (!work.write || covered < volume_.bytes_in_block(job.file, job.block)) {
      transfer.write = false;
      co_await transfer.carry_out(node_.drivers[device]);
    }
    co_await work.mover->move(job, pieces, buffer, pieces_moved);
    os::counted_from_here<os::Cost::block_list_entry>();
    if (--work.to_move == 0) moved_.wake_all();
    record_.progress(covered);
    if (work.write) {
      // Blocks go to disk in their order of service, even if a later block's data come first: that is the presorted
      // order.
      while (work.written[device] != job.turn) co_await next_turn_.wait();
      ++work.written[device];
      next_turn_.wake_all();
      transfer.write = true;
      co_await transfer.carry_out(node_.drivers[device]);
    }
  }
  if (--work.threads == 0) done_.wake_all();
}

}  // namespace sunstar::io
