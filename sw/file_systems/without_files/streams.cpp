// SPDX-License-Identifier: MIT
#include "sw/file_systems/without_files/without_files.h"

namespace sunstar::file_systems {
namespace {

/// What the header of a message says; the sink knows itself.
struct Header {
  std::uint32_t source, number;
  Time start;  ///< when its source began to send it
};

/// A sink watches its sources (Peers): the messages of one that is gone are missing, and the run ends without them.
class StreamsSystem final : public FileSystem {
 public:
  explicit StreamsSystem(Run& run)
      : run_(run),
        streams_(*run.job.workload->streams()),
        check_(streams_),
        message_(run.protocol.numbers, "record"),
        left_(streams_.all_messages()) {}

  void start() override {
    for (std::uint32_t sink = 0; sink < streams_.sinks; ++sink) {
      Sink& it = sinks_.emplace_back(*this, sink);
      message_.on_arrival(run_.nodes.compute[sink]->os, [this, &it](hal::Message& m) { arrived(it, m); });
    }
    for (std::uint32_t source = 0; source < streams_.sources; ++source)
      run_.nodes.io[source].endpoint.os.spawn(send(source), "source");
    for (Sink& sink : sinks_)
      for (std::uint32_t source = 0; source < streams_.sources; ++source) await(sink, source);
  }
  workload::Unit unit(std::uint32_t) const override { return workload::Unit::call; }

 private:
  struct Sink final : messages::Peers::Waiter {
    Sink(StreamsSystem& s, std::uint32_t n)
        : system(s), number(n), left(s.streams_.sources, s.streams_.messages), gone(s.streams_.sources) {}
    void lost(hal::NodeId node) override {
      for (std::uint32_t source = 0; source < left.size(); ++source)
        if (system.source(source).id() == node) system.give_up(*this, source);
    }
    StreamsSystem& system;
    const std::uint32_t number;
    std::vector<std::uint32_t> left;  // by source: messages that may still come
    std::vector<bool> gone;           // by source: has been taken for gone
    Time last{};                      // when the last message came
  };
  messages::Endpoint& source(std::uint32_t n) const { return run_.nodes.io[n].endpoint; }
  messages::Peers& peers(const Sink& sink) const { return run_.nodes.compute[sink.number]->peers(); }

  void await(Sink& sink, std::uint32_t from) {
    if (sink.left[from] > 0 && !peers(sink).watch(source(from).id(), sink)) give_up(sink, from);
  }

  void give_up(Sink& sink, std::uint32_t from) {
    const std::uint32_t missing = std::exchange(sink.left[from], 0);
    if (missing == 0) return;
    sink.gone[from] = true;
    const Time now = run_.nodes.compute[sink.number]->os.now();
    run_.job.record.not_moved(std::uint64_t{missing} * streams_.message_bytes);
    run_.job.record.end(
        {.processor = sink.number, .start = sink.last, .end = now, .units = missing, .status = hal::Status::no_answer});
    ended(sink, missing, now);
  }

  void ended(const Sink& sink, std::uint32_t messages, Time at) {
    last_ = std::max(last_, at);
    left_ -= messages;
    if (left_ == 0) run_.nodes.compute[sink.number]->os.after(last_, [this] { run_.job.record.finish(last_); });
  }

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
  void arrived(Sink& sink, hal::Message& m) {
    os::Os& os = run_.nodes.compute[sink.number]->os;
    std::byte* const buffer = run_.job.memory[sink.number].base;
    const Header header = messages::Kind<Header>::header(m);
    const std::uint32_t bytes = m.bytes;
    const Time there = os.receive(m, buffer);
    if (header.source < streams_.sources && sink.gone[header.source]) return;
    {
      const os::NotOnTheMachine mark;
      content::Content data;
      os.memory().read(buffer, bytes, data);
      check_.arrived({header.source, sink.number, header.number}, data);
    }
    run_.job.record.checked(bytes);
    run_.job.record.moved(bytes);
    run_.job.record.progress(bytes);
    run_.job.record.end({sink.number, header.start, there, 1, bytes});
    sink.last = there;
    --sink.left[header.source];
    peers(sink).unwatch(source(header.source).id(), sink);
    await(sink, header.source);
    ended(sink, 1, there);
  }

  Run& run_;
  const workload::Streams streams_;
  workload::StreamCheck check_;
  const messages::Kind<Header> message_;
  std::deque<Sink> sinks_;
  std::uint64_t left_;  ///< messages that may still come
  Time last_{};         ///< when the last message is there
};

}  // namespace

std::unique_ptr<FileSystem> streams(Run& run) { return std::make_unique<StreamsSystem>(run); }

}  // namespace sunstar::file_systems
