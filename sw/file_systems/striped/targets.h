// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <map>
#include <span>
#include <utility>

#include "sw/file_systems/striped/messages.h"
#include "sw/file_systems/striped/objects.h"
#include "sw/file_systems/system.h"
#include "sw/os/os.h"

namespace sunstar::file_systems::striped {

/// The requests of a node to the servers of objects. All its processes share them. Its memory is open to the servers.
class Targets {
 public:
  Targets(System& system, const Messages& messages, const Params& params, messages::Endpoint& endpoint)
      : system_(system), messages_(messages), params_(params), endpoint_(endpoint), os_(endpoint.os) {
    open_.base = os_.memory().base();
    open_.bytes = os_.memory().size();
    open_.memory = &os_.memory();
    endpoint_.offer(open_);
  }

  /// Reads a part, of at most a request's size, to `memory`.
  os::Task<hal::Status> read(const Part& part, std::byte* memory) {
    Unit& unit = at(unit_of(part));
    const hal::NodeId server = server_of(unit_of(part));
    while (unit.reading >= params_.requests_in_flight) co_await unit.slots.wait();
    ++unit.reading;
    messages::ReplyAction data(endpoint_);
    os_.charge(os::Cost::block_request);
    const Transfer asked{
        data.expect(server, memory), offset_of(system_.volume, part), 0, part.file, part.bytes, connection(server), 1};
    co_await os_.send(messages_.read.message(server, asked));
    while (data.outstanding()) co_await data.arrival();
    --unit.reading;
    unit.slots.wake_all();
    const hal::Status status = data.take_status();
    if (status == hal::Status::refused) refused(server, asked.connection);
    co_return status;
  }

  struct Piece {
    Part part;
    std::byte* memory;
  };
  /// Whether the unit takes another request to write now; begin_write() takes the turn, slots() wakes when one ends.
  bool may_write(std::uint32_t unit) { return at(unit).writing < params_.requests_in_flight; }
  void begin_write(std::uint32_t unit) { ++at(unit).writing; }
  os::WaitQueue& slots(std::uint32_t unit) { return at(unit).slots; }

  /// Writes pieces of one object, together of at most a request's size, and ends a turn.
  os::Task<hal::Status> write(std::span<const Piece> pieces) {
    Unit& unit = at(unit_of(pieces.front().part));
    const hal::NodeId server = server_of(unit_of(pieces.front().part));
    messages::ReplyAction answer(endpoint_);
    os_.charge(os::Cost::block_request);
    std::vector<Segment> segments;
    for (const Piece& piece : pieces)
      segments.push_back(
          {offset_of(system_.volume, piece.part), os_.memory().address_of(piece.memory), piece.part.bytes});
    Transfer asked{answer.expect(server),
                   segments.front().offset,
                   segments.front().address,
                   pieces.front().part.file,
                   segments.front().bytes,
                   connection(server),
                   static_cast<std::uint32_t>(segments.size())};
    if (segments.size() == 1) {
      co_await os_.send(messages_.write.message(server, asked));
    } else {
      const auto list_bytes = static_cast<std::uint32_t>(segments.size() * sizeof(Segment));
      std::byte* const list = list_buffer();
      os_.memory().put(list, segments.data(), list_bytes);
      endpoint_.count_list(list_bytes);
      co_await os_.send(messages_.write.message(server, asked, list, list_bytes));
      lists_.push_back(list);
    }
    while (answer.outstanding()) co_await answer.arrival();
    --unit.writing;
    unit.slots.wake_all();
    const hal::Status status = answer.take_status();
    if (status == hal::Status::refused) refused(server, asked.connection);
    co_return status;
  }

  /// How often the server has evicted this node, as far as it knows: the server refuses earlier requests.
  std::uint32_t connection(hal::NodeId server) const {
    const auto found = connections_.find(server);
    return found == connections_.end() ? 0 : found->second;
  }

  /// The server has refused a request of that connection.
  void refused(hal::NodeId server, std::uint32_t connection) {
    if (this->connection(server) != connection) return;
    ++connections_[server];
    when_evicted(server);
  }

  std::function<void(hal::NodeId server)> when_evicted = [](hal::NodeId) {};

  hal::NodeId server_of(std::uint32_t unit) const {
    return system_.nodes.io[system_.volume.place(unit).io_processor].endpoint.id();
  }
  std::uint32_t unit_of(const Part& part) const { return system_.volume.unit_of(part.file, part.stripe); }
  const Params& params() const { return params_; }

 private:
  struct Unit {
    explicit Unit(os::Os& os) : slots(os, "a request to a server to end") {}
    std::uint32_t reading = 0, writing = 0;
    os::WaitQueue slots;
  };
  Unit& at(std::uint32_t unit) { return units_.try_emplace(unit, os_).first->second; }

  std::byte* list_buffer() {
    if (lists_.empty()) return os_.node().allocate((params_.request_size.count / page + 1) * sizeof(Segment));
    std::byte* const last = lists_.back();
    lists_.pop_back();
    return last;
  }

  System& system_;
  const Messages& messages_;
  const Params params_;
  messages::Endpoint& endpoint_;
  os::Os& os_;
  messages::RemoteMemory open_;
  std::map<std::uint32_t, Unit> units_;  // that have had requests
  std::vector<std::byte*> lists_;
  std::map<hal::NodeId, std::uint32_t> connections_;  // absent ones are 0
};

/// Tasks that run at the same time, each in a thread.
class Together {
 public:
  /// `thread`: the name of those threads.
  Together(os::Os& os, const char* thread) : os_(os), thread_(thread), done_(os, thread) {}
  void add(os::Task<> work) {
    ++left_;
    os_.spawn(carry_out(std::move(work)), thread_);
  }
  /// Returns when all has been done.
  os::Task<> all() {
    while (left_ > 0) co_await done_.wait();
  }

 private:
  os::Task<> carry_out(os::Task<> work) {
    co_await work;
    if (--left_ == 0) done_.wake_all();
  }

  os::Os& os_;
  const char* const thread_;
  os::WaitQueue done_;
  std::size_t left_ = 0;
};

}  // namespace sunstar::file_systems::striped
