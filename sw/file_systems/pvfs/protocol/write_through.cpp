// SPDX-License-Identifier: MIT
#include "sw/file_systems/pvfs/protocol/write_through.h"

#include <vector>

namespace sunstar::file_systems::pvfs {

using os::Cost;

os::Task<> write_through(System& system, const Messages& messages, Port& port, const FileRange& run, std::byte* memory,
                         std::uint32_t flags) {
  os::Os& os = port.os();
  const io::Volume& volume = system.volume;
  messages::ReplyAction acknowledgements(port.endpoint());
  const std::uint32_t number = port.new_number();
  for (const std::uint32_t node : data_nodes_of(volume, run)) {
    Request ask;
    ask.file = run.file;
    ask.number = number;
    ask.offset = run.offset;
    ask.bytes = run.bytes;
    ask.flags = Request::writes | flags;
    ask.acknowledgement = acknowledgements.expect();
    os.charge(Cost::block_request);
    const hal::Message message = messages.request.message(system.nodes.io[node].endpoint.id(), ask);
    co_await os.send(message);
  }
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
    Data header;
    header.number = number;
    header.offset = part.offset;
    const hal::Message message =
        messages.put.message(part.iod, header, memory + (part.offset - run.offset), part.bytes);
    co_await os.send(message);
  }
  while (acknowledgements.outstanding()) co_await acknowledgements.arrival();
}

}  // namespace sunstar::file_systems::pvfs
