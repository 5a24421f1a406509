// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <span>

#include "models/core/statistics.h"
#include "sw/file_systems/striped/messages.h"
#include "sw/file_systems/striped/objects.h"
#include "sw/file_systems/system.h"

namespace sunstar::file_systems::striped {

/// An I/O processor that serves objects: `server_threads` requests at a time, first come, first served. Kinds differ in
/// what they do with bytes, and in which clients they admit.
class ObjectServer {
 public:
  void add_statistics(StatisticSet& set);

 protected:
  ObjectServer(System& system, const Messages& messages, const Params& params, std::uint32_t io_processor);
  ~ObjectServer() = default;

  /// Memory for `bytes` of a client's.
  virtual os::Task<std::byte*> room(std::uint64_t bytes) = 0;
  /// Keeps the parts, one behind the other in `data`, and takes the memory back. A status of ok promises that the bytes
  /// are safe, or that sync() reports their loss.
  virtual os::Task<hal::Status> keep(std::span<const Part> parts, std::byte* data) = 0;
  /// The bytes did not come.
  virtual void give_back(std::byte* data, std::uint64_t bytes) = 0;
  /// Fetches a part to `buffer` + part.from modulo a sector.
  virtual os::Task<hal::Status> fetch(const Part& part, std::byte* buffer) = 0;
  /// Brings everything to the media, and appends unreported losses to `lost`.
  virtual os::Task<hal::Status> sync(std::vector<requests::Failed>& lost) = 0;
  /// Whether the client may still read and write: it knows how often it has been evicted.
  virtual bool admits([[maybe_unused]] hal::NodeId client, [[maybe_unused]] std::uint32_t connection) { return true; }
  /// Returns when it has nothing more to do with the data of a client that is gone.
  os::Task<> done_with(hal::NodeId client);

  io::IoNode& node_;
  const io::Volume& volume_;
  os::Os& os_;

 private:
  /// Around the work of a thread.
  os::Task<> enter();
  void leave();
  os::Task<> read(hal::Message& m);
  os::Task<> write(hal::Message& m);
  os::Task<hal::Status> take(hal::NodeId client, const Transfer& asked, const std::vector<Segment>& segments);
  os::Task<> answer_sync(hal::Message& m);
  void charge_request();

  const Params params_;
  requests::Recorder& record_;
  messages::Endpoint& endpoint_;
  std::uint32_t busy_ = 0;
  os::WaitQueue free_, settled_;
  std::vector<std::byte*> buffers_;
  std::map<hal::NodeId, std::uint32_t> writes_of_;  // under way, by client
  std::uint64_t reads_ = 0, writes_ = 0, segments_ = 0, waits_ = 0, refused_ = 0;
};

}  // namespace sunstar::file_systems::striped
