// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "models/node/hal.h"
#include "models/node/rdma_params.h"

namespace sunstar::hal {
BOOST_DESCRIBE_ENUM(Interrupts, first_core, spread)
}  // namespace sunstar::hal

namespace sunstar::node {

inline constexpr Speedup faster_processors{"processors twice as fast",
                                           {Stage::compute_processor, Stage::io_processor, Stage::combined_processor}};
inline constexpr Speedup faster_memory{"node memory twice as fast", {Stage::memory}};

/// A network interface for messages only.
struct MessagesOnly {
  static constexpr std::string_view kind = "messages";
  static constexpr std::string_view help =
      "an interface for messages: it stores a long message on its way out, and interrupts the processor for each that "
      "comes";
};

/// The network interface of a node.
struct InterfaceParams {
  OneOf<MessagesOnly, RdmaParams> kind;
};
BOOST_DESCRIBE_STRUCT(InterfaceParams, (), (kind))
inline std::vector<Param> parameters(const InterfaceParams*) {
  return {{"kind", "the abilities of the network interface"}};
}

/// The hardware of one node.
struct NodeParams {
  Frequency clock = 50_MHz;
  double clock_variation = 0.0005;
  double issue_width = 1;
  std::uint32_t cores = 1;
  hal::Interrupts interrupts = hal::Interrupts::first_core;
  Bandwidth memory_bandwidth = 400_MBps;
  Bytes bus_burst = 64_B;
  Bytes message_header = 32_B;
  Bytes programmed_io_limit = 64_B;
  bool crc = true;
  InterfaceParams interface;
};
BOOST_DESCRIBE_STRUCT(NodeParams, (),
                      (clock, clock_variation, issue_width, cores, interrupts, memory_bandwidth, bus_burst,
                       message_header, programmed_io_limit, crc, interface))

inline std::vector<Param> parameters(const NodeParams*) {
  return {
      {"clock", "clock rate of the processor (TR94-226, Table 1: 50 MHz)", "1kHz", "100GHz", faster_processors},
      {"clock_variation",
       "largest relative deviation of a node's clock, drawn from the seed once for each node: breaks artificial "
       "symmetry",
       "0", "0.1", Tuning::fixed},
      {"issue_width", "firmware instructions that the processor completes in a cycle; machine.costs are for one", "0.1",
       "8"},
      {"cores",
       "cores of the processor, which share memory, devices and the ready threads; each has the clock and the width",
       "1", "256"},
      Param{"interrupts",
            "the core to interrupt. first-core: always the first; spread: for a message, a core chosen by its source "
            "(receive-side scaling), at the end of a command, the core that gave it or whose NVMe queue held it",
            Tuning::setting}
          .used_unless("cores", "1"),
      {"memory_bandwidth",
       "bandwidth of the node bus, shared by processor copies, DMA, network interface and host adapters", "1MB/s",
       "1TB/s", faster_memory},
      {"bus_burst", "a transfer no longer than this waits for one burst of the other transfers, not for all of them",
       "1B", "64KiB", Tuning::setting},
      {"message_header", "header of a message on the wire", "0B", "4KiB"},
      Param{"programmed_io_limit",
            "the processor moves data up to this length between memory and network interface, DMA moves longer ones",
            "0B", "64B", Tuning::setting}
          .used_if("interface.kind", {"messages"}),
      {"crc",
       "whether the network interface checks arriving messages and drops spoilt ones; if not, it passes spoilt file "
       "data on with a byte wrong",
       Tuning::fixed},
      {"interface", "the network interface"},
  };
}

}  // namespace sunstar::node
