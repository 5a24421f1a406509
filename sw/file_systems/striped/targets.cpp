// SPDX-License-Identifier: MIT
#include "sw/file_systems/striped/targets.h"

namespace sunstar::file_systems::striped {

using os::Cost;

Targets::Targets(System& system, const Messages& messages, const Params& params, messages::Endpoint& endpoint)
    : system_(system), messages_(messages), params_(params), endpoint_(endpoint), os_(endpoint.os) {
  open_.base = os_.memory().base();
  open_.bytes = os_.memory().size();
  open_.memory = &os_.memory();
  endpoint_.offer(open_);
}

std::uint32_t Targets::connection(hal::NodeId server) const {
  const auto found = connections_.find(server);
  return found == connections_.end() ? 0 : found->second;
}

void Targets::refused(hal::NodeId server, std::uint32_t connection) {
  if (this->connection(server) != connection) return;
  ++connections_[server];
  when_evicted(server);
}

os::Task<hal::Status> Targets::read(const Part& part, std::byte* memory) {
  Unit& unit = at(unit_of(part));
  const hal::NodeId server = server_of(unit_of(part));
  while (unit.reading >= params_.requests_in_flight) co_await unit.slots.wait();
  ++unit.reading;
  messages::ReplyAction data(endpoint_);
  os_.charge(Cost::block_request);
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

os::Task<hal::Status> Targets::write(std::span<const Piece> pieces) {
  Unit& unit = at(unit_of(pieces.front().part));
  const hal::NodeId server = server_of(unit_of(pieces.front().part));
  messages::ReplyAction answer(endpoint_);
  os_.charge(Cost::block_request);
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

std::byte* Targets::list_buffer() {
  if (lists_.empty()) return os_.node().allocate((params_.request_size.count / page + 1) * sizeof(Segment));
  std::byte* const last = lists_.back();
  lists_.pop_back();
  return last;
}

}  // namespace sunstar::file_systems::striped
