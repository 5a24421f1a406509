// SPDX-License-Identifier: MIT
#pragma once
#include <optional>

#include "sw/file_systems/file_system.h"
#include "sw/file_systems/traditional_caching/params.h"
#include "sw/file_systems/traditional_caching/record_reader.h"
#include "sw/io/cached/client.h"

namespace sunstar::file_systems::traditional_caching {

/// A compute processor: makes its calls one by one, or distributes records by their bytes.
class Client {
 public:
  Client(System& system, const io::cached::Messages& messages, const Params& params, workload::Team& team,
         std::uint32_t processor);

  /// Starts the program.
  void start() { endpoint_.os.spawn(program(), "main"); }

 private:
  os::Task<> program();

  System& system_;
  workload::Team& team_;
  std::uint32_t processor_;
  messages::Endpoint& endpoint_;
  io::cached::Client blocks_;
  std::optional<RecordReader> records_;  // if the workload distributes records by their bytes
};

}  // namespace sunstar::file_systems::traditional_caching
