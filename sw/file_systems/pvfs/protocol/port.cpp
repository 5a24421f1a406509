// SPDX-License-Identifier: MIT
#include "sw/file_systems/pvfs/protocol/port.h"

namespace sunstar::file_systems::pvfs {

Port::Port(messages::Endpoint& endpoint, const Messages& messages) : endpoint_(endpoint) {
  os::Os& os = endpoint.os;
  messages.data.on_arrival(os, [this, &os](hal::Message& m) {
    const Data header = messages::Kind<Data>::header(m);
    Incoming* const to = waiting_for(m, header.number, header.offset);
    if (!to) {
      os.receive(m);
      return;
    }
    const std::uint32_t bytes = m.bytes;
    const Time there = to->place(m, header.offset);
    os.node().network().release(m);
    os.after(there, [to, header, bytes] {
      to->there(header.offset, bytes);
      to->came(bytes);
    });
  });
  messages.missing.on_arrival(os, [this, &os](hal::Message& m) {
    const Missing header = messages::Kind<Missing>::header(m);
    Incoming* const to = waiting_for(m, header.number, header.offset);
    const Time there = os.receive(m);
    if (!to) return;
    os.after(there, [to, header] {
      to->failed(header.offset, header.bytes, header.status);
      to->came(header.bytes);
    });
  });
}

Incoming* Port::waiting_for(const hal::Message& m, std::uint32_t number, std::uint64_t offset) {
  const auto found = waiting_.find(number);
  if (found == waiting_.end()) return nullptr;
  auto& parts = found->second->parts_;
  const auto part = parts.find(offset);
  if (part == parts.end() || found->second->iod_ != m.source) return nullptr;
  parts.erase(part);
  return found->second;
}

Incoming::Incoming(Port& port) : port_(port), number_(port.new_number()), arrival_(port.os(), "data from an iod") {
  port_.waiting_.emplace(number_, this);
}

Incoming::~Incoming() {
  if (port_.os().ending()) return;
  port_.waiting_.erase(number_);
  port_.endpoint().peers().unwatch(iod_, *this);
}

void Incoming::watch(System& system, std::uint32_t io_processor, const FileRun& run) {
  iod_ = system.nodes.io[io_processor].endpoint.id();
  for_each_part(system.volume, run, [&](const striped::Part& part) {
    if (system.volume.server_of(part.stripe) != io_processor) return;
    parts_.emplace(offset_of(system.volume, part), part.bytes);
    left_ += part.bytes;
  });
  if (!port_.endpoint().peers().watch(iod_, *this)) lost(iod_);
}

void Incoming::lost(hal::NodeId) {
  std::uint64_t all = 0;
  for (const auto& [offset, bytes] : std::exchange(parts_, {})) {
    failed(offset, bytes, hal::Status::no_answer);
    all += bytes;
  }
  if (all > 0) came(all);
}

void Incoming::came(std::uint64_t bytes) {
  left_ -= bytes;
  if (left_ == 0) arrival_.wake_all();
}

os::Task<> Incoming::all() {
  while (left_ > 0) co_await arrival_.wait();
}

os::Task<> ask_iod(System& system, const Messages& messages, Port& port, std::uint32_t io_processor, const FileRun& run,
                   std::uint32_t number, std::uint32_t flags, messages::ReplyAction& acknowledgements) {
  const hal::NodeId iod = system.nodes.io[io_processor].endpoint.id();
  const Request ask{.file = run.file,
                    .number = number,
                    .offset = run.offset,
                    .bytes = run.bytes,
                    .flags = flags,
                    .acknowledgement = acknowledgements.expect(iod)};
  port.os().charge(os::Cost::block_request);
  co_await port.os().send(messages.request.message(iod, ask));
}

os::Task<hal::Status> write_through(System& system, const Messages& messages, Port& port, const FileRun& run,
                                    std::byte* memory, std::uint32_t flags) {
  const io::Volume& volume = system.volume;
  messages::ReplyAction acknowledgements(port.endpoint());
  const std::uint32_t number = port.new_number();
  for (const std::uint32_t node : data_nodes_of(volume, run))
    co_await ask_iod(system, messages, port, node, run, number, Request::writes | flags, acknowledgements);
  std::vector<striped::Part> parts;
  for_each_part(volume, run, [&](const striped::Part& part) { parts.push_back(part); });
  for (const striped::Part& part : parts) {
    const hal::NodeId iod = system.nodes.io[volume.server_of(part.stripe)].endpoint.id();
    const Data header{.number = number, .offset = offset_of(volume, part)};
    std::byte* const data = memory + (header.offset - run.offset);
    co_await port.os().send(messages.put.message(iod, header, data, part.bytes));
  }
  while (acknowledgements.outstanding()) co_await acknowledgements.arrival();
  co_return acknowledgements.take_status();
}

}  // namespace sunstar::file_systems::pvfs
