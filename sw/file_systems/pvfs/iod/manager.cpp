// SPDX-License-Identifier: MIT
#include "sw/file_systems/pvfs/iod/manager.h"

#include <cstring>
#include <utility>

namespace sunstar::file_systems::pvfs {

using os::Cost;

Manager::Manager(System& system, const Messages& messages, std::vector<std::string> names)
    : system_(system),
      names_(std::move(names)),
      endpoint_(system.nodes.io.front().endpoint),
      os_(endpoint_.os),
      process_(os_, "the manager"),
      answer_(os_.node().allocate(sizeof(Attributes))) {
  messages.open.on_arrival<Cost::request_decode>(os_, [this](hal::Message& m) {
    std::string name = messages::text(m);
    const messages::ReplyTo to = messages::Kind<Open>::header(m).reply;
    const hal::NodeId source = m.source;
    const Time there = os_.receive(m);
    os_.spawn_at(there, open(source, to, std::move(name)), "mgr");
  });
}

// A file that it does not know has no data nodes.
os::Task<> Manager::open(hal::NodeId source, messages::ReplyTo to, std::string name) {
  const auto guard = co_await process_.lock();
  os_.charge(Cost::directory_entry);
  Attributes found;
  for (std::uint32_t f = 0; f < names_.size(); ++f) {
    if (names_[f] != name) continue;
    found.file = f;
    found.data_nodes = static_cast<std::uint32_t>(system_.nodes.io.size());
    found.stripe = system_.volume.block_bytes();
    found.bytes = system_.volume.file_bytes(f);
  }
  std::memcpy(answer_, &found, sizeof found);
  co_await os_.send(endpoint_.reply(source, to, answer_, sizeof found));
}

}  // namespace sunstar::file_systems::pvfs
