// SPDX-License-Identifier: MIT
#include "sw/workload/streams/params.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {
namespace {

/// A unit of work is a message. There are no files, and the check on arrival takes the place of the oracle.
class StreamsWorkload final : public Workload {
 public:
  explicit StreamsWorkload(const Streams& streams) : streams_(streams) {}

  std::optional<Streams> streams() const override { return streams_; }
  std::uint32_t processors() const override { return streams_.sinks; }
  /// The buffer into which a sink takes each message.
  std::uint64_t memory_bytes(std::uint32_t) const override { return streams_.message_bytes; }
  std::uint64_t bytes_moved() const override { return streams_.all_bytes(); }
  std::uint64_t access_count() const override { return streams_.all_messages(); }

 private:
  Streams streams_;
};

}  // namespace

void check(const StreamsParams& params, const std::string& path, Problems& problems) {
  const std::uint64_t bytes = params.bytes.count, message = params.message_size.count;
  if (bytes % message == 0) return;
  // The sentence names the one that has been set.
  if (params.bytes.count == StreamsParams{}.bytes.count)
    problems.add(json_path(path, "message_size"), "is ", message, " bytes; bytes, which is ", bytes,
                 ", must be a whole number of messages");
  else
    problems.add(json_path(path, "bytes"), "is ", bytes, " bytes; it must be a whole number of messages of ", message,
                 " bytes");
}

std::unique_ptr<Workload> make(const StreamsParams& params, const MachineSizes& machine) {
  validated(params, "workload");
  return std::make_unique<StreamsWorkload>(
      Streams{machine.io_processors, machine.processors, static_cast<std::uint32_t>(params.message_size.count),
              static_cast<std::uint32_t>(params.bytes.count / params.message_size.count)});
}

}  // namespace sunstar::workload
