// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "sw/messages/endpoint.h"
#include "tests/support/fake_node.h"

namespace sunstar::test {

/// An executive and an endpoint on every node of a fake machine.
class Endpoints {
 public:
  Endpoints(FakeMachine& machine, const os::Costs& costs, const std::optional<os::SocketParams>& sockets = {},
            const std::optional<os::Acknowledged>& delivery = {})
      : common(costs, sockets) {
    common.delivery = delivery;
    for (std::size_t i = 0; i < machine.size(); ++i) {
      executives_.push_back(std::make_unique<os::Os>(machine[i], common));
      endpoints_.push_back(std::make_unique<messages::Endpoint>(*executives_.back(), protocol));
    }
  }

  messages::Endpoint& operator[](std::size_t i) { return *endpoints_[i]; }
  os::Os& os(std::size_t i) { return *executives_[i]; }
  std::size_t size() const { return endpoints_.size(); }
  std::vector<messages::Endpoint*> all() { return first(size()); }
  std::vector<messages::Endpoint*> first(std::size_t n) {
    std::vector<messages::Endpoint*> some;
    for (std::size_t i = 0; i < n; ++i) some.push_back(endpoints_[i].get());
    return some;
  }

  os::Common common;
  messages::Protocol protocol;

 private:
  std::vector<std::unique_ptr<os::Os>> executives_;
  std::vector<std::unique_ptr<messages::Endpoint>> endpoints_;
};

}  // namespace sunstar::test
