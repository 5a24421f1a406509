// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "models/core/problems.h"
#include "sw/workload/machine_sizes.h"

namespace sunstar::workload {

/// Who sends to whom (sw/messages/exchange.h).
BOOST_DEFINE_ENUM_CLASS(ExchangePattern,
                        neighbours,     ///< in a periodic grid
                        all_to_all,     ///< each process to each other
                        allreduce,      ///< a vector of each process is combined, by recursive doubling
                        allreduce_ring  ///< the same round a ring
)

/// Messages between the processes of an application, round after round, without files.
struct ExchangeParams {
  static constexpr std::string_view kind = "exchange";
  static constexpr std::string_view help =
      "the processes compute and exchange messages with one another, round after round, without files";
  ExchangePattern pattern = ExchangePattern::neighbours;
  std::vector<std::uint32_t> grid;
  Bytes message_size{64 << 10};
  std::uint32_t rounds = 10;
  Duration compute{};
  Duration period{};
};
BOOST_DESCRIBE_STRUCT(ExchangeParams, (), (pattern, grid, message_size, rounds, compute, period))
inline std::vector<Param> parameters(const ExchangeParams*) {
  return {
      {"pattern",
       "who sends to whom: each process to its neighbours in a periodic grid; each to all others; or a vector is "
       "combined for all, by recursive doubling (allreduce) or round a ring (allreduce-ring)"},
      Param{"grid",
            "processes in each dimension; their product is the number of processes. Empty: all processes in a ring",
            "1", "65536"}
          .used_if("pattern", {"neighbours"}),
      {"message_size",
       "data of a message; of an allreduce, the vector of a process, of which allreduce-ring sends a part at a time",
       "1B", "16MiB"},
      {"rounds", "how often each process exchanges messages", "1", "1000000"},
      {"compute", "how long each process computes before it exchanges the messages of a round", "0s", "1000s"},
      {"period",
       "time from the start of a process's round to the start of its next, which begins at once if the round takes "
       "longer",
       "0s", "1000s"}};
}
/// Checks that the exchange ends within the time that a run may take.
void check(const ExchangeParams& params, const std::string& path, Problems& problems);

/// Throws ConfigError if check() finds something, the grid does not have a place for each process, or the messages are
/// too many.
std::unique_ptr<Workload> make(const ExchangeParams& params, const MachineSizes& machine);

}  // namespace sunstar::workload
