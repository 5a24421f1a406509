// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/problems.h"

namespace sunstar::nvme {

inline constexpr Speedup faster_flash{"flash twice as fast", {Stage::flash}};
inline constexpr Speedup faster_controllers{"controllers of NVMe drives twice as fast", {Stage::nvme_controller}};
inline constexpr Speedup wider_links{"links of NVMe drives twice as wide", {Stage::pcie_link}};

/// The PCI Express link of a drive. A packet carries `payload` bytes and 24 bytes of framing, sequence number, header
/// and checksum (PCI Express Base Specification 3.0, 2.2 and 4.2); of 256 bytes of generation 6, 236 are packets.
struct LinkParams {
  std::uint32_t generation = 3;
  std::uint32_t lanes = 4;
  Bytes payload{256};

  /// Bytes of data a second, in one direction.
  Bandwidth data_rate() const {
    constexpr double transfers[] = {2.5e9, 5e9, 8e9, 16e9, 32e9, 64e9};
    constexpr std::uint64_t framing = 24;
    const double coding = generation <= 2 ? 8. / 10 : generation <= 5 ? 128. / 130 : 236. / 256;
    const auto data = static_cast<double>(payload.count);
    return {transfers[generation - 1] / 8 * coding * lanes * data / (data + framing)};
  }
};
BOOST_DESCRIBE_STRUCT(LinkParams, (), (generation, lanes, payload))
inline std::vector<Param> parameters(const LinkParams*) {
  return {{"generation", "of PCI Express: 2.5, 5, 8, 16, 32 or 64 GT/s on each lane", "1", "6"},
          {"lanes", "lanes side by side", "1", "16", Tuning::part},
          {"payload", "most bytes of data in a packet", "64B", "4KiB"}};
}

/// Doubles the lanes or, at the most lanes, takes the next generation.
inline const Speedup& speed_up(LinkParams& link) {
  if (link.lanes <= 8) link.lanes *= 2;
  else if (link.generation < 6) ++link.generation;
  return wider_links;
}

/// Background collection of blocks, as interference. The law: a byte of a write shorter than `random_below` that does
/// not begin where the write before it in its queue ended makes the drive read and program `amplification` - 1 bytes
/// more, and each `erase_after` bytes programmed on a die keep that die busy for `erase_time`.
struct CollectionParams {
  double amplification = 3;
  Bytes erase_after{16 << 20};
  Duration erase_time = std::chrono::milliseconds{3};
  Bytes random_below{128 << 10};
};
BOOST_DESCRIBE_STRUCT(CollectionParams, (), (amplification, erase_after, erase_time, random_below))
inline std::vector<Param> parameters(const CollectionParams*) {
  return {{"amplification", "bytes programmed for a byte written at random", "1", "100"},
          {"erase_after", "bytes that a die programs between two erasures", "64KiB", "1GiB"},
          {"erase_time", "time for which an erasure keeps the die from reading", "0s", "1s"},
          {"random_below",
           "shorter writes are random unless they continue their queue's last write; longer writes never are (data "
           "sheets measure sequential writes with 128 KiB)",
           "512B", "1GiB"}};
}

/// An NVMe drive of flash. There is no translation layer: a law gives the place and movement of data. The figures come
/// from a data sheet, but for eight that `sunstar fit` finds from measurements: queue_time, command_time,
/// write_time, latency, read_time (and with it read_tail), program_time, program_size and drain_size.
struct DriveParams {
  std::string name = "NVMe drive";
  std::string source = "round figures of a drive of 3D TLC flash on four lanes";
  Bytes capacity{1'900'000'000'000};
  Bytes sector_size{512};
  LinkParams link;
  std::uint32_t queues = 128, queue_depth = 1024;
  Duration queue_time = std::chrono::microseconds{2};
  Duration command_time = std::chrono::nanoseconds{1500};
  Duration write_time = std::chrono::nanoseconds{1000};
  Duration latency = std::chrono::microseconds{20};
  std::uint32_t dies = 64;
  Bytes page_size{16 << 10};
  Duration read_time = std::chrono::microseconds{50};
  Duration read_tail = std::chrono::microseconds{8};
  std::uint32_t channels = 8;
  Bandwidth channel_rate{800e6};
  Bytes codeword{4096};
  Duration program_time = std::chrono::microseconds{400};
  Bytes program_size{32 << 10};
  Bytes drain_size{2 << 20};
  Bytes write_buffer{64 << 20};
  double iops = 0, read_iops = 0, write_iops = 0;
  Bandwidth read_bandwidth{0}, write_bandwidth{0};
  CollectionParams collection;

  std::uint64_t sectors() const { return capacity.count / sector_size.count; }
};
BOOST_DESCRIBE_STRUCT(DriveParams, (),
                      (name, source, capacity, sector_size, link, queues, queue_depth, queue_time, command_time,
                       write_time, latency, dies, page_size, read_time, read_tail, channels, channel_rate, codeword,
                       program_time, program_size, drain_size, write_buffer, iops, read_iops, write_iops,
                       read_bandwidth, write_bandwidth, collection))
inline std::vector<Param> parameters(const DriveParams*) {
  return {
      {"name", "the drive's name", Tuning::fixed},
      {"source", "the sources of the figures, and which figures are inferred", Tuning::fixed},
      {"capacity", "bytes that the drive holds", "1MiB", "1000TB"},
      {"sector_size", "bytes of a logical block", "512B", "4KiB"},
      {"link", "the PCI Express link"},
      {"queues",
       "pairs of a submission and a completion queue that the drive offers; a node uses a pair for each core, as far "
       "as they go",
       "1", "65535"},
      {"queue_depth", "commands that a submission queue holds", "2", "65536", Tuning::setting},
      {"queue_time", "time from command to command of one queue: the controller takes them one after another", "0s",
       "1ms", faster_controllers},
      {"command_time", "time of the controller for each command of any queue", "1ns", "1ms", faster_controllers},
      {"write_time", "time of the controller for each codeword written; a read may come between two codewords", "0s",
       "1ms", faster_controllers},
      {"latency", "time of a command that occupies nothing: doorbell, firmware, completion, interrupt", "0s", "10ms",
       faster_controllers},
      {"dies", "dies, which work in parallel", "1", "4096"},
      {"page_size", "consecutive bytes on a die; the following page is on the next die", "512B", "1MiB"},
      {"read_time", "least time of a die to read a page", "1us", "10ms", faster_flash},
      {"read_tail", "mean of a read's additional time, exponentially distributed", "0s", "10ms", faster_flash},
      {"channels", "channels, which the dies share evenly", "1", "64"},
      {"channel_rate", "rate of a channel", "1MB/s", "100GB/s", faster_flash},
      {"codeword",
       "bytes with check bits of their own: a die sends no less for a read, and the controller writes by them", "512B",
       "64KiB"},
      {"program_time", "time for which a programming die reads nothing; shorter than the flash's own if it suspends",
       "1us", "100ms", faster_flash},
      {"program_size", "bytes that a die programs in program_time", "512B", "16MiB"},
      {"drain_size", "bytes that the write buffer gathers before it sends them all to the dies", "512B", "1GiB"},
      {"write_buffer", "bytes written and not yet programmed that the drive holds; a write waits for room", "64KiB",
       "64GiB"},
      {"iops", "most reads and codewords written a second, together; 0: no cap", "0", "1000000000"},
      {"read_iops", "most reads a second; 0: no cap", "0", "1000000000"},
      {"write_iops", "most writes a second; 0: no cap", "0", "1000000000"},
      {"read_bandwidth", "most bytes read a second; 0: no cap", "0B/s", "1TB/s"},
      {"write_bandwidth", "most bytes written a second; 0: no cap", "0B/s", "1TB/s"},
      {"collection", "background collection of blocks"}};
}
inline void check(const DriveParams& p, const std::string& path, Problems& problems) {
  const auto multiple = [&](const char* key, Bytes size) {
    if (size.count % p.sector_size.count != 0)
      problems.add(json_path(path, key), "is ", size.count, "B; it must be a multiple of ",
                   json_path(path, "sector_size"), ", ", p.sector_size.count, "B");
  };
  multiple("page_size", p.page_size);
  if (p.write_buffer < p.drain_size)
    problems.add(json_path(path, "write_buffer"), "is ", p.write_buffer.count,
                 "B; it must hold the bytes that drain at a time, ", json_path(path, "drain_size"), ", ",
                 p.drain_size.count, "B");
}

}  // namespace sunstar::nvme

template <>
struct sunstar::catalogue_of<sunstar::nvme::DriveParams> {
  static constexpr std::string_view noun = "NVMe drive", folder = "models/disk/drives/nvme";
};
