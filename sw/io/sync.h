// SPDX-License-Identifier: MIT
#pragma once
#include "sw/io/nodes.h"
#include "sw/io/volume.h"
#include "sw/requests/access.h"

namespace sunstar::io {

/// Asks an I/O processor to write all its data to disk; answered by a reply.
struct SyncRequest {
  messages::ReplyTo reply;
};

/// Asks all I/O processors and waits for their answers. Lost data are an error.
inline os::Task<> sync(Nodes& nodes, messages::Endpoint& endpoint, const messages::Kind<SyncRequest>& kind,
                       requests::Recorder& record) {
  std::vector<messages::ReplyAction> replies;
  for (std::size_t i = 0; i < nodes.io.size(); ++i) replies.emplace_back(endpoint);
  for (std::size_t i = 0; i < nodes.io.size(); ++i) {
    const hal::NodeId server = nodes.io[i].endpoint.id();
    co_await endpoint.os.send(kind.message(server, {replies[i].expect(server)}));
  }
  for (std::uint32_t i = 0; i < replies.size(); ++i) {
    while (replies[i].outstanding()) co_await replies[i].arrival();
    if (replies[i].take_status() == hal::Status::no_answer) record.unsynced(i);
  }
}

/// Appends the blocks of files on writes that a store may have lost.
inline void add_lost(const std::vector<LostWrite>& lost, const IoNode& node, const Volume& volume,
                     std::vector<requests::Failed>& to) {
  if (lost.empty()) return;
  const os::NotOnTheMachine mark;
  for (std::uint32_t file = 0; file < volume.file_count(); ++file)
    for (std::uint64_t block = 0; block < volume.blocks(file); ++block) {
      const Place& place = volume.place_of(file, block);
      if (place.io_processor != node.number) continue;
      const std::uint64_t sector = volume.sector_of(file, block);
      const bool hit = std::ranges::any_of(lost, [&](const LostWrite& l) {
        return l.unit == place.unit && l.sector < sector + volume.sectors_per_block() && sector < l.sector + l.sectors;
      });
      if (hit)
        to.push_back({file, requests::Operation::write, block * volume.block_bytes(),
                      volume.bytes_in_block(file, block), hal::Status::not_ready});
    }
}

/// Brings the data in an I/O processor's store to the media. Adds lost data to `lost`; returns an error if there are
/// any.
inline os::Task<hal::Status> sync(IoNode& node, const Volume& volume, std::vector<requests::Failed>& lost) {
  const hal::Status status = co_await node.store.synchronise();
  add_lost(co_await node.store.take_lost_writes(), node, volume, lost);
  co_return lost.empty() ? status : lost.back().status;
}

/// Answers a SyncRequest to an I/O processor without a cache.
inline os::Task<> answer_sync(hal::Message& request, IoNode& node, const Volume& volume, requests::Recorder& record) {
  messages::ReplyTo reply = messages::Kind<SyncRequest>::header(request).reply;
  std::vector<requests::Failed> all;
  reply.status = co_await sync(node, volume, all);
  for (const requests::Failed& lost : all) record.failed(lost);
  co_await node.endpoint.answer(request, reply);
}

}  // namespace sunstar::io
