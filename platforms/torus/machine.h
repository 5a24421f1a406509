// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/core/statistics.h"
#include "models/core/timetable.h"
#include "models/network/network.h"
#include "models/node/node.h"
#include "models/scsi/bus.h"
#include "models/scsi/target.h"
#include "platforms/torus/config.h"
#include "sw/file/file_system.h"

namespace sunstar::torus {

/// One SCSI bus with its drives.
class DiskBus : public sc_core::sc_module {
 public:
  DiskBus(const sc_core::sc_module_name& name, const MachineParams& machine, const BusSpec& spec, std::uint64_t seed);

  scsi::Bus bus;
  std::vector<std::unique_ptr<scsi::Target>> disks;
};

/// The machine: nodes on a torus, buses and drives on the nodes that do I/O, an executive on every node. What it does is
/// a matter of the file system and the workload that run on it (run.h).
class Machine : public sc_core::sc_module {
 public:
  /// `memory_bytes`: of every node, for buffers. Throws ConfigError.
  Machine(const sc_core::sc_module_name& name, const MachineParams& params, std::uint64_t seed, std::uint64_t memory_bytes);
  ~Machine() override;

  /// Firmware's view, to be completed with files and workload.
  void describe(file::System& system);

  scsi::Target& disk(std::size_t i) { return *disks_[i]; }
  std::size_t disk_count() const { return disks_.size(); }
  network::Network& network() { return *network_; }
  /// When the last byte written so far is on a medium.
  Time on_medium() const;
  void add_statistics(StatisticSet&);
  /// Who waits for whom, one line each.
  std::vector<std::string> waiting() const;
  void trace(sc_core::sc_trace_file* file);

 private:
  Timetable timetable_;  // of the network and all processors
  std::vector<std::uint32_t> router_of_;
  std::unique_ptr<network::Network> network_;
  std::vector<std::unique_ptr<node::Node>> nodes_;
  std::vector<std::unique_ptr<DiskBus>> buses_;
  std::vector<std::unique_ptr<os::Os>> executives_;
  std::vector<os::Os*> compute_, io_;
  std::vector<file::DiskPlace> places_;
  std::vector<scsi::Target*> disks_;
  std::vector<std::unique_ptr<sc_core::sc_module>> idle_;  // where no node is
};

}  // namespace sunstar::torus
