// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "models/core/problems.h"
#include "models/core/quantity.h"
#include "sw/workload/machine_sizes.h"

namespace sunstar::workload {

/// What is dealt to the accelerators in a random order, anew in each epoch.
enum class Shuffle {
  none,    ///< nothing: each accelerator reads its files in order
  files,   ///< files, whose samples are read one after the other
  samples  ///< single samples
};
BOOST_DESCRIBE_ENUM(Shuffle, none, files, samples)

/// The shards that the accelerators write: the state of the training.
struct CheckpointParams {
  std::uint32_t every = 0;
  Bytes shard{1 << 30};
  bool background = false;
  Bandwidth snapshot_rate{1e10};
  bool restart = false;
};
BOOST_DESCRIBE_STRUCT(CheckpointParams, (), (every, shard, background, snapshot_rate, restart))
inline std::vector<Param> parameters(const CheckpointParams*) {
  return {
      {"every", "steps from one checkpoint to the next; 0: there is none", "0", "1000000"},
      {"shard", "what each accelerator writes at a checkpoint, into a file of its own", "1B", "1TiB"},
      Param{"background",
            "whether training goes on once the shards are copied to the node's memory, from where they drain; "
            "otherwise it waits until they are on disk"}
          .used_unless("every", "0"),
      Param{"snapshot_rate",
            "rate at which an accelerator's shard is copied to the node's memory, or to a drive of its own", "1MB/s",
            "10TB/s"}
          .used_if("background", {"true"}),
      {"restart", "whether each accelerator reads a shard before its first step"},
  };
}

/// Accelerators that train a model on samples from files, as the benchmark DLIO emulates them
/// (github.com/argonne-lcf/dlio_benchmark). training_workload.cpp says what they do.
struct TrainingParams {
  static constexpr std::string_view kind = "training";
  static constexpr std::string_view help =
      "accelerators train a model: threads read batches of samples ahead, all compute a step together, and some steps "
      "write a checkpoint";
  std::uint32_t accelerators = 1;
  std::uint32_t readers = 4;
  std::uint32_t prefetch = 2;
  std::uint32_t files = 168;
  std::uint32_t samples_per_file = 1;
  Bytes sample_size{1 << 20};
  Bytes sample_size_deviation{};
  std::uint32_t batch_size = 7;
  Shuffle shuffle = Shuffle::samples;
  Bytes request_size{};
  Duration sample_cost{};
  Bandwidth decode_rate{1e12};
  Duration compute = std::chrono::milliseconds{100};
  Duration step_cost{};
  Duration allreduce_time{};
  Bytes allreduce{8};
  std::uint32_t epochs = 1;
  std::uint32_t steps = 0;
  std::uint32_t warm_up = 1;
  CheckpointParams checkpoint;
};
BOOST_DESCRIBE_STRUCT(TrainingParams, (),
                      (accelerators, readers, prefetch, files, samples_per_file, sample_size, sample_size_deviation,
                       batch_size, shuffle, request_size, sample_cost, decode_rate, compute, step_cost, allreduce_time,
                       allreduce, epochs, steps, warm_up, checkpoint))
inline std::vector<Param> parameters(const TrainingParams*) {
  return {
      {"accelerators", "accelerators of each compute processor", "1", "1024"},
      {"readers", "threads that read for an accelerator, each a batch at a time", "1", "256"},
      {"prefetch", "batches that each of these threads may have read ahead or be reading", "1", "1024"},
      {"files", "files of the data set", "1", "16777216"},
      {"samples_per_file", "samples in a file, one behind the other", "1", "16777216"},
      {"sample_size", "size of a sample; of samples of several sizes, the mean", "1B", "1GiB"},
      {"sample_size_deviation", "standard deviation of the samples' sizes, which is the same within a file", "0B",
       "1GiB"},
      {"batch_size", "samples that an accelerator trains on in a step", "1", "1048576"},
      {"shuffle", "what goes to the accelerators in a random order, anew in each epoch: nothing, files or samples"},
      {"request_size", "most bytes of a call; 0: a sample, or several that lie together, is one call", "0B", "1GiB"},
      {"sample_cost",
       "time of a sample in its reading thread besides the call: to open the file, decode and copy. The thread has a "
       "core of its own for it",
       "0s", "100s"},
      {"decode_rate", "rate of that thread at decoding and copying; 1TB/s: hardly any time", "1MB/s", "1TB/s"},
      {"compute", "computing of an accelerator in a step", "1ns", "1000s"},
      {"step_cost",
       "time of a step in the framework besides computing: to hand over the batch, start the computing and note times",
       "0s", "100s"},
      {"allreduce_time", "time that the accelerators take to combine their results in a step, besides allreduce", "0s",
       "1000s"},
      {"allreduce",
       "vector that the nodes combine by messages after each step, by recursive doubling; short: they only wait for "
       "one another",
       "1B", "16MiB"},
      Param{"epochs", "how often the data set is read", "1", "1000"}.used_if("steps", {"0"}),
      {"steps",
       "steps of each accelerator: a part of a longer training, so that reading goes on until the last one ends; 0: "
       "as many as there are batches in all epochs",
       "0", "100000000"},
      {"warm_up", "steps at the beginning that no figure counts", "0", "1000000"},
      {"checkpoint", "what is written now and then"},
  };
}
/// Checks that the samples are enough for a step and that a step is counted.
void check(const TrainingParams& params, const std::string& path, Problems& problems);

/// Throws ConfigError if check() finds something, or the files are too few for the machine's accelerators.
std::unique_ptr<Workload> make(const TrainingParams& params, const MachineSizes& machine);

}  // namespace sunstar::workload
