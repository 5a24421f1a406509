// SPDX-License-Identifier: MIT
#include "sw/file_systems/striped/node_client.h"
#include "sw/file_systems/striped/process.h"
#include "sw/file_systems/striped/targets.h"
#include "sw/file_systems/versioned/log_server.h"

namespace sunstar::file_systems::versioned {

/// The file system in a compute processor: it cuts calls into requests for parts of stripes, and bytes go straight to
/// and from the application's memory. A call's effect on one stripe is atomic, up to a request's size.
class Client final : public striped::NodeClient {
 public:
  Client(System& system, const striped::Messages& messages, const Params& params, messages::Endpoint& endpoint)
      : system_(system), os_(endpoint.os), targets_(system, messages, params.objects, endpoint) {}

  os::Task<> carry_out(const requests::Access& access, std::byte* memory, Failures& failed) override {
    std::deque<Outcome> parts;
    const auto most = static_cast<std::uint32_t>(targets_.params().request_size.count);
    striped::for_each_part(system_.volume, {access.file, access.offset, access.bytes}, [&](striped::Part part) {
      for (const std::uint32_t end = part.from + part.bytes; part.from < end; part.from += part.bytes) {
        part.bytes = std::min(most, end - part.from);
        parts.push_back({part});
      }
    });
    striped::Together together(os_, "part of a call");
    for (Outcome& one : parts) {
      auto work = transfer(one, memory, access.operation == requests::Operation::write);
      if (parts.size() == 1) co_await work;
      else together.add(std::move(work));
      memory += one.part.bytes;
    }
    co_await together.all();
    for (const Outcome& one : parts)
      if (one.status != hal::Status::ok)
        failed.push_back(
            {access.file, access.operation, offset_of(system_.volume, one.part), one.part.bytes, one.status});
  }

  void add_statistics(StatisticSet&) override {}

 private:
  struct Outcome {
    striped::Part part;
    hal::Status status = hal::Status::ok;
  };
  os::Task<> transfer(Outcome& outcome, std::byte* memory, bool writes) {
    if (!writes) {
      outcome.status = co_await targets_.read(outcome.part, memory);
      co_return;
    }
    const std::uint32_t unit = targets_.unit_of(outcome.part);
    while (!targets_.may_write(unit)) co_await targets_.slots(unit).wait();
    targets_.begin_write(unit);
    const striped::Targets::Piece piece{outcome.part, memory};
    outcome.status = co_await targets_.write({&piece, 1});
  }

  System& system_;
  os::Os& os_;
  striped::Targets targets_;
};

// A parallel file system without locks, after what is published of DAOS. docs/file-systems/versioned.md follows one
// call.
std::unique_ptr<FileSystem> make(const Params& params, Run& run) {
  striped::require_pages(params.objects, run.volume);
  if (params.log.size.count < params.objects.request_size.count)
    throw ConfigError("file_system.log.size is " + std::to_string(params.log.size.count) +
                      " bytes; it must hold a request, file_system.objects.request_size, " +
                      std::to_string(params.objects.request_size.count) + " bytes.");
  return std::make_unique<striped::Kind<Params, striped::Messages, LogServer, Client>::FileSystem>(run, params);
}

std::uint64_t memory(const Params& params, const Sizes& sizes) {
  return (sizes.disks_of_node > 0 ? params.log.size.count : 0) +
         params.log.merges * sizes.disks_of_node * (sizes.block_bytes + 64) + striped::memory(params.objects, sizes);
}

}  // namespace sunstar::file_systems::versioned
