// SPDX-License-Identifier: MIT
// A machine on a fabric of another project: one bus, which carries a message at a time.
#include <algorithm>
#include <boost/describe.hpp>

#include "models/network/fabric.h"
#include "platforms/machine/run/platform.h"

namespace mine {

using namespace sunstar;

struct BusParams {
  static constexpr std::string_view kind = "bus";
  static constexpr std::string_view help = "one bus, which carries a message at a time";
  std::uint32_t ports = 64;
  Bandwidth bandwidth = 100_MBps;
};
BOOST_DESCRIBE_STRUCT(BusParams, (), (ports, bandwidth))
std::vector<Param> parameters(const BusParams*) {
  return {{"ports", "nodes that can be connected", "1", "4096"},
          {"bandwidth", "bandwidth of the bus", "1kB/s", "1TB/s", network::faster_network}};
}

class Bus final : public network::Fabric {
 public:
  Bus(const sc_core::sc_module_name& name, const BusParams& params, std::uint64_t seed, Timetable* timetable)
      : Fabric(name, {.ports = params.ports}, seed, timetable), bandwidth_(params.bandwidth) {}

  Duration zero_load(std::uint32_t, std::uint32_t, std::uint64_t bytes) const override {
    return bandwidth_.time_for(bytes);
  }

 private:
  void inject(Message message) override {
    message.route->hops = 1;
    message.route->entered = std::max(now(), free_);
    free_ = message.route->entered + bandwidth_.time_for(message.route->bytes);
    count(message);
    arrives(message, free_);
  }

  Bandwidth bandwidth_;
  Time free_{};
};

std::unique_ptr<network::Fabric> make(const BusParams& params, const sc_core::sc_module_name& name, std::uint64_t seed,
                                      Timetable* timetable) {
  return std::make_unique<Bus>(name, params, seed, timetable);
}
network::Places places(const BusParams& params) { return network::Places::by_number(params.ports); }
network::Pace pace(const BusParams& params) { return network::Pace::by_bytes(params.bandwidth, 0); }

}  // namespace mine

int main(int argc, char** argv) {
  sunstar::machine::Program program;
  program.name = "machine";
  program.summary = "Simulates a machine of compute and I/O processors on a bus, or on a torus.";
  program.example = "machine --set machine.network.bandwidth=20MB/s";
  return sunstar::machine::run_main<sunstar::OneOf<mine::BusParams, sunstar::network::CubeParams>>(argc, argv, program);
}
