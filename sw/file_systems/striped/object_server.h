// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <span>

#include "models/core/statistics.h"
#include "sw/file_systems/striped/messages.h"
#include "sw/file_systems/striped/objects.h"
#include "sw/file_systems/system.h"

namespace sunstar::file_systems::striped {

/// An I/O processor that serves objects: `server_threads` requests at a time, first come, first served. Kinds differ in
/// what they do with bytes, and in which clients they admit.
class ObjectServer {
 public:
  void add_statistics(StatisticSet& set) {
    const std::string prefix = os_.node().name() + ".objects.";
    set.counter(prefix + "reads", "requests to read", "1", reads_);
    set.counter(prefix + "writes", "requests to write", "1", writes_);
    set.counter(prefix + "segments", "runs of bytes in requests to write", "1", segments_);
    set.counter(prefix + "waits", "requests that waited for a thread", "1", waits_);
    set.counter(prefix + "refused", "requests of clients that had been evicted", "1", refused_);
  }

 protected:
  ObjectServer(System& system, const Messages& messages, const Params& params, std::uint32_t io_processor)
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

  ~ObjectServer() = default;

  /// Memory for `bytes` of a client's.
  virtual os::Task<std::byte*> room(std::uint64_t bytes) = 0;
  /// Keeps the parts, one behind the other in `data`, and takes the memory back. A status of ok promises that the bytes
  /// are safe, or that sync() reports their loss.
  virtual os::Task<hal::Status> keep(std::span<const Part> parts, std::byte* data) = 0;
  /// The bytes did not come.
  virtual void give_back(std::byte* data, std::uint64_t bytes) = 0;
  /// Fetches a part to `buffer` + part.from modulo a sector.
  virtual os::Task<hal::Status> fetch(const Part& part, std::byte* buffer) = 0;
  /// Brings everything to the media, and appends unreported losses to `lost`.
  virtual os::Task<hal::Status> sync(std::vector<requests::Failed>& lost) = 0;
  /// Whether the client may still read and write: it knows how often it has been evicted.
  virtual bool admits([[maybe_unused]] hal::NodeId client, [[maybe_unused]] std::uint32_t connection) { return true; }
  /// Returns when it has nothing more to do with the data of a client that is gone.
  os::Task<> done_with(hal::NodeId client) {
    while (writes_of_.contains(client)) co_await settled_.wait();
  }

  io::IoNode& node_;
  const io::Volume& volume_;
  os::Os& os_;

 private:
  /// Around the work of a thread.
  // A thread that leaves hands its turn to the request that has waited longest.
  os::Task<> enter() {
    if (busy_ < params_.server_threads) {
      ++busy_;
    } else {
      ++waits_;
      co_await free_.wait();
    }
  }

  void leave() {
    if (free_.empty()) --busy_;
    else free_.wake_one();
  }

  os::Task<> read(hal::Message& m) {
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

  os::Task<> write(hal::Message& m) {
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
  os::Task<hal::Status> take(hal::NodeId client, const Transfer& asked, const std::vector<Segment>& segments) {
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

  os::Task<> answer_sync(hal::Message& m) {
    messages::ReplyTo reply = messages::Kind<Sync>::header(m).reply;
    std::vector<requests::Failed> lost;
    reply.status = co_await sync(lost);
    for (const requests::Failed& one : lost) record_.failed(one);
    co_await endpoint_.answer(m, reply);
  }

  void charge_request() {
    os_.charge(os::Cost::request_decode);
    if (params_.request_overhead.count > 0) os_.compute(params_.request_overhead);
  }

  const Params params_;
  requests::Recorder& record_;
  messages::Endpoint& endpoint_;
  std::uint32_t busy_ = 0;
  os::WaitQueue free_, settled_;
  std::vector<std::byte*> buffers_;
  std::map<hal::NodeId, std::uint32_t> writes_of_;  // under way, by client
  std::uint64_t reads_ = 0, writes_ = 0, segments_ = 0, waits_ = 0, refused_ = 0;
};

}  // namespace sunstar::file_systems::striped
