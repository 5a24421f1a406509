// SPDX-License-Identifier: MIT
#pragma once
#include <boost/container/flat_map.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include "sw/file_systems/pvfs/protocol/messages.h"
#include "sw/file_systems/system.h"

// What a process, or its node's cache module, asks of the iods.
namespace sunstar::file_systems::pvfs {

class Incoming;

/// Where the data that iods send to a node arrive, for all its processes.
class Port {
 public:
  Port(messages::Endpoint& endpoint, const Messages& messages);
  messages::Endpoint& endpoint() { return endpoint_; }
  os::Os& os() { return endpoint_.os; }
  /// A number for a request of this node.
  std::uint32_t new_number() { return next_++; }

 private:
  friend class Incoming;
  /// The request that waits for the message's part; null if none does any more, because its iod was taken for gone.
  Incoming* waiting_for(const hal::Message& m, std::uint32_t number, std::uint64_t offset);
  messages::Endpoint& endpoint_;
  boost::unordered_flat_map<std::uint32_t, Incoming*> waiting_;
  std::uint32_t next_ = 0;
};

/// The data that answer a request to an iod.
class Incoming : private messages::Peers::Waiter {
 public:
  explicit Incoming(Port& port);
  Incoming(const Incoming&) = delete;
  virtual ~Incoming();
  std::uint32_t number() const { return number_; }
  bool complete() const { return left_ == 0; }
  /// Call this before the data node's iod is asked for its part of the run. Its bytes will come, or it will say that
  /// some of them cannot; one that is gone will not send them.
  void watch(System& system, std::uint32_t io_processor, const FileRun& run);
  /// Waits until nothing is missing that may still come.
  os::Task<> all();

 protected:
  /// In the handler: puts the message's data, which lie at `offset` of the file, in their place; returns the time when
  /// they are there.
  virtual Time place(hal::Message& m, std::uint64_t offset) = 0;
  /// At that time.
  virtual void there(std::uint64_t, std::uint32_t) {}
  /// Bytes that lie at `offset` of the file will not come.
  virtual void failed(std::uint64_t offset, std::uint32_t bytes, hal::Status status) = 0;

 private:
  friend class Port;
  void lost(hal::NodeId) final;
  void came(std::uint64_t bytes);

  Port& port_;
  const std::uint32_t number_;
  hal::NodeId iod_ = 0;
  std::uint64_t left_ = 0;
  boost::container::flat_map<std::uint64_t, std::uint32_t> parts_;  // bytes of those that have not begun to arrive
  os::WaitQueue arrival_;
};

/// Sends a request with `flags` to a data node's iod for its part of the run. `number` names its data.
os::Task<> ask_iod(System& system, const Messages& messages, Port& port, std::uint32_t io_processor, const FileRun& run,
                   std::uint32_t number, std::uint32_t flags, messages::ReplyAction& acknowledgements);

/// Writes a run straight to the iods: a request with `flags` to each, the data behind it, and their acknowledgements.
/// Returns an error if an iod could not write all of its part.
os::Task<hal::Status> write_through(System& system, const Messages& messages, Port& port, const FileRun& run,
                                    std::byte* memory, std::uint32_t flags);

}  // namespace sunstar::file_systems::pvfs
