// SPDX-License-Identifier: MIT
#include "sw/file_systems/striped/metadata_server.h"

#include <cstring>

namespace sunstar::file_systems::striped {

using os::Cost;

MetadataServer::MetadataServer(System& system, const messages::Kind<Open>& open, const std::vector<std::string>& names,
                               const Ways& ways)
    : system_(system),
      endpoint_(system.nodes.io.front().endpoint),
      os_(endpoint_.os),
      ways_(ways),
      one_at_a_time_(os_, ways.name_server),
      answer_(os_.node().allocate(ways.answer)) {
  for (std::uint32_t f = 0; f < names.size(); ++f) numbers_.emplace(names[f], f);
  open.on_arrival<Cost::request_decode>(os_, [this](hal::Message& m) {
    std::string name = messages::text(m);
    const messages::ReplyTo to = messages::Kind<Open>::header(m).reply;
    const hal::NodeId client = m.source;
    const Time there = os_.receive(m);
    os_.spawn_at(there, this->open(client, to, std::move(name)), ways_.opens);
  });
}

os::Task<> MetadataServer::open(hal::NodeId client, messages::ReplyTo to, std::string name) {
  const auto guard = co_await one_at_a_time_.lock();
  os_.charge(Cost::directory_entry);
  Attributes found;
  if (const auto file = numbers_.find(name); file != numbers_.end())
    found = {file->second, system_.volume.stripes(file->second).objects, system_.volume.file_bytes(file->second)};
  std::memcpy(answer_, &found, sizeof found);
  co_await os_.send(endpoint_.reply(client, to, answer_, ways_.answer));
}

}  // namespace sunstar::file_systems::striped
