// SPDX-License-Identifier: MIT
#pragma once
#include <deque>

#include "sw/file_systems/striped/node_client.h"
#include "sw/file_systems/striped/targets.h"
#include "sw/file_systems/versioned/params.h"

namespace sunstar::file_systems::versioned {

/// The file system in a compute processor: it cuts calls into requests for parts of stripes, and bytes go straight to
/// and from the application's memory. What a call does to one stripe is atomic, up to a request's size.
class Client final : public striped::NodeClient {
 public:
  Client(System& system, const striped::Messages& messages, const Params& params, messages::Endpoint& endpoint)
      : system_(system), os_(endpoint.os), targets_(system, messages, params.objects, endpoint) {}

  os::Task<> carry_out(const requests::Access& access, std::byte* memory, Failures& failed) override;
  void add_statistics(StatisticSet&) override {}

 private:
  struct Outcome {
    striped::Part part;
    hal::Status status = hal::Status::ok;
  };
  os::Task<> transfer(Outcome& outcome, std::byte* memory, bool writes);

  System& system_;
  os::Os& os_;
  striped::Targets targets_;
};

}  // namespace sunstar::file_systems::versioned
