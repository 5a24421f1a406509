// SPDX-License-Identifier: MIT
#include "sw/file_systems/pvfs/protocol/to_iods.h"

#include <vector>

namespace sunstar::file_systems::pvfs {

os::Task<> ask_iods(System& system, const Messages& messages, Port& port, const FileRange& run, std::uint32_t number,
                    std::uint32_t flags, messages::ReplyAction& acknowledgements) {
  for (const std::uint32_t node : data_nodes_of(system.volume, run)) {
    const hal::NodeId iod = system.nodes.io[node].endpoint.id();
    const Request ask{.file = run.file,
                      .number = number,
                      .offset = run.offset,
                      .bytes = run.bytes,
                      .flags = flags,
                      .acknowledgement = acknowledgements.expect(iod)};
    port.os().charge(os::Cost::block_request);
    co_await port.os().send(messages.request.message(iod, ask));
  }
}

os::Task<hal::Status> write_through(System& system, const Messages& messages, Port& port, const FileRange& run,
                                    std::byte* memory, std::uint32_t flags) {
  const io::Volume& volume = system.volume;
  messages::ReplyAction acknowledgements(port.endpoint());
  const std::uint32_t number = port.new_number();
  co_await ask_iods(system, messages, port, run, number, Request::writes | flags, acknowledgements);
  struct Part {
    std::uint64_t offset;
    std::uint32_t bytes;
    hal::NodeId iod;
  };
  std::vector<Part> parts;
  for_each_stripe(volume, run, [&](std::uint64_t stripe, std::uint32_t at, std::uint32_t bytes) {
    const hal::NodeId iod = system.nodes.io[volume.server_of(stripe)].endpoint.id();
    parts.push_back({stripe * volume.block_bytes() + at, bytes, iod});
  });
  for (const Part& part : parts) {
    const Data header{.number = number, .offset = part.offset};
    std::byte* const data = memory + (part.offset - run.offset);
    co_await port.os().send(messages.put.message(part.iod, header, data, part.bytes));
  }
  while (acknowledgements.outstanding()) co_await acknowledgements.arrival();
  co_return acknowledgements.take_status();
}

}  // namespace sunstar::file_systems::pvfs
