// SPDX-License-Identifier: MIT
#include "platforms/sp2/config.h"

#include "models/network/switch/switch_network.h"

namespace sunstar::sp2 {

machine::Blueprint draw(const Config& config, Problems& problems) {
  const network::SwitchParams& network = config.machine.network;
  machine::Blueprint drawn = machine::draw(
      config.machine, machine::Places::by_number(network.ports, "network.ports"),
      [network](const sc_core::sc_module_name& name, std::uint64_t seed, Timetable& timetable) {
        return std::make_unique<network::SwitchNetwork>(name, network, seed, &timetable);
      },
      config.run.seed, "machine", problems);
  drawn.sockets = config.machine.sockets;
  return drawn;
}

// docs/sunstar-sp2.md says where each value comes from.
MachineParams::MachineParams() {
  node.clock = {66.7e6};
  node.memory_bandwidth = 600_MBps;
  node.message_header = 40_B;
  sockets.segment = 8_KiB;
  sockets.window = 64_KiB;
  sockets.socket_write = Cycles{2670};
  sockets.socket_read = Cycles{8700};
  sockets.segment_send = Cycles{4340};
  sockets.segment_receive = Cycles{4800};
  sockets.send_per_byte = Cycles{2.97};
  sockets.receive_per_byte = Cycles{2.97};
  sockets.acknowledgement = Cycles{3800};
}

Config::Config() {
  file_system.kind = file_systems::galley::Params{};
  workload.kind = workload::ForksParams{};
  file_system.block_size = 32_KiB;
  file_system.queue_order = "fair-cyclical-scan";
}

void check(const Config& config, const std::string&, Problems& problems) {
  const machine::Blueprint b = draw(config, problems);
  machine::check_faults(config.faults, b.compute_processors(), "faults", problems);
}

}  // namespace sunstar::sp2
