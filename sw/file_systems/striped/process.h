// SPDX-License-Identifier: MIT
#pragma once
#include <boost/unordered/unordered_flat_set.hpp>
#include <map>
#include <memory>
#include <utility>

#include "sw/file_systems/client_server.h"
#include "sw/file_systems/striped/metadata_server.h"

namespace sunstar::file_systems::striped {

/// A process of the application: it opens a file before its first call to it, and makes its calls through its node's
/// client.
class Process : public ComputeProcessor {
 public:
  static constexpr const char* thread = "application";
  Process(Run& run, const messages::Kind<Open>& open, const messages::Kind<Sync>& sync, NodeClient& client,
          const Ways& ways, workload::Team& team, std::uint32_t number);

  /// After its calls, the node sends its changed bytes to the servers, as when a file is closed; the process that ends
  /// the run then has all servers put everything on their disks.
  os::Task<> run();
  os::Task<> flush() { return client_.flush(); }
  os::Task<> sync();
  void count_cache(Losses& losses) {
    if (!std::exchange(client_.counted, true)) client_.count_cache(losses);
  }

 private:
  os::Task<> call(const requests::Access& access);
  os::Task<hal::Status> open(std::uint32_t file, const std::string& name);
  void announce_next();

  const messages::Kind<Open>& open_request_;
  const messages::Kind<Sync>& sync_request_;
  NodeClient& client_;
  const Ways ways_;
  std::byte* const name_room_;
  boost::unordered_flat_set<std::uint32_t> open_;  // files
  std::unique_ptr<requests::AccessSource> ahead_;  // if it announces its calls
  std::uint64_t made_ = 0, announced_ = 0;
};

/// A file system whose processes open files at a metadata server: each kind adds its `Server` and its nodes' `Client`.
template <class Params, class Messages, class Server, class Client>
struct Kind {
  struct Common : Messages {
    using Messages::Messages;
    /// The client of the process's node, made for the first of its processes.
    NodeClient& client_of(Run& run, const Params& params, std::uint32_t process) {
      messages::Endpoint& compute = *run.nodes.compute[process];
      auto& client = clients[compute.id()];
      if (!client) client = std::make_unique<Client>(run, *this, params, compute);
      return *client;
    }
    void add_statistics(StatisticSet& set) {
      for (auto& [node, client] : clients) client->add_statistics(set);
    }
    std::map<hal::NodeId, std::unique_ptr<Client>> clients;
  };
  struct Application : Process {
    Application(Run& run, Common& common, const Params& params, workload::Team& team, std::uint32_t number)
        : Process(run, common.open, common.sync, common.client_of(run, params, number), Client::ways, team, number) {}
  };
  struct FileSystem : ClientServer<Params, Common, Server, Application> {
    using ClientServer<Params, Common, Server, Application>::ClientServer;
    void start() override {
      std::vector<std::string> names;
      for (const workload::FileSpec& file : this->run_.job.workload->files()) names.push_back(file.name);
      metadata_server_ = std::make_unique<MetadataServer>(this->run_, this->messages().open, names, Client::ways);
      ClientServer<Params, Common, Server, Application>::start();
    }

   private:
    std::unique_ptr<MetadataServer> metadata_server_;
  };
};

}  // namespace sunstar::file_systems::striped
