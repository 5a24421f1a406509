// SPDX-License-Identifier: MIT
#pragma once
#include <filesystem>

#include "models/core/param.h"
#include "models/core/problems.h"
#include "sw/workload/machine_sizes.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {

/// An irregular part of a file: chunks drawn at random, or the pieces that a list names.
struct SubsetParams {
  static constexpr std::string_view kind = "subset";
  static constexpr std::string_view help =
      "the processors read or write an irregular part of a file: some of its chunks, drawn at random, or the pieces of "
      "a list";
  Operation operation = Operation::read;
  Bytes file_size{100 << 20};
  Bytes chunk_size{8 << 10};
  double share = 0.22;
  std::uint32_t balance = 16;
  std::uint32_t draw = 1;
  std::filesystem::path list;
};
BOOST_DESCRIBE_STRUCT(SubsetParams, (), (operation, file_size, chunk_size, share, balance, draw, list))
inline std::vector<Param> parameters(const SubsetParams*) {
  const auto at_random = [](Param p) { return std::move(p).used_if("list", {""}); };
  return {
      {"operation", "whether the processors read or write the pieces"},
      {"file_size", "size of the file, or more if the list's pieces need it", "1B", "1TiB"},
      at_random({"chunk_size", "size of a chunk; the last one of the file may be shorter", "1B", "1GiB"}),
      at_random({"share", "share of the chunks that is chosen, at least one chunk", "0.0001", "1"}),
      at_random({"balance",
                 "every n-th chunk belongs to the same class, such as the chunks of one processor or of one disk: "
                 "equally many are chosen of each class, or one more",
                 "1", "1000000"}),
      at_random(
          {"draw", "number of the random draw: another number chooses other chunks; the same ones in all trials"}),
      {"list", "CSV file, plain or .gz, with the columns processor, offset, length: the pieces; empty: random chunks"},
  };
}
void check(const SubsetParams& params, const std::string& path, Problems& problems);

std::unique_ptr<Workload> make(const SubsetParams& params, const MachineSizes& machine);

}  // namespace sunstar::workload
