// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/one_of.h"
#include "models/core/param.h"

namespace sunstar::node {

/// How a library such as MPI moves a message longer than its eager limit: the receiver, once it knows of the message,
/// reads the data; or it answers, and the sender writes them.
enum class Rendezvous : std::uint8_t { read, write };
BOOST_DESCRIBE_ENUM(Rendezvous, read, write)

/// The costs that a library for messages between two programs adds to an interface. File systems' firmware has its own
/// costs (machine.costs).
struct LibraryParams {
  Duration overhead = 150_ns;
  Bandwidth copy_bandwidth{12e9};
  std::uint32_t eager_copies = 2;
  Bytes eager_limit = 8_KiB;
  Rendezvous rendezvous = Rendezvous::read;
};
BOOST_DESCRIBE_STRUCT(LibraryParams, (), (overhead, copy_bandwidth, eager_copies, eager_limit, rendezvous))
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
