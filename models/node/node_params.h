// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/one_of.h"
#include "models/core/param.h"
#include "models/node/hal.h"

namespace sunstar::node {

/// How a library such as MPI moves a message longer than its eager limit: the receiver, once it knows of the message,
/// reads the data; or it answers, and the sender writes them.
BOOST_DEFINE_FIXED_ENUM_CLASS(Rendezvous, std::uint8_t, read, write)

/// The costs that a library for messages between two programs adds to an interface. File systems' firmware has its own
/// costs (machine.costs).
struct LibraryParams {
  Duration overhead = 150_ns;
  Bandwidth copy_bandwidth{12e9};
  std::uint32_t eager_copies = 2;
  Bytes eager_limit = 8_KiB;
  Rendezvous rendezvous = Rendezvous::read;
  Duration rendezvous_overhead{};
};
BOOST_DESCRIBE_STRUCT(LibraryParams, (),
                      (overhead, copy_bandwidth, eager_copies, eager_limit, rendezvous, rendezvous_overhead))
inline std::vector<Param> parameters(const LibraryParams*) {
  return {
      {"overhead", "processor's time for each message that it sends, and for each that it receives (LogGP's o)", "0ns",
       "1ms"},
      {"copy_bandwidth", "bandwidth at which a processor copies an eager message", "1kB/s", "1TB/s"},
      {"eager_copies",
       "copies of an eager message: 1, by the receiver out of its buffer; 2, also by the sender, into memory known to "
       "the interface",
       "1", "2"},
      {"eager_limit",
       "a message up to this length goes at once to a buffer of the receiver; a longer message goes by rendezvous",
       "0B", "1GiB"},
      {"rendezvous",
       "read: the sender announces the message, the receiver reads it; write: the receiver answers, the sender writes "
       "it"},
      {"rendezvous_overhead",
       "further processor's time of the receiver for a rendezvous: its state, and the keys of memory that the "
       "interface knows already",
       "0ns", "1ms"},
  };
}

/// An interface with remote direct memory access: InfiniBand, RoCE or Slingshot.
struct RdmaParams {
  static constexpr std::string_view kind = "rdma";
  static constexpr std::string_view help =
      "an interface that reads and writes the memory of other nodes without their processors";
  Bandwidth bandwidth{25e9};
  Duration latency = 600_ns;
  Duration fetch_latency = 400_ns;
  Bytes inline_data{220};
  Duration message_gap = 5_ns;
  Bytes mtu = 4_KiB;
  Bytes packet_header{26};
  std::uint32_t outstanding_reads = 16;
  LibraryParams library;
};
BOOST_DESCRIBE_STRUCT(RdmaParams, (),
                      (bandwidth, latency, fetch_latency, inline_data, message_gap, mtu, packet_header,
                       outstanding_reads, library))
inline std::vector<Param> parameters(const RdmaParams*) {
  return {
      {"bandwidth", "bandwidth of the interface's port or of the host's bus to it, whichever is less", "1kB/s",
       "1TB/s"},
      {"latency",
       "time of a message in both interfaces together: from the doorbell to the link, and from there until the "
       "processor sees it",
       "0ns", "1ms"},
      {"fetch_latency", "from a request to memory over the host's bus until the first data arrive", "0ns", "1ms"},
      {"inline_data", "data up to this length come with the doorbell, without a fetch", "0B", "4KiB"},
      {"message_gap", "least time from one message to the next: the inverse of the message rate (LogGP's g)", "0ns",
       "1ms"},
      {"mtu", "most bytes of a message in one packet", "64B", "64KiB"},
      {"packet_header", "bytes that each packet adds on the wire: headers, checks, the gap after it", "0B", "4KiB"},
      {"outstanding_reads",
       "reads in flight of a queue pair (a node has a pair for each other node); more wait in the interface", "1",
       "65536"},
      {"library", "costs of a library for messages, in a measurement by workload.kind ping-pong"},
  };
}

}  // namespace sunstar::node

namespace sunstar::hal {

BOOST_DESCRIBE_ENUM(Interrupts, first_core, spread)

}  // namespace sunstar::hal

namespace sunstar::node {

inline constexpr Speedup faster_processors{"processors twice as fast",
                                           {Stage::compute_processor, Stage::io_processor, Stage::combined_processor}};
inline constexpr Speedup faster_memory{"node memory twice as fast", {Stage::memory}};

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

// The faults of a node. All begin at a time.

struct Stop {
  static constexpr std::string_view kind = "stop";
  static constexpr std::string_view help =
      "the node loses its power: its programs end, its memory is lost, and arriving messages are dropped";
  static constexpr bool lasting = true;
};

struct Reboot {
  static constexpr std::string_view kind = "reboot";
  static constexpr std::string_view help =
      "the node loses its power, its memory and its programs, and starts again after a while without the programs";
  static constexpr bool lasting = true;
  Duration time = std::chrono::seconds{30};
};
BOOST_DESCRIBE_STRUCT(Reboot, (), (time))
inline std::vector<Param> parameters(const Reboot*) { return {{"time", "until it answers again", "1ns", "1000000s"}}; }

struct Pause {
  static constexpr std::string_view kind = "pause";
  static constexpr std::string_view help =
      "the node's processor does nothing for a while, as if an interrupt did not end; the interface takes the messages "
      "it has room for";
  Duration time = std::chrono::seconds{1};
};
BOOST_DESCRIBE_STRUCT(Pause, (), (time))
inline std::vector<Param> parameters(const Pause*) { return {{"time", "how long", "1ns", "1000000s"}}; }

using FaultEffects = OneOf<Stop, Reboot, Pause>;

}  // namespace sunstar::node
