// SPDX-License-Identifier: MIT
#pragma once
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstring>
#include <string>

#include "sw/file_systems/striped/node_client.h"
#include "sw/file_systems/system.h"
#include "sw/os/mutex.h"

namespace sunstar::file_systems::striped {

/// The metadata server: knows the files' names and striping. There is one, on the first I/O processor. It answers from
/// memory, one request after the other, and takes no part in reads and writes.
class MetadataServer {
 public:
  /// `names`: of the files of the volume, in their order.
  MetadataServer(System& system, const messages::Kind<Open>& open, const std::vector<std::string>& names,
                 const Ways& ways)
      : system_(system),
        endpoint_(system.nodes.io.front().endpoint),
        os_(endpoint_.os),
        ways_(ways),
        one_at_a_time_(os_, ways.name_server),
        answer_(os_.node().allocate(ways.answer)) {
    for (std::uint32_t f = 0; f < names.size(); ++f) numbers_.emplace(names[f], f);
    open.on_arrival<os::Cost::request_decode>(os_, [this](hal::Message& m) {
      std::string name = messages::text(m);
      const messages::ReplyTo to = messages::Kind<Open>::header(m).reply;
      const hal::NodeId client = m.source;
      const Time there = os_.receive(m);
      os_.spawn_at(there, this->open(client, to, std::move(name)), ways_.opens);
    });
  }

 private:
  os::Task<> open(hal::NodeId client, messages::ReplyTo to, std::string name) {
    const auto guard = co_await one_at_a_time_.lock();
    os_.charge(os::Cost::directory_entry);
    Attributes found;
    if (const auto file = numbers_.find(name); file != numbers_.end())
      found = {file->second, system_.volume.stripes(file->second).objects, system_.volume.file_bytes(file->second)};
    std::memcpy(answer_, &found, sizeof found);
    co_await os_.send(endpoint_.reply(client, to, answer_, ways_.answer));
  }

  System& system_;
  boost::unordered_flat_map<std::string, std::uint32_t> numbers_;
  messages::Endpoint& endpoint_;
  os::Os& os_;
  const Ways ways_;
  os::Mutex one_at_a_time_;
  std::byte* const answer_;
};

}  // namespace sunstar::file_systems::striped
