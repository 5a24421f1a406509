// SPDX-License-Identifier: MIT
#include "sw/file_systems/striped/object_server.h"

namespace sunstar::file_systems::striped {

using os::Cost;

ObjectServer::ObjectServer(System& system, const Messages& messages, const Params& params, std::uint32_t io_processor)
    : node_(system.nodes.io[io_processor]),
      volume_(system.volume),
      os_(node_.endpoint.os),
      params_(params),
      record_(system.record),
      endpoint_(node_.endpoint),
      free_(os_, "a thread of the server"),
      settled_(os_, "writes of a client that is gone") {
  messages.read.starts_thread(os_, "read request", [this](hal::Message& m) { return read(m); });
  messages.write.starts_thread(os_, "write request", [this](hal::Message& m) { return write(m); });
  messages.sync.starts_thread(os_, "sync request", [this](hal::Message& m) { return answer_sync(m); });
}

// A thread that leaves hands its turn to the request that has waited longest.
os::Task<> ObjectServer::enter() {
  if (busy_ < params_.server_threads) {
    ++busy_;
  } else {
    ++waits_;
    co_await free_.wait();
  }
}

void ObjectServer::leave() {
  if (free_.empty()) --busy_;
  else free_.wake_one();
}

void ObjectServer::charge_request() {
  os_.charge(Cost::request_decode);
  if (params_.request_overhead.count > 0) os_.compute(params_.request_overhead);
}

os::Task<> ObjectServer::read(hal::Message& m) {
  const Transfer asked = messages::Kind<Transfer>::header(m);
  const hal::NodeId client = m.source;
  os_.node().network().release(m);
  co_await enter();
  charge_request();
  ++reads_;
  messages::ReplyTo reply = asked.reply;
  if (buffers_.empty())
    buffers_.push_back(os_.node().allocate(params_.request_size.count + 2 * std::uint64_t{volume_.sector_bytes()}));
  std::byte* const buffer = buffers_.back();
  buffers_.pop_back();
  const std::uint64_t stripe = asked.offset / volume_.block_bytes();
  const Part part{asked.file, static_cast<std::uint32_t>(asked.offset % volume_.block_bytes()), asked.bytes, stripe};
  if (admits(client, asked.connection)) reply.status = co_await fetch(part, buffer);
  else reply.status = hal::Status::refused;
  refused_ += reply.status == hal::Status::refused;
  const bool there = reply.status == hal::Status::ok;
  co_await endpoint_.answer(client, reply, buffer + part.from % volume_.sector_bytes(), there ? part.bytes : 0,
                            messages::Carries::file_data);
  buffers_.push_back(buffer);
  leave();
}

os::Task<> ObjectServer::write(hal::Message& m) {
  const Transfer asked = messages::Kind<Transfer>::header(m);
  const hal::NodeId client = m.source;
  std::vector<Segment> segments(asked.runs, {asked.offset, asked.address, asked.bytes});
  if (asked.runs > 1) messages::copy_data(m, 0, segments.data(), segments.size() * sizeof(Segment));
  os_.node().network().release(m);
  co_await enter();
  charge_request();
  ++writes_;
  segments_ += segments.size();
  messages::ReplyTo reply = asked.reply;
  if (admits(client, asked.connection)) {
    ++writes_of_[client];
    reply.status = co_await take(client, asked, segments);
    if (--writes_of_[client] == 0) {
      writes_of_.erase(client);
      settled_.wake_all();
    }
  } else {
    ++refused_;
    reply.status = hal::Status::refused;
  }
  co_await endpoint_.answer(client, reply);
  leave();
}

/// Fetches the data of a write from its client, all at a time, and keeps them.
os::Task<hal::Status> ObjectServer::take(hal::NodeId client, const Transfer& asked,
                                         const std::vector<Segment>& segments) {
  std::vector<Part> parts;
  std::uint64_t bytes = 0;
  for (const Segment& s : segments) {
    parts.push_back({asked.file, static_cast<std::uint32_t>(s.offset % volume_.block_bytes()), s.bytes,
                     s.offset / volume_.block_bytes()});
    bytes += s.bytes;
  }
  std::byte* const data = co_await room(bytes);
  messages::ReplyAction came(endpoint_);
  std::uint64_t at = 0;
  for (const Segment& s : segments) {
    const messages::ReplyTo here = came.expect(client, data, at);
    co_await os_.send(endpoint_.memget(client, s.address, s.bytes, here));
    at += s.bytes;
  }
  while (came.outstanding()) co_await came.arrival();
  hal::Status status = came.take_status();
  if (status == hal::Status::ok) status = co_await keep(parts, data);
  else give_back(data, bytes);
  co_return status;
}

os::Task<> ObjectServer::done_with(hal::NodeId client) {
  while (writes_of_.contains(client)) co_await settled_.wait();
}

os::Task<> ObjectServer::answer_sync(hal::Message& m) {
  messages::ReplyTo reply = messages::Kind<Sync>::header(m).reply;
  std::vector<requests::Failed> lost;
  reply.status = co_await sync(lost);
  for (const requests::Failed& one : lost) record_.failed(one);
  co_await endpoint_.answer(m, reply);
}

void ObjectServer::add_statistics(StatisticSet& set) {
  const std::string prefix = os_.node().name() + ".objects.";
  set.counter(prefix + "reads", "requests to read", "1", reads_);
  set.counter(prefix + "writes", "requests to write", "1", writes_);
  set.counter(prefix + "segments", "runs of bytes in requests to write", "1", segments_);
  set.counter(prefix + "waits", "requests that waited for a thread", "1", waits_);
  set.counter(prefix + "refused", "requests of clients that had been evicted", "1", refused_);
}

}  // namespace sunstar::file_systems::striped
