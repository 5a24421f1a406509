// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <vector>

#include "sw/file_systems/capabilities.h"
#include "sw/file_systems/file_system.h"

namespace sunstar::file_systems {

/// A file system with a server on each I/O processor and a client on each compute processor, which meet in teams.
/// `Kind` names its parts: Params, Messages(numbers), Server(system, messages, params, io_processor),
/// Client(system, messages, params, team, processor) with start().
template <class Kind>
class ClientServer : public FileSystem {
 public:
  ClientServer(System& system, const typename Kind::Params& params)
      : system_(system), params_(params), messages_(system.protocol.numbers) {}

  workload::Unit unit(std::uint32_t team) const override {
    return file_systems::unit(Kind::Params::can, *system_.job.workload, team);
  }

  void start() override {
    start_servers();
    teams_ = std::make_unique<workload::Teams>(system_.nodes.compute, *system_.job.workload, system_.job.record,
                                               system_.protocol.numbers);
    for (std::uint32_t p = 0; p < system_.nodes.compute.size(); ++p)
      clients_.push_back(std::make_unique<typename Kind::Client>(system_, messages_, params_, teams_->of(p), p));
    for (auto& client : clients_) client->start();
  }

 protected:
  void start_servers() {
    for (std::uint32_t i = 0; i < system_.nodes.io.size(); ++i)
      servers_.push_back(std::make_unique<typename Kind::Server>(system_, messages_, params_, i));
  }
  const typename Kind::Messages& messages() const { return messages_; }
  const std::vector<std::unique_ptr<typename Kind::Server>>& servers() const { return servers_; }

  System& system() const { return system_; }

 private:
  System& system_;
  const typename Kind::Params params_;
  const typename Kind::Messages messages_;
  std::unique_ptr<workload::Teams> teams_;
  std::vector<std::unique_ptr<typename Kind::Client>> clients_;
  std::vector<std::unique_ptr<typename Kind::Server>> servers_;
};

}  // namespace sunstar::file_systems
