// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/core/statistics.h"
#include "models/kernel/timeline.h"
#include "models/kernel/timetable.h"
#include "models/kernel/wave_file.h"
#include "models/network/message_monitor.h"
#include "models/network/network.h"
#include "models/node/node.h"
#include "models/scsi/bus.h"
#include "models/scsi/command_monitor.h"
#include "models/scsi/target.h"
#include "platforms/torus/config.h"
#include "sw/file_systems/file_system.h"

namespace sunstar::machine {

/// Where what is seen of a machine goes; both must outlive its simulation.
struct Watchers {
  WaveFile* waves = nullptr;
  Timeline* timeline = nullptr;
  bool any() const { return waves || timeline; }
};

/// One SCSI bus with its drives.
class DiskBus : public sc_core::sc_module {
 public:
  DiskBus(const sc_core::sc_module_name& name, const MachineParams& machine, const BusSpec& spec, std::uint64_t seed,
          const Watchers& watchers);

  void bind(scsi::Initiator& initiator);

  scsi::Bus bus;
  std::unique_ptr<scsi::CommandMonitor> monitor;  ///< when watched
  std::vector<std::unique_ptr<scsi::Target>> disks;
};

/// The machine: nodes on a torus, buses and drives on the nodes that do I/O, an executive on every node. What it does
/// is a matter of the file system and the workload that run on it (run.h).
class Machine : public sc_core::sc_module {
 public:
  /// `memory_bytes`: of every node, for buffers. When there are watchers, monitors sit on the sockets. Throws
  /// ConfigError.
  Machine(const sc_core::sc_module_name& name, const MachineParams& params, std::uint64_t seed,
          std::uint64_t memory_bytes, const Watchers& watchers = {});
  ~Machine() override;

  /// Firmware's view, to be completed with files and workload.
  void describe(file_systems::System& system);

  scsi::Target& disk(std::size_t i) { return *disks_[i]; }
  std::size_t disk_count() const { return disks_.size(); }
  network::Network& network() { return *network_; }
  /// When the last byte written so far is on a medium.
  Time on_medium() const;
  void add_statistics(StatisticSet&);
  /// Who waits for whom, one line each.
  std::vector<std::string> waiting() const;
  /// Shows ready threads and the queues of the file system in the wave file, if there is one. Before it starts.
  void watch(const file_systems::FileSystem& file_system);

  /// What the monitors on the sockets have counted beside what the models say; empty unless watched.
  struct Comparison {
    std::string what;
    std::uint64_t monitored, reported;
  };
  std::vector<Comparison> compare_monitors() const;

 private:
  template <class Interface>
  void bind(Interface& interface, std::uint32_t router);

  Watchers watchers_;
  Timetable timetable_;  // of the network and all processors
  std::vector<std::uint32_t> router_of_;
  std::unique_ptr<network::Network> network_;
  std::unique_ptr<network::MessageMonitor> message_monitor_;
  std::vector<std::unique_ptr<node::Node>> nodes_;
  std::vector<std::unique_ptr<DiskBus>> buses_;
  std::vector<std::unique_ptr<os::Os>> executives_;
  std::vector<os::Os*> compute_, io_;
  std::vector<node::Node*> io_nodes_;
  std::vector<io::DiskPlace> places_;
  std::vector<scsi::Target*> disks_;
  std::vector<std::unique_ptr<sc_core::sc_module>> idle_;  // where no node is
};

}  // namespace sunstar::machine
