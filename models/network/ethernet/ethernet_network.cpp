// SPDX-License-Identifier: MIT

#include "models/network/ethernet/lan.h"
#include "models/network/fabric.h"

namespace sunstar::network {
namespace {
constexpr std::uint32_t not_last = ~std::uint32_t{0};  // the tag of all frames of a message but its last

/// An Ethernet as a SystemC module: a hub or a switch with one station at each port. Each station sends its messages,
/// as one or several frames, in the order in which it got them, requests once their receivers have room (Fabric). So a
/// receiver never has to refuse a frame, and frames wait only for the medium.
class EthernetNetwork final : public Fabric {
 public:
  EthernetNetwork(const sc_core::sc_module_name& name, const EthernetParams& params, std::uint64_t seed,
                  Timetable* timetable)
      : Fabric(name, {params.ports, params.input_fifo, params.timing_variation, params.bandwidth, params.ports}, seed,
               timetable),
        params_(params),
        lan_(Lan::create(params, seed, this->name())),
        look_(timetable_, *this),
        sending_(params.ports) {}

  Duration zero_load(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const override {
    return from == to ? params_.loopback_latency : lan_->zero_load(from, to, bytes);
  }
  std::uint64_t in_flight() const override { return Fabric::in_flight() + queued_; }
  /// Adds frames and their bytes; collisions, deferrals and attempts of half-duplex media; pauses of a switch; and the
  /// utilisation of the hub, or of the link to each port.
  void add_statistics(StatisticSet& set) override {
    Fabric::add_statistics(set);
    const std::string prefix = name();
    set.counter(prefix + ".frames", "frames that arrived", "1", lan_->frames);
    set.counter(prefix + ".wire_bytes", "bytes of these frames, from preamble to frame check sequence", "B",
                lan_->wire_bytes);
    if (hub_ || params_.duplex == "half") {
      CsmaCounters& csma = lan_->csma;
      set.counter(prefix + ".deferrals", "frames whose first attempt had to wait for the medium", "1", csma.deferrals);
      set.counter(prefix + ".collisions", "attempts to send a frame that ended in a collision", "1", csma.collisions);
      set.counter(prefix + ".excessive_collisions",
                  "times that an interface gave up after attempt_limit collisions and its driver started over", "1",
                  csma.excessive);
      set.add({prefix + ".collided_time", "time that stations spent on frames that collided, summed over the stations",
               "s", [&csma] { return seconds(csma.collided); }, [&csma] { csma.collided = {}; }});
      for (std::size_t i = 0; i < csma.at_attempt.size(); ++i)
        set.counter(prefix + ".attempts_" + std::to_string(i + 1), "frames that got through at this attempt", "1",
                    csma.at_attempt[i]);
    }
    if (hub_) {
      add_utilisation(set, "hub.utilisation", "share of time for which successful frames occupied the medium", 0);
      return;
    }
    set.counter(prefix + ".pauses", "times that the switch stopped a station, because a port had no room for its frame",
                "1", lan_->pauses);
    for (std::uint32_t port = 0; port < ports(); ++port)
      add_utilisation(set, port_name(port) + ".utilisation",
                      params_.duplex == "full"
                          ? "share of time for which frames passed the link from the switch to this port"
                          : "share of time for which successful frames occupied this port's link",
                      port);
  }
  /// Shows, besides, "<name>.hub.sending", the number of stations that send at once, or for each port of a switch
  /// "<name>.port7.output", the bytes of frames that wait there or leave.
  void describe_waiting(std::vector<std::string>& lines) const override {
    Fabric::describe_waiting(lines);
    for (std::uint32_t port = 0; port < ports(); ++port)
      for (const Sending& sending : sending_[port])
        lines.push_back(
            concat("message from port ", port, " to port ", sending.message.route->to, " waits at its interface"));
  }
  std::vector<std::string> warnings() const override {
    if (lan_->csma.excessive == 0) return {};
    return {"interfaces gave up " + std::to_string(lan_->csma.excessive) + " times after " +
            std::to_string(params_.attempt_limit) +
            " collisions; in the model the driver then starts over, where a real driver might leave that to TCP"};
  }
  /// The cables between the stations and the hub, which all carry the same frames, or from the switch to the stations.
  std::vector<Link> links() const override {
    std::vector<Link> all;
    for (std::uint32_t port = 0; port < ports(); ++port)
      all.push_back(hub_ ? Link{"hub", port_name(port), "hub", 0}
                         : Link{port_name(port), "switch", port_name(port), port});
    return all;
  }
  std::string topology() const override { return params_.medium; }

 private:
  struct Sending {
    Message message;
    std::uint64_t left_bytes;  // not handed over in frames yet
  };

  void inject(Message message) override {
    if (!sets_out(message)) return;
    Route& route = *message.route;
    count(message);
    if (route.from == route.to) {
      route.hops = 0;
      route.entered = now();
      arrives(message, now() + params_.loopback_latency);
      return;
    }
    ++queued_;
    auto& queue = sending_[route.from];
    queue.push_back({message, route.bytes});
    if (queue.size() > 1) return;
    hand_over(route.from);
    proceed();
  }
  bool stays(const Route& route) const override { return route.from == route.to; }
  void add_links(const Route& route, std::vector<std::uint32_t>& links) const override {
    links.push_back(hub_ ? 0 : route.to);
  }
  void show(WaveFile& waves) override {
    Fabric::show(waves);
    lan_->watched = true;
    const std::string prefix = name();
    const WaveFile::Words activities{"station", {CsmaCd::activity_names.begin(), CsmaCd::activity_names.end()}};
    if (hub_) shown_.push_back(waves.number(prefix + ".hub.sending"));
    for (std::uint32_t port = 0; port < ports(); ++port) {
      const std::string name = prefix + "." + port_name(port);
      shown_.push_back(hub_ ? waves.word(name + ".station", activities) : waves.number(name + ".output"));
    }
  }
  // The next frame of the port's first message.
  void hand_over(std::uint32_t port) {
    Sending& first = sending_[port].front();
    Route& route = *first.message.route;
    if (first.left_bytes == route.bytes) {
      route.hops = lan_->hops();
      route.entered = now();
    }
    Frame frame{port, route.to, static_cast<std::uint32_t>(std::min(first.left_bytes, params_.mtu.count)), not_last};
    first.left_bytes -= frame.payload;
    if (first.left_bytes == 0) {
      frame.tag = take_entry(last_frames_, free_tags_);
      last_frames_[frame.tag] = first.message;
    }
    lan_->send(now(), frame);
  }
  void proceed() {
    // A station whose frame has left hands over its next one, which may start at once.
    for (lan_->advance(now()); !lan_->left.empty(); lan_->advance(now())) {
      const std::uint32_t port = lan_->left.front();
      lan_->left.erase(lan_->left.begin());
      auto& queue = sending_[port];
      if (queue.front().left_bytes == 0) queue.pop_front();
      if (!queue.empty()) hand_over(port);
    }
    if (waves_)
      for (const auto& [signal, value] : lan_->changes) waves_->change(shown_[signal], now(), static_cast<int>(value));
    lan_->changes.clear();
    look_.set(lan_->next());
    // Last, because a receiver may answer at once.
    while (!lan_->arrivals.empty()) {
      const auto [frame, when] = lan_->arrivals.front();
      lan_->arrivals.erase(lan_->arrivals.begin());
      if (frame.tag == not_last) continue;
      free_tags_.push_back(frame.tag);
      --queued_;
      arrives(last_frames_[frame.tag], when);
    }
  }
  Duration busy(std::uint32_t port) const override { return lan_->busy(port); }

  const EthernetParams params_;
  const bool hub_ = params_.medium == "hub";
  std::unique_ptr<Lan> lan_;
  Timetable::Call<EthernetNetwork, &EthernetNetwork::proceed> look_;
  std::vector<Fifo<Sending>> sending_;  // by port: messages with frames that have not left
  std::vector<Message> last_frames_;    // by tag: messages whose last frame is under way
  std::vector<std::uint32_t> free_tags_;
  std::uint64_t queued_ = 0;             // messages in both
  std::vector<WaveFile::Signal> shown_;  // by signal of the medium
};

}  // namespace

std::unique_ptr<Fabric> make(const EthernetParams& params, const sc_core::sc_module_name& name, std::uint64_t seed,
                             Timetable* timetable) {
  return std::make_unique<EthernetNetwork>(name, params, seed, timetable);
}

}  // namespace sunstar::network
