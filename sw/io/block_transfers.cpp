// SPDX-License-Identifier: MIT
#include "sw/io/block_transfers.h"

#include <algorithm>

#include "sw/io/sync.h"

namespace sunstar::io {

BlockTransfers::BlockTransfers(IoNode& node, const Volume& volume, const BlockTransferParams& params,
                               requests::Recorder& record, BlockGuard* guard)
    : node_(node),
      volume_(volume),
      params_(params),
      record_(record),
      guard_(guard),
      os_(node.endpoint.os),
      served_last_(node.store.units()) {
  for (std::uint32_t unit = 0; unit < node.store.units(); ++unit)
    for (std::uint32_t i = 0; i < params_.buffers_per_disk; ++i)
      buffers_.push_back({unit, os_.node().allocate(volume_.block_bytes())});
}

void BlockTransfers::add(std::vector<List>& lists, std::uint32_t file, std::uint64_t block) const {
  const os::Counted<os::Cost::block_list_entry> mark;
  lists[volume_.place_of(block).unit].emplace_back(file, block);
}

void BlockTransfers::put_in_order(std::vector<List>& lists) {
  for (List& list : lists) {
    const auto n = static_cast<double>(list.size());
    os_.charge(os::Cost::block_list_entry, n);
    if (!params_.presort || list.size() < 2) continue;
    const auto charged =
        os_.charged<os::Cost::sort_comparison>(n * static_cast<double>(std::bit_width(list.size() - 1)));
    // With their sectors beside them, blocks need no look at the volume's addresses for each comparison.
    std::vector<std::pair<std::uint64_t, ListedBlock>> by_sector;
    by_sector.reserve(list.size());
    for (const ListedBlock& b : list) by_sector.emplace_back(volume_.sector_of(b.file(), b.block()), b);
    std::ranges::sort(by_sector, {}, &std::pair<std::uint64_t, ListedBlock>::first);
    std::ranges::transform(by_sector, list.begin(), &std::pair<std::uint64_t, ListedBlock>::second);
  }
}

void BlockTransfers::begin(Transfer& transfer, std::vector<List> lists, requests::Operation operation,
                           BlockMover& mover) {
  transfer.lists_ = std::move(lists);
  transfer.taken_.assign(node_.store.units(), 0);
  transfer.written_ = transfer.taken_;
  transfer.write_ = operation == requests::Operation::write;
  transfer.mover_ = &mover;
  transfer.number_ = ++transfers_;
  for (const List& list : transfer.lists_) transfer.to_move_ += list.size();
  find_rows(transfer);
  transfer.left_ = transfer.to_move_;
  if (transfer.write_)
    for (const List& list : transfer.lists_)
      for (const ListedBlock& block : list) transfer.files_.insert(block.file());
  if (transfer.left_ > 0) under_way_.push_back(&transfer);
  for (Buffer& buffer : buffers_) {
    if (buffer.busy) continue;
    const auto charged = os_.charged<os::Cost::thread_create>();
    buffer.busy = true;
    ++transfer.threads_;
    os_.spawn(buffer_thread(buffer, &transfer), "buffer");
  }
}

/// Finds the rows of blocks, if the store prefers them. Each unit must reach its blocks in the order of their rows, or
/// two units could wait for each other with all their buffers full; otherwise blocks go to the store one by one.
void BlockTransfers::find_rows(Transfer& transfer) const {
  if (!node_.store.prefers_rows(transfer.write_)) return;
  const os::Counted<os::Cost::block_list_entry> mark;
  std::size_t blocks = 0;
  for (std::uint32_t unit = 0; unit < transfer.lists_.size(); ++unit) {
    std::uint64_t last = 0;
    for (const ListedBlock& b : transfer.lists_[unit]) {
      const auto row = node_.store.row(unit, volume_.sector_of(b.file(), b.block()), volume_.sectors_per_block());
      if (!row) continue;
      if (*row < last) return transfer.rows_.clear();
      ++transfer.rows_[last = *row].to_come;
      ++blocks;
    }
  }
  os_.charge(os::Cost::block_list_entry, static_cast<double>(blocks));
}

/// Waits until all blocks of a row can be read or written, and hands them to the store. Null: a block that cannot.
os::Task<> BlockTransfers::begin_row(Transfer& transfer, Transfer::Row& row, AwaitedRequest* request) {
  if (request) {
    request->begins();
    row.requests.push_back(request);
  }
  if (--row.to_come == 0) {
    if (!row.requests.empty()) node_.store.submit_row(row.requests);
    transfer.next_turn_.wake_all();
  }
  while (row.to_come > 0) co_await transfer.next_turn_.wait();
}

os::Task<> BlockTransfers::Transfer::moved() {
  while (to_move_ > 0) co_await moved_.wait();
}

os::Task<> BlockTransfers::Transfer::completed() {
  while (threads_ > 0 || left_ > 0) co_await done_.wait();
}

BlockTransfers::Transfer* BlockTransfers::next(std::uint32_t unit) {
  if (params_.several == TransferOrder::first_come) {
    for (Transfer* t : under_way_)
      if (!t->lists_[unit].empty()) return t;
    return nullptr;
  }
  // Transfers write rows one after the other: two could wait for each other's buffers.
  const auto rows = std::ranges::find_if(
      under_way_, [unit](const Transfer* t) { return !t->rows_.empty() && !t->lists_[unit].empty(); });
  const auto waits = [&](const Transfer* t) { return !t->lists_[unit].empty() && (t->rows_.empty() || t == *rows); };
  const auto from = std::ranges::upper_bound(under_way_, served_last_[unit], {}, &Transfer::number_);
  auto turn = std::find_if(from, under_way_.end(), waits);
  if (turn == under_way_.end()) {
    turn = std::find_if(under_way_.begin(), from, waits);
    if (turn == from) return nullptr;
  }
  served_last_[unit] = (*turn)->number_;
  return *turn;
}

os::Task<> BlockTransfers::buffer_thread(Buffer& buffer, Transfer* transfer) {
  messages::ReplyAction pieces_moved(node_.endpoint);
  std::vector<requests::Piece> pieces;
  AwaitedRequest request(os_);
  request.unit = buffer.unit;
  request.sectors = volume_.sectors_per_block();
  request.data = {buffer.memory};
  while (Transfer* const chosen = next(buffer.unit)) {
    os::counted_from_here<os::Cost::block_list_entry>();
    if (chosen != transfer) {
      ++chosen->threads_;
      co_await leave(*std::exchange(transfer, chosen));
      if (transfer->lists_[buffer.unit].empty()) continue;  // other buffers have taken its blocks meanwhile
    }
    List& list = transfer->lists_[buffer.unit];
    const ListedBlock listed = list.front();
    const BlockJob job{listed.file(), listed.block(), volume_.sector_of(listed.file(), listed.block()),
                       transfer->taken_[buffer.unit]++};
    list.pop_front();
    os_.begin_request();
    if (--transfer->left_ == 0) std::erase(under_way_, transfer);
    request.sector = job.sector;
    pieces.clear();
    std::uint64_t covered = transfer->mover_->find_pieces(job, pieces);
    bool whole = covered == volume_.bytes_in_block(job.file, job.block);
    if (guard_ && !guard_->try_acquire(job)) co_await guard_->acquire(job, transfer->write_, whole);
    hal::Status status = hal::Status::ok;
    const auto number =
        transfer->rows_.empty() ? std::nullopt : node_.store.row(request.unit, request.sector, request.sectors);
    Transfer::Row* const row = number ? &transfer->rows_.at(*number) : nullptr;
    do {
      if (const std::uint64_t gone = leave_gone_out(*transfer, job, pieces)) covered -= gone, whole = false;
      status = hal::Status::ok;
      // A block to be written in part is read first, so that its other bytes stay.
      if (!transfer->write_ || !whole) {
        request.write = false;
        if (row && !transfer->write_) co_await begin_row(*transfer, *row, &request);
        else request.begin(node_.store);
        status = co_await request.end();
      }
      if (status == hal::Status::ok) {
        co_await transfer->mover_->move(job, pieces, buffer.memory, pieces_moved);
        status = pieces_moved.take_status();
      } else {
        transfer->mover_->left_out(std::exchange(covered, 0));
      }
      // If a processor has gone meanwhile, a block to be written begins again, with the block's old bytes in place of
      // the processor's.
    } while (status == hal::Status::no_answer && transfer->write_ && !pieces.empty());
    if (status == hal::Status::no_answer) {
      covered -= leave_gone_out(*transfer, job, pieces);
      status = hal::Status::ok;
    }
    transfer->mover_->moved(covered);
    os::counted_from_here<os::Cost::block_list_entry>();
    if (--transfer->to_move_ == 0) transfer->moved_.wake_all();
    record_.progress(covered);
    if (transfer->write_) {
      // Blocks go to disk in their order of service, the presorted order, even if a later block's data come first.
      while (transfer->written_[buffer.unit] != job.turn) co_await transfer->next_turn_.wait();
      const bool lost = status != hal::Status::ok;
      request.write = true;
      if (row) co_await begin_row(*transfer, *row, lost ? nullptr : &request);
      ++transfer->written_[buffer.unit];
      transfer->next_turn_.wake_all();
      if (!row && !lost) request.begin(node_.store);
      if (!lost) status = co_await request.end();
    }
    if (status != hal::Status::ok) failed(*transfer, job, status);
    if (guard_) guard_->release(job);
  }
  os::counted_from_here<os::Cost::thread_create>();  // which counts the end of a thread, too
  buffer.busy = false;
  co_await leave(*transfer);
}

void BlockTransfers::failed(Transfer& transfer, const BlockJob& job, hal::Status status) const {
  transfer.failures_.push_back({job.file, transfer.operation(), job.block * volume_.block_bytes(),
                                volume_.bytes_in_block(job.file, job.block), status});
}

std::uint64_t BlockTransfers::leave_gone_out(Transfer& transfer, const BlockJob& job,
                                             std::vector<requests::Piece>& pieces) const {
  if (node_.endpoint.peers().losses() == 0) return 0;
  std::uint64_t bytes = 0;
  std::erase_if(pieces, [&](const requests::Piece& piece) {
    if (!node_.endpoint.peers().was_lost(transfer.mover_->node(piece))) return false;
    transfer.failures_.push_back(
        {job.file, transfer.operation(), piece.file_offset, piece.bytes, hal::Status::no_answer});
    bytes += piece.bytes;
    return true;
  });
  if (bytes > 0) transfer.mover_->left_out(bytes);
  return bytes;
}

os::Task<> BlockTransfers::leave(Transfer& transfer) {
  if (transfer.threads_ == 1 && transfer.left_ == 0 && !transfer.files_.empty()) {
    add_lost(co_await node_.store.take_lost_writes(), node_, volume_, lost_);
    std::erase_if(lost_, [&](const requests::Failed& lost) {
      if (!transfer.files_.contains(lost.file)) return false;
      transfer.failures_.push_back(lost);
      return true;
    });
  }
  if (--transfer.threads_ == 0 && transfer.left_ == 0) transfer.done_.wake_all();
}

}  // namespace sunstar::io
