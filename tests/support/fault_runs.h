// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/torus_runs.h"

// Runs with faults, many at a time.
namespace sunstar::test {

inline constexpr std::array every_file_system{
    "traditional-caching", "disk-directed", "two-phase", "enwrich", "hybrid", "galley", "pvfs", "locking", "versioned"};

inline machine::Fault fault(std::string_view place, auto effect, faults::Trigger trigger = {},
                            std::uint32_t times = 0) {
  machine::Fault f;
  f.place = place;
  f.effect = effect;
  f.trigger = trigger;
  f.times = times;
  return f;
}
inline faults::Trigger at(Duration time) { return {faults::AtTime{time}}; }
inline faults::Trigger nth(std::uint64_t number) { return {faults::AtOperation{number}}; }
inline faults::Trigger at_rate(double probability) { return {faults::AtRate{probability}}; }

inline std::uint64_t of_faults(const boost::json::object& result, const char* figure) {
  return count(result.at("faults").as_object(), figure);
}
inline std::uint64_t of_losses(const boost::json::object& result, const char* figure) {
  return count(result.at("losses").as_object(), figure);
}
/// Bytes reported as lost.
inline std::uint64_t reported(const boost::json::object& result) {
  return of_faults(result, "bytes_reported_unread") + of_faults(result, "bytes_reported_unwritten");
}
/// The faults have cost time, and nothing else.
inline void check_nothing_lost(const boost::json::object& result) {
  for (const char* figure : {"bytes_reported_unread", "bytes_reported_unwritten", "failed_calls", "nodes_given_up",
                             "bytes_silently_wrong", "bytes_lost_with_power"}) {
    INFO(figure);
    CHECK(of_faults(result, figure) == 0);
  }
  for (const char* figure : {"calls_not_made", "bytes_not_made", "cached_bytes"}) {
    INFO(figure);
    CHECK(of_losses(result, figure) == 0);
  }
}

/// The cost of a fault: only time; reported bytes; bytes lost unnoticed; perhaps the contents of a drive's buffer;
/// anything, right or reported.
enum class Cost : std::uint8_t { nothing, reported, silent, buffered, any };
inline void check_cost(Cost cost, const boost::json::object& result) {
  const std::uint64_t said = reported(result), silent = of_faults(result, "bytes_silently_wrong");
  CHECK(of_faults(result, "bytes_wrong_and_reported") <= said);
  const std::uint64_t moved = count(result, "bytes_moved"), lost = count(result, "bytes_lost");
  CHECK(lost == std::min(moved, of_faults(result, "bytes_wrong_and_reported") + silent +
                                    of_faults(result, "bytes_lost_with_power")));
  const double right = result.at("throughput").at("mib_per_s").to_number<double>() * (1 << 20) *
                       result.at("elapsed_s").to_number<double>();
  CHECK(right == Approx(static_cast<double>(moved - lost)));
  if (cost == Cost::any) return;
  if (cost != Cost::nothing) CHECK(of_faults(result, "struck") > 0);
  CHECK((silent > 0) == (cost == Cost::silent));
  if (cost == Cost::buffered) return;
  CHECK((said > 0) == (cost == Cost::reported));
  CHECK(of_faults(result, "bytes_lost_with_power") == 0);
}

struct Effect {
  const char* name;
  machine::Fault fault;
  Cost reads, writes;
};
/// Every effect on a drive, and on its bus, of a few.
inline std::vector<Effect> effects_on_disks(std::string_view drive, std::string_view bus) {
  using namespace literals;
  using disk::Corruption, disk::Wrong;
  return {
      {"medium error", fault(drive, disk::MediumError{0, 1'000'000'000, 1_ms}), Cost::reported, Cost::nothing},
      {"medium error of a sector", fault(drive, disk::MediumError{3, 1, 1_ms}), Cost::reported, Cost::nothing},
      {"recovered error", fault(drive, disk::RecoveredError{3}), Cost::nothing, Cost::nothing},
      {"slow", fault(drive, disk::Slow{5}), Cost::nothing, Cost::nothing},
      {"hang", fault(drive, disk::Hang{}, nth(2)), Cost::nothing, Cost::nothing},
      {"hang again and again", fault(drive, disk::Hang{}, {}, 1000), Cost::reported, Cost::reported},
      {"dead", fault(drive, disk::Dead{}), Cost::reported, Cost::reported},
      {"dies", fault(drive, disk::Dead{}, nth(2)), Cost::reported, Cost::reported},
      {"power loss", fault(drive, disk::PowerLoss{1000_ms}, nth(2)), Cost::nothing, Cost::buffered},
      {"corrupt read", fault(drive, Corruption{Wrong::read, 1}), Cost::silent, Cost::nothing},
      {"misdirected write", fault(drive, Corruption{Wrong::misdirected, 1000}), Cost::nothing, Cost::silent},
      {"torn write", fault(drive, Corruption{Wrong::torn, 1}), Cost::nothing, Cost::silent},
      {"lost write", fault(drive, Corruption{Wrong::lost, 1}), Cost::nothing, Cost::silent},
      {"parity error", fault(bus, scsi::ParityError{}), Cost::nothing, Cost::nothing},
      {"parity errors", fault(bus, scsi::ParityError{}, {}, 1000), Cost::reported, Cost::reported},
      {"bus hangs", fault(bus, scsi::BusHang{}, nth(2)), Cost::nothing, Cost::nothing},
      {"bus reset", fault(bus, scsi::BusReset{}, nth(2)), Cost::nothing, Cost::nothing},
  };
}
/// The cost of one of them to a file system. Galley always reads its metadata from the disks, and notices that they are
/// wrong.
inline Cost cost_of(const Effect& one, bool write, const machine::Config& config) {
  const bool wrong_when_read = one.fault.effect.is<disk::MediumError>() || std::string_view(one.name) == "corrupt read";
  if (wrong_when_read && config.file_system.kind.is<file_systems::galley::Params>()) return Cost::reported;
  return write ? one.writes : one.reads;
}
/// Every effect on a node.
inline std::vector<Effect> effects_on_nodes(std::string_view node, Duration when) {
  using namespace literals;
  return {
      {"stop", fault(node, node::Stop{}, at(when)), Cost::any, Cost::any},
      {"quick reboot", fault(node, node::Reboot{10_ms}, at(when)), Cost::any, Cost::any},
      {"slow reboot", fault(node, node::Reboot{20'000_ms}, at(when)), Cost::any, Cost::any},
      {"short pause", fault(node, node::Pause{200_ms}, at(when)), Cost::nothing, Cost::nothing},
      {"long pause", fault(node, node::Pause{20'000_ms}, at(when)), Cost::any, Cost::any},
  };
}
/// Every effect on a network, which must be acknowledged: on messages, at all ports that fit; on a link, and on a port
/// and its router if it has one. `cut`: the cost of a link that is down.
inline std::vector<Effect> effects_on_network(std::string_view ports, std::string_view link, std::string_view port,
                                              bool routers, Duration when, Cost cut) {
  using namespace literals;
  std::vector<Effect> all{
      {"messages lost", fault(ports, network::MessageLost{}, at_rate(0.1)), Cost::nothing, Cost::nothing},
      {"messages spoilt", fault(ports, network::MessageCorrupted{}, at_rate(0.1)), Cost::nothing, Cost::nothing},
      {"messages doubled", fault(ports, network::MessageDuplicated{}, at_rate(0.1)), Cost::nothing, Cost::nothing},
      {"messages late", fault(ports, network::MessageDelayed{300_us}, at_rate(0.1)), Cost::nothing, Cost::nothing},
      {"messages very late", fault(ports, network::MessageDelayed{300_ms}, at_rate(0.1)), Cost::nothing, Cost::nothing},
      {"link down", fault(link, network::LinkDown{}, at(when)), cut, cut},
      {"port down", fault(port, network::PortDown{}, at(when)), Cost::any, Cost::any},
  };
  if (routers) all.push_back({"router down", fault(port, network::RouterDown{}, at(when)), Cost::any, Cost::any});
  return all;
}

/// Runs that must all end with each byte right, or its loss reported. A test that fails says which run it was.
class FaultyRuns {
 public:
  machine::Config& add(std::string name, const machine::Config& config) {
    names_.push_back(std::move(name));
    return configs_.emplace_back(config);
  }
  std::size_t size() const { return configs_.size(); }
  const machine::Config& config(std::size_t i) const { return configs_[i]; }

  /// Carries them out, and calls `check(i, result)` for each that has ended.
  template <class Check>
  void check_each(Check check) const {
    constexpr const char* failed = "failed";
    const auto results = kit::run_trials(static_cast<std::uint32_t>(size()), 2, [&](std::uint32_t i) {
      try {
        boost::json::object figures = figures_of(machine::run_trial(configs_[i], 0));
        figures.erase("statistics");
        return figures;
      } catch (const std::exception& error) {
        return boost::json::object{{failed, error.what()}};
      }
    });
    for (std::size_t i = 0; i < size(); ++i) {
      INFO(names_[i]);
      if (const auto* const why = results[i].if_contains(failed)) {
        INFO(why->as_string().c_str());
        CHECK_FALSE("the run has failed");
        continue;
      }
      const auto& warnings = results[i].at("warnings").as_array();
      const bool all_checked = std::ranges::none_of(warnings, [](const boost::json::value& sentence) {
        return sentence.as_string().find("could not be verified") != std::string::npos;
      });
      CHECK(results[i].at("verified").as_bool() == all_checked);
      check(i, results[i]);
    }
  }

 private:
  std::vector<std::string> names_;
  std::vector<machine::Config> configs_;
};

}  // namespace sunstar::test
