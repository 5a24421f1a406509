// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "models/core/problems.h"
#include "sw/requests/selection.h"
#include "sw/workload/machine_sizes.h"

namespace sunstar::workload {

/// How a record's compute processor is chosen.
using RecordFunction = requests::Selection::Function;

/// A file of records: a function of its bytes sends each to a compute processor, or nowhere.
struct RecordsParams {
  static constexpr std::string_view kind = "records";
  static constexpr std::string_view help =
      "each record of a file goes to the processor that a function of its bytes names, or nowhere";
  Bytes record_size{64};
  Bytes file_size{10 << 20};
  RecordFunction function = RecordFunction::cyclic;
  Bytes key_offset{0};
  Bytes key_size{8};
  std::vector<std::uint64_t> boundaries;
  std::uint32_t sample = 1024;
  double discard = 0;
  Bytes filter_offset{0};
};
BOOST_DESCRIBE_STRUCT(RecordsParams, (),
                      (record_size, file_size, function, key_offset, key_size, boundaries, sample, discard,
                       filter_offset))
inline std::vector<Param> parameters(const RecordsParams*) {
  return {
      {"record_size", "size of a record; the block size must be a multiple of it", "1B", "1MiB"},
      {"file_size", "size of the file: a whole number of records, at most 67108864", "1B", "64GiB"},
      {"function",
       "how a record's processor is chosen: by the record's number, in turn; by a hash of its key; or by its key's "
       "range"},
      Param{"key_offset", "where a record's key begins", "0B", "1MiB"}.used_if("function", {"hash", "range"}),
      Param{"key_size", "size of the key, an unsigned number with the least significant byte first", "1B", "8B"}
          .used_if("function", {"hash", "range"}),
      Param{"boundaries",
            "the first key of each processor but the first, ascending; if left out, they divide a sample of the "
            "records evenly"}
          .used_if("function", {"range"}),
      Param{"sample",
            "records, drawn at random, whose keys give the boundaries if none are listed; looked at before the run "
            "begins",
            "1", "1000000"}
          .used_if("boundaries", {"[]"}),
      {"discard",
       "share of the records that a filter throws away: a record goes if its field of four bytes is below that share "
       "of the field's range",
       "0", "0.99"},
      Param{"filter_offset", "where that field begins", "0B", "1MiB"}.used_unless("discard", "0"),
  };
}
/// Checks the rules that concern several parameters.
void check(const RecordsParams& params, const std::string& path, Problems& problems);

/// Throws ConfigError if the parameters do not fit one another. `file` is the number of the file among all files of the
/// run, on which its content depends.
std::unique_ptr<Workload> make(const RecordsParams& params, const MachineSizes& machine, std::uint32_t file = 0);

}  // namespace sunstar::workload
