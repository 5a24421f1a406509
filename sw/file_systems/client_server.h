// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <functional>
#include <type_traits>
#include <utility>

#include "sw/file_systems/capabilities.h"
#include "sw/file_systems/file_system.h"
#include "sw/workload/job.h"

namespace sunstar::file_systems {

/// Ends a run: one processor brings the file system to its own end, or another one if that one has stopped; if all have
/// stopped, the run is over. If the network is cut in two, each part takes the other for gone and ends by itself; the
/// run is over when both have ended.
class Ending {
 public:
  /// `end`: what that processor does. `gone`: the processors that it takes for gone; null: none.
  Ending(Run& run, std::function<os::Task<>(std::uint32_t processor)> end,
         std::function<std::vector<std::uint32_t>(std::uint32_t processor)> gone = nullptr)
      : run_(run), end_(std::move(end)), gone_(std::move(gone)), states_(run.nodes.compute.size()) {}

  /// The program of a processor has ended. `last`: it is the one.
  os::Task<> program_ended(std::uint32_t processor, bool last) {
    states_[processor] = State::ended;
    if (last) co_await end(processor);
    else look();
  }
  void stopped(std::uint32_t processor) {
    states_[processor] = State::stopped;
    look();
  }

 private:
  enum class State : std::uint8_t { runs, ends, ended, stopped };
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  bool is_over(std::uint32_t processor) const { return states_[processor] >= State::ended; }
  os::Task<> end(std::uint32_t processor) {
    states_[processor] = State::ends;
    co_await end_(processor);
    states_[processor] = State::ended;
    done_ = processor;
    look();
  }
  void look() {
    if (run_.job.record.finished()) return;
    if (done_ != nobody) {
      const auto over = [this](std::uint32_t p) { return is_over(p); };
      if (!gone_ || std::ranges::all_of(gone_(done_), over))
        run_.job.record.finish(run_.nodes.compute[done_]->os.now());
      return;
    }
    std::uint32_t first = nobody;
    for (std::uint32_t p = 0; p < states_.size(); ++p) {
      if (!is_over(p)) return;
      if (states_[p] == State::ended && first == nobody) first = p;
    }
    os::Os& os = run_.nodes.compute[first == nobody ? 0 : first]->os;
    if (first == nobody) {  // nobody is left to synchronise
      for (std::uint32_t i = 0; i < run_.nodes.io.size(); ++i) run_.job.record.unsynced(i);
      return run_.job.record.finish(os.now());
    }
    states_[first] = State::ends;
    os.spawn(end(first), "main");
  }

  Run& run_;
  std::function<os::Task<>(std::uint32_t)> end_;
  std::function<std::vector<std::uint32_t>(std::uint32_t)> gone_;
  std::vector<State> states_;    // by processor
  std::uint32_t done_ = nobody;  // the processor that has ended the file system
};

/// What every client of a file system has: its place in the machine and in its application.
class ComputeProcessor {
 public:
  ComputeProcessor(Run& run, workload::Team& team, std::uint32_t processor)
      : run_(run),
        team_(team),
        processor_(processor),
        endpoint_(*run.nodes.compute[processor]),
        os_(endpoint_.os),
        memory_(run.job.memory[processor]) {}

 protected:
  /// The application's calls, and its collectives (sw/workload/job.h).
  template <os::Cost call = os::Cost::file_call, class Transfer>
  os::Task<> make_calls(Transfer transfer) {
    return workload::make_calls<call>(run_.job, os_, team_, processor_, std::move(transfer));
  }
  template <class CarryOut, class Missing>
  os::Task<> make_collectives(CarryOut carry_out, Missing missing) {
    return workload::make_collectives(run_.job, os_, team_, processor_, std::move(carry_out), std::move(missing));
  }

  Run& run_;
  workload::Team& team_;
  const std::uint32_t processor_;
  messages::Endpoint& endpoint_;
  os::Os& os_;
  messages::RemoteMemory& memory_;  // the application's buffer
};

/// A file system with a server on each I/O processor and a client on each compute processor, which meet in teams. They
/// are made as Messages(numbers), or Messages(run, params) if all nodes have more in common, Server(run, messages,
/// params, io_processor) and Client(run, messages, params, team, processor). A client's start(), if it has one, starts
/// threads of its own; its run() is the processor's part of the application, unless that exchanges messages, in a
/// thread of the name Client::thread, or "main". When all have ended, one client's sync(), if it has one, ends the file
/// system. A call that waits for the disk (Access::sync) uses fsync(), or sync() without one, after each client's
/// flush(), if it has one. If its node stops, a client's count_cache(losses), if it has one, tells what its cache held.
/// Messages and servers may have add_statistics(set).
template <class Params, class Messages, class Server, class Client>
class ClientServer : public FileSystem {
 public:
  ClientServer(Run& run, const Params& params) : run_(run), params_(params), messages_(make_messages(run, params_)) {}

  workload::Unit unit(std::uint32_t team) const override {
    return file_systems::unit(Params::can, *run_.job.workload, team);
  }
  void start() override {
    start_servers();
    teams_ = std::make_unique<workload::Teams>(run_.nodes.compute, *run_.job.workload, run_.job.record,
                                               run_.protocol.numbers);
    const auto processors = static_cast<std::uint32_t>(run_.nodes.compute.size());
    for (std::uint32_t p = 0; p < processors; ++p)
      clients_.push_back(std::make_unique<Client>(run_, messages_, params_, teams_->of(p), p));
    ending_.emplace(
        run_, [this](std::uint32_t p) { return sync(p); }, [this](std::uint32_t p) { return teams_->gone(p); });
    if constexpr (requires(Client & client) { client.flush(); })
      run_.job.flush = [this](std::uint32_t p) { return clients_[p]->flush(); };
    if constexpr (requires(Client & client) { client.fsync(); })
      run_.job.sync = [this](std::uint32_t p) { return clients_[p]->fsync(); };
    else if constexpr (requires(Client & client) { client.sync(); })
      run_.job.sync = [this](std::uint32_t p) { return clients_[p]->sync(); };
    const char* name = "main";
    if constexpr (requires { Client::thread; }) name = Client::thread;
    for (std::uint32_t p = 0; p < processors; ++p) {
      if constexpr (requires { clients_[p]->start(); }) clients_[p]->start();
      run_.nodes.compute[p]->os.spawn(program(p), name);
    }
  }
  void stop(std::uint32_t processor) override {
    losses_.stops(run_.job, processor, unit(teams_->of(processor).number()) == workload::Unit::call);
    if constexpr (requires(Client & client) { client.count_cache(losses_); }) clients_[processor]->count_cache(losses_);
    ending_->stopped(processor);
  }
  const Losses& losses() const override { return losses_; }
  void add_statistics(StatisticSet& set) override {
    if constexpr (requires(Server & server) { server.add_statistics(set); })
      for (auto& server : servers_) server->add_statistics(set);
    if constexpr (requires(Messages & all) { all.add_statistics(set); }) messages_.add_statistics(set);
  }

 protected:
  void start_servers() {
    for (std::uint32_t i = 0; i < run_.nodes.io.size(); ++i)
      servers_.push_back(std::make_unique<Server>(run_, messages_, params_, i));
  }
  const Params& params() const { return params_; }
  Messages& messages() { return messages_; }
  const Messages& messages() const { return messages_; }

  Run& run_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::unique_ptr<Server>> servers_;
  std::optional<Ending> ending_;
  Losses losses_;

 private:
  static Messages make_messages(Run& run, const Params& params) {
    if constexpr (std::is_constructible_v<Messages, Run&, const Params&>) return Messages(run, params);
    else return Messages(run.protocol.numbers);
  }
  os::Task<> program(std::uint32_t processor) {
    workload::Team& team = teams_->of(processor);
    os::Os& os = run_.nodes.compute[processor]->os;
    if (team.exchange()) co_await workload::exchange_messages(run_.job, os, team, processor);
    else co_await clients_[processor]->run();
    const bool last = co_await team.ends_run(processor);
    co_await ending_->program_ended(processor, last);
  }
  os::Task<> sync(std::uint32_t processor) {
    if constexpr (requires { clients_[processor]->sync(); }) co_await clients_[processor]->sync();
    co_return;
  }

  const Params params_;
  Messages messages_;
  std::unique_ptr<workload::Teams> teams_;
};

}  // namespace sunstar::file_systems
