// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <vector>

#include "sw/messages/endpoint.h"

namespace sunstar::messages {

/// A barrier over the network among a fixed group of processes: every member reports to the first one, which then
/// releases all others. Members on the same node share its messages.
class Barrier {
 public:
  Barrier(std::vector<Endpoint*> members, Numbers& numbers);
  /// Returns when all members have called it.
  os::Task<> wait(std::size_t member);

 private:
  struct Nothing {};
  void arrived();
  struct Node {
    hal::NodeId id;
    std::vector<std::size_t> members;
  };
  void release(const Node& node);

  std::vector<Endpoint*> members_;
  std::vector<Node> nodes_;  // that of the first member comes first
  const Kind<Nothing> arrive_, release_;
  std::vector<os::WaitQueue> released_;
  std::size_t arrived_ = 0;
};

}  // namespace sunstar::messages
