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
          const Ways& ways, workload::Team& team, std::uint32_t number)
      : ComputeProcessor(run, team, number),
        open_request_(open),
        sync_request_(sync),
        client_(client),
        ways_(ways),
        name_room_(ways.name_room > 0 ? os_.node().allocate(ways.answer + ways.name_room) : nullptr) {
    if (client_.announced() > 0) ahead_ = run_.job.workload->accesses(number);
  }

  /// After its calls, the node sends its changed bytes to the servers, as when a file is closed; the process that ends
  /// the run then has all servers put everything on their disks.
  os::Task<> run() {
    co_await make_calls([this](const requests::Access& access) { return call(access); });
    co_await flush();
    co_await team_.wait(processor_);
  }

  os::Task<> flush() { return client_.flush(); }

  os::Task<> sync() {
    messages::ReplyAction replies(endpoint_);
    for (io::IoNode& io : run_.nodes.io)
      co_await os_.send(sync_request_.message(io.endpoint.id(), {replies.expect(io.endpoint.id())}));
    while (replies.outstanding()) co_await replies.arrival();
    if (replies.take_status() == hal::Status::ok) co_return;
    std::vector<std::uint32_t> lost;
    for (std::uint32_t i = 0; i < run_.nodes.io.size(); ++i)
      if (endpoint_.peers().was_lost(run_.nodes.io[i].endpoint.id())) lost.push_back(i);
    if (ways_.fences && lost.size() == run_.nodes.io.size() && !team_.gone(processor_).empty()) {
      // It is this node that is cut off, and the others go on without it.
      os_.fence();
      os::WaitQueue never(os_, "its power");
      co_await never.wait();
    }
    for (const std::uint32_t i : lost) run_.job.record.unsynced(i);
  }

  void count_cache(Losses& losses) {
    if (!std::exchange(client_.counted, true)) client_.count_cache(losses);
  }

 private:
  os::Task<> call(const requests::Access& access) {
    hal::Status opened = hal::Status::ok;
    if (!open_.contains(access.file)) opened = co_await open(access.file, run_.job.workload->files()[access.file].name);
    const Time start = os_.now();
    run_.job.record.begin(start, processor_);
    os_.charge(os::Cost::file_call);
    ++made_;
    announce_next();
    std::byte* const memory = memory_.base + access.memory;
    NodeClient::Failures failed;
    if (opened == hal::Status::ok) co_await client_.carry_out(access, memory, failed);
    else failed.push_back({access.file, access.operation, access.offset, access.bytes, opened});
    co_await os_.settle();
    requests::Ended ended{processor_, start, os_.now(), 1, access.bytes, &access};
    std::uint64_t lost = 0;
    for (const requests::Failed& one : failed) {
      run_.job.record.failed(one);
      ended.status = one.status;
      lost += one.bytes;
    }
    if (lost > 0) run_.job.record.not_moved(lost);
    run_.job.record.moved(access.bytes - lost);
    run_.job.record.progress(access.bytes);
    run_.job.record.end(ended);
    co_await os_.give_way();  // threads are not preempted: the node's other processes wait for it
  }

  os::Task<hal::Status> open(std::uint32_t file, const std::string& name) {
    os_.charge(os::Cost::file_call);
    const auto length = static_cast<std::uint32_t>(name.size());
    assert(!name_room_ || length <= ways_.name_room);
    std::byte* const buffer = name_room_ ? name_room_ : os_.node().allocate(ways_.answer + length);
    std::memcpy(buffer + ways_.answer, name.data(), length);
    messages::ReplyAction answer(endpoint_);
    const hal::NodeId server = run_.nodes.io.front().endpoint.id();
    co_await os_.send(open_request_.message(server, {answer.expect(server, buffer)}, buffer + ways_.answer, length));
    while (answer.outstanding()) co_await answer.arrival();
    const hal::Status status = answer.take_status();
    if (status != hal::Status::ok) co_return status;
    Attributes attributes;
    std::memcpy(&attributes, buffer, sizeof attributes);
    if (attributes.objects == 0) throw SimulationError("The metadata server does not know file '" + name + "'");
    open_.insert(file);
    co_return status;
  }

  /// Announces the next calls, without waiting for the answers.
  void announce_next() {
    requests::Access access;
    while (ahead_ && announced_ < made_ + client_.announced()) {
      if (!ahead_->next(access)) return ahead_.reset();
      ++announced_;
      if (access.bytes > 0 && announced_ > made_)
        os_.spawn(client_.announce({access.file, access.offset, access.bytes}, access.operation), "lock ahead");
    }
  }

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
      const auto names = mapped(this->run_.job.workload->files(), &workload::FileSpec::name);
      metadata_server_ = std::make_unique<MetadataServer>(this->run_, this->messages().open, names, Client::ways);
      ClientServer<Params, Common, Server, Application>::start();
    }

   private:
    std::unique_ptr<MetadataServer> metadata_server_;
  };
};

}  // namespace sunstar::file_systems::striped
