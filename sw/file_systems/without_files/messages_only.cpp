// SPDX-License-Identifier: MIT
#include "sw/file_systems/client_server.h"
#include "sw/file_systems/without_files/without_files.h"

namespace sunstar::file_systems {
namespace {

struct Params {
  static constexpr Capabilities can{.calls = true, .survives_stops = true};
};
struct Messages {
  explicit Messages(messages::Numbers&) {}
};
struct Server {
  Server(System&, const Messages&, const Params&, std::uint32_t) {}
};
/// Of a job that does nothing while another one runs alone.
struct Client {
  Client(Run&, const Messages&, const Params&, workload::Team& t, std::uint32_t p) : team(t), processor(p) {}
  os::Task<> run() { co_await team.wait(processor); }
  workload::Team& team;
  const std::uint32_t processor;
};

}  // namespace

std::unique_ptr<FileSystem> messages_only(Run& run) {
  return std::make_unique<ClientServer<Params, Messages, Server, Client>>(run, Params{});
}

}  // namespace sunstar::file_systems
