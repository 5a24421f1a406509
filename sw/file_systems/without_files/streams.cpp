// SPDX-License-Identifier: MIT
#include "sw/file_systems/without_files/without_files.h"

namespace sunstar::file_systems {
namespace {

/// What the header of a message says; the sink knows itself.
struct Header {
  std::uint32_t source, number;
  Time start;  ///< when its source began to send it
};

class StreamsSystem final : public FileSystem {
 public:
  explicit StreamsSystem(Run& run)
      : run_(run), streams_(*run.job.workload->streams()), check_(streams_), message_(run.protocol.numbers, "record") {}

  void start() override {
    for (std::uint32_t sink = 0; sink < streams_.sinks; ++sink)
      message_.on_arrival(run_.nodes.compute[sink]->os, [this, sink](hal::Message& m) { arrived(sink, m); });
    for (std::uint32_t source = 0; source < streams_.sources; ++source)
      run_.nodes.io[source].endpoint.os.spawn(send(source), "source");
  }
  workload::Unit unit(std::uint32_t) const override { return workload::Unit::call; }

 private:
  os::Task<> send(std::uint32_t source) {
    os::Os& os = run_.nodes.io[source].endpoint.os;
    std::byte* const buffer = os.node().allocate(streams_.message_bytes);
    // A drawn order for each round: in a fixed one the sources would fall into step and never meet at a sink.
    RandomStream random(1, "sinks of source " + std::to_string(source));
    std::vector<std::uint32_t> sinks(streams_.sinks);
    std::iota(sinks.begin(), sinks.end(), 0u);
    for (std::uint32_t number = 0; number < streams_.messages; ++number) {
      for (std::size_t i = sinks.size(); i > 1; --i) std::swap(sinks[i - 1], sinks[random.below(i)]);
      for (const std::uint32_t sink : sinks) {
        const Time start = os.now();
        run_.job.record.begin(start, sink);
        {
          const os::NotOnTheMachine mark;
          os.memory().write(buffer, check_.content({source, sink, number}));
        }
        co_await os.send(
            message_.message(run_.nodes.compute[sink]->id(), {source, number, start}, buffer, streams_.message_bytes));
      }
    }
  }

  /// In the handler of a message.
  void arrived(std::uint32_t sink, hal::Message& m) {
    os::Os& os = run_.nodes.compute[sink]->os;
    std::byte* const buffer = run_.job.memory[sink].base;
    const Header header = messages::Kind<Header>::header(m);
    const std::uint32_t bytes = m.bytes;
    const Time there = os.receive(m, buffer);
    {
      const os::NotOnTheMachine mark;
      content::Content data;
      os.memory().read(buffer, bytes, data);
      check_.arrived({header.source, sink, header.number}, data);
    }
    run_.job.record.checked(bytes);
    run_.job.record.moved(bytes);
    run_.job.record.progress(bytes);
    run_.job.record.end({sink, header.start, there, 1, bytes});
    last_ = std::max(last_, there);
    if (check_.complete()) os.after(last_, [this] { run_.job.record.finish(last_); });
  }

  Run& run_;
  const workload::Streams streams_;
  workload::StreamCheck check_;
  const messages::Kind<Header> message_;
  Time last_{};  ///< when the last message is there
};

}  // namespace

std::unique_ptr<FileSystem> streams(Run& run) { return std::make_unique<StreamsSystem>(run); }

}  // namespace sunstar::file_systems
