// SPDX-License-Identifier: MIT
#include "platforms/network/source.h"

#include "platforms/network/pattern.h"
#include "sw/workload/trace/csv.h"

namespace sunstar::traffic {

namespace {

/// Synthetic traffic without end: in each flit time each node begins a message with probability load / packet_flits.
/// The pattern chooses its destination.
class Bernoulli : public Source {
 public:
  Bernoulli(const SyntheticParams& params, std::uint32_t packet_flits, const network::Places& places,
            const network::Pace& pace, std::uint64_t seed)
      : pattern_(traffic::pattern(params.pattern)),
        pattern_params_{places.shape, params.hotspot, params.hotspot_share, places.ports_per_group},
        flit_time_(pace.flit_time),
        bytes_(static_cast<std::uint32_t>(packet_flits * pace.flit.count)) {
    const double chance = params.load / packet_flits;
    log_not_ = chance < 1 ? std::log1p(-chance) : 0;
    nodes_.reserve(places.ports());
    for (std::uint32_t n = 0; n < places.ports(); ++n)
      nodes_.push_back({RandomStream(seed, "traffic " + std::to_string(n)), -1});
  }

  Message next(std::uint32_t node) override {
    Node& n = nodes_[node];
    // The number of flit times without a message is geometrically distributed.
    n.last += 1;
    if (log_not_ < 0) n.last += static_cast<std::int64_t>(std::log1p(-n.random.uniform()) / log_not_);
    return {Time{n.last * flit_time_}, node, pattern_.destination(node, pattern_params_, n.random), bytes_};
  }

 private:
  struct Node {
    RandomStream random;
    std::int64_t last;  // flit time of the last message
  };
  const Pattern& pattern_;
  Pattern::Params pattern_params_;
  Duration flit_time_;
  std::uint32_t bytes_;
  double log_not_;  // logarithm of the probability that no message begins; 0 if one always does
  std::vector<Node> nodes_;
};

/// The messages of a CSV file with the columns time, from, to, bytes; a node's messages in order of time, then of
/// lines.
class MessageTrace : public Source {
 public:
  MessageTrace(const TraceParams& params, const network::Places& places)
      : messages_(places.ports()), at_(places.ports()) {
    const double unit = seconds_in(params.time_unit);
    enum Column { time, from, to, bytes };
    workload::CsvReader file(params.trace.string(), {"time", "from", "to", "bytes"});
    const auto port = [&](Column column) {
      const std::uint64_t p = file.integer(column);
      if (p >= places.ports()) file.refuse(column, "the number of a ", places.noun, ", 0 to ", places.ports() - 1);
      return static_cast<std::uint32_t>(p);
    };
    bool any = false;
    while (file.next()) {
      Message m;
      const double seconds = file.time(time) * unit;
      if (seconds > 4e6) file.refuse(time, "at most 4000000 s");
      m.created = Time{Duration{std::llround(seconds * 1e12)}};
      m.from = port(from);
      m.to = port(to);
      const std::uint64_t n = file.integer(bytes, 1u << 30);
      if (n == 0) file.refuse(bytes, "a whole number from 1 to 1073741824");
      m.bytes = static_cast<std::uint32_t>(n);
      messages_[m.from].push_back(m);
      any = true;
    }
    if (!any)
      throw ConfigError(params.trace.string(),
                        ": the file has no messages; it must have at least one line below its header.");
    for (auto& of_node : messages_) std::ranges::stable_sort(of_node, {}, &Message::created);
  }

  Message next(std::uint32_t node) override {
    if (at_[node] == messages_[node].size()) return {Time::max(), node, node, 0};
    return messages_[node][at_[node]++];
  }

 private:
  std::vector<std::vector<Message>> messages_;  // by node
  std::vector<std::size_t> at_;
};

}  // namespace

std::unique_ptr<Source> bernoulli(const SyntheticParams& params, std::uint32_t packet_flits,
                                  const network::Places& places, const network::Pace& pace, std::uint64_t seed) {
  return std::make_unique<Bernoulli>(params, packet_flits, places, pace, seed);
}

std::unique_ptr<Source> message_trace(const TraceParams& params, const network::Places& places) {
  return std::make_unique<MessageTrace>(params, places);
}

}  // namespace sunstar::traffic
