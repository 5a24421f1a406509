// SPDX-License-Identifier: MIT
#include "models/network/ethernet/lan.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <utility>

#include "tests/support/catch.h"
#include "tests/support/ethernets.h"

using namespace sunstar;
using namespace sunstar::literals;
using network::EthernetParams;
using network::Frame;
using network::Lan;
using test::short_ethernet;

namespace {

constexpr Duration frame_and_gap = 1538 * 80_ns;

/// A network whose stations have queues of frames.
struct Stations {
  explicit Stations(const EthernetParams& params, std::uint64_t seed = 1)
      : lan(Lan::create(params, seed, "lan")), queues(params.ports) {}

  void queue(std::uint32_t from, std::uint32_t to, int frames, std::uint32_t payload = 1500) {
    for (int i = 0; i < frames; ++i) queues[from].push_back({from, to, payload, sent++});
  }
  /// Sends all queued frames, or until `enough` have arrived.
  void run(std::size_t enough = ~std::size_t{0}) {
    for (std::uint32_t s = 0; s < queues.size(); ++s) send(s);
    lan->advance(Time{});
    for (Time t = lan->next(); t != Time::max() && arrivals.size() < enough; t = lan->next()) {
      lan->advance(t);
      for (const Lan::Arrival& a : std::exchange(lan->arrivals, {})) arrivals.push_back(a);
      for (const std::uint32_t s : std::exchange(lan->left, {})) send(s, t);
      lan->advance(t);
    }
  }
  void send(std::uint32_t s, Time now = Time{}) {
    if (queues[s].empty()) return;
    lan->send(now, queues[s].front());
    queues[s].pop_front();
  }
  Duration end() const { return arrivals.back().when.time_since_epoch(); }
  /// Whether all frames have arrived, those between each two stations in the order in which they were sent.
  bool all_in_order() const {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> next;
    for (const auto& [frame, when] : arrivals) {
      auto& least = next[{frame.from, frame.to}];
      if (frame.tag < least) return false;
      least = frame.tag + 1;
    }
    return arrivals.size() == sent;
  }

  std::unique_ptr<Lan> lan;
  std::vector<std::deque<Frame>> queues;
  std::vector<Lan::Arrival> arrivals;
  std::uint32_t sent = 0;
};

/// Two stations send 50 frames each to one another.
Duration both_ways(const EthernetParams& params) {
  Stations stations(params);
  stations.queue(0, 1, 50);
  stations.queue(1, 0, 50);
  stations.run();
  CHECK(stations.all_in_order());
  return stations.end();
}

/// Four pairs of stations exchange 50 frames each.
Duration four_pairs(const EthernetParams& params) {
  Stations stations(params);
  for (std::uint32_t s = 0; s < 8; s += 2) stations.queue(s, s + 1, 50);
  stations.run();
  CHECK(stations.all_in_order());
  return stations.end();
}

}  // namespace

TEST_CASE("a full-duplex link carries frames both ways at once, a half-duplex link and a hub do not") {
  // A frame of 1526 bytes is received, waits for 10 us and is sent on.
  CHECK(both_ways(short_ethernet("switch")) == 50 * frame_and_gap + 10_us + 1526 * 80_ns - 960_ns);
  CHECK(both_ways(short_ethernet("switch", "half")) > 2 * 50 * frame_and_gap);
  CHECK(both_ways(short_ethernet("hub")) > 2 * 50 * frame_and_gap - 960_ns);
}

TEST_CASE("pairs of stations share a hub, and each has a switch to itself") {
  CHECK(four_pairs(short_ethernet("switch")) == 50 * frame_and_gap + 10_us + 1526 * 80_ns - 960_ns);
  CHECK(four_pairs(short_ethernet("hub")) > 4 * 50 * frame_and_gap - 960_ns);
}

TEST_CASE("a port of a switch that has no room stops the senders, and nothing gets lost") {
  for (const std::string duplex : {"full", "half"}) {
    EthernetParams params = short_ethernet("switch", duplex);
    params.port_buffer = 4000_B;  // two frames
    Stations stations(params);
    for (std::uint32_t from = 1; from < 8; ++from) stations.queue(from, 0, 40);
    stations.run();
    CHECK(stations.all_in_order());
    CHECK(stations.lan->pauses > 7);
    // The link to station 0 never idles after the first frame has reached the switch.
    CHECK(stations.end() == 1526 * 80_ns + 10_us + 280 * frame_and_gap - 960_ns);
  }
}

TEST_CASE("a port of a switch that has room stops no station") {
  Stations stations(short_ethernet("switch"));  // 64 KiB: 42 frames
  for (std::uint32_t from = 1; from < 5; ++from) stations.queue(from, 0, 10);
  stations.run();
  CHECK(stations.all_in_order());
  CHECK(stations.lan->pauses == 0);
}

TEST_CASE("stations that wait for a port of the switch take turns") {
  EthernetParams params = short_ethernet("switch");
  params.port_buffer = 4000_B;
  Stations stations(params);
  for (std::uint32_t from = 1; from < 4; ++from) stations.queue(from, 0, 60);
  stations.run(90);
  for (std::uint32_t from = 1; from < 4; ++from) {
    const auto of_one = std::ranges::count(stations.arrivals, from, [](const auto& a) { return a.frame.from; });
    CHECK(std::abs(of_one - 30) <= 2);
  }
}

TEST_CASE("a short frame does not pass a long one that waits for the same port") {
  EthernetParams params = short_ethernet("switch");
  params.port_buffer = 4000_B;  // two long frames, and 948 bytes
  Stations stations(params);
  for (std::uint32_t from = 1; from < 4; ++from) stations.queue(from, 0, 1);
  stations.queue(4, 5, 1);  // so that the short frame comes when the third long one waits
  stations.queue(4, 0, 1, 46);
  stations.run();
  std::vector<std::uint32_t> to_zero;
  for (const auto& [frame, when] : stations.arrivals)
    if (frame.to == 0) to_zero.push_back(frame.from);
  CHECK(to_zero == std::vector<std::uint32_t>{1, 2, 3, 4});
}

TEST_CASE("a frame over a half-duplex link is delayed by its interfaces, too") {
  EthernetParams params = short_ethernet("switch", "half");
  params.station_latency = 500_ns;
  Stations stations(params);
  stations.queue(0, 1, 1);
  stations.run();
  CHECK(stations.end() == 2 * (1526 * 80_ns + 500_ns) + 10_us);
  CHECK(stations.lan->zero_load(0, 1, 1500) == stations.end());
}

TEST_CASE("a station whose first frame waits for a full port sends nothing to others meanwhile") {
  EthernetParams params = short_ethernet("switch");
  params.port_buffer = 1526_B;
  Stations stations(params);
  for (std::uint32_t from = 1; from < 8; ++from) stations.queue(from, 0, 1);
  stations.queue(7, 6, 2);
  stations.run();
  // Station 7's frame is the last of seven that come at once. It gets into port 0 when the sixth has left. The second
  // frame came in behind it; the third leaves station 7 only then.
  std::vector<Time> at_six;
  for (const auto& [frame, when] : stations.arrivals)
    if (frame.to == 6) at_six.push_back(when);
  const Duration freed = 1526 * 80_ns + 10_us + 6 * frame_and_gap - 960_ns;
  CHECK(at_six == std::vector<Time>{Time{freed + 1526 * 80_ns}, Time{freed + 2 * 1526 * 80_ns + 10_us}});
}

TEST_CASE("the same seed gives the same arrivals on shared media") {
  for (const std::string medium : {"hub", "switch"}) {
    const auto times = [&](std::uint64_t seed) {
      Stations stations(short_ethernet(medium, "half"), seed);
      for (std::uint32_t s = 0; s < 8; ++s) stations.queue(s, (s + 3) % 8, 20);
      stations.run();
      CHECK(stations.all_in_order());
      std::vector<std::pair<Time, std::uint32_t>> all;
      for (const auto& [frame, when] : stations.arrivals) all.emplace_back(when, frame.tag);
      return all;
    };
    CHECK(times(1) == times(1));
    CHECK(times(1) != times(2));
  }
}
