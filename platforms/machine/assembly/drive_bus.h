// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <systemc>
#include <vector>

#include "models/disk/storage_device.h"
#include "models/kernel/probe.h"
#include "models/node/node.h"
#include "platforms/machine/assembly/params.h"

namespace sunstar::machine {

/// A bus of a node with its drives, of one technology. Each technology is a class derived from it.
class DriveBus : public sc_core::sc_module {
 public:
  /// The drives by their numbers on the bus.
  const std::vector<disk::StorageDevice*>& drives() const { return drives_; }
  /// Connects the bus with the node's adapter of that number, and adds the drives to the node.
  virtual void connect(node::Node& node, std::uint32_t adapter) = 0;
  virtual void register_statistics(StatisticSet& set) = 0;
  /// The faults of the bus itself; null if it has none.
  virtual scsi::BusFaults* faults() { return nullptr; }
  /// The name of its statistics, and bytes a second that it carries from one drive.
  virtual std::string instance() const = 0;
  virtual double bytes_per_second() const = 0;
  /// Bytes that any monitors on its sockets have counted, and bytes that it reports.
  virtual std::uint64_t monitored_bytes() const = 0;
  virtual std::uint64_t reported_bytes() const = 0;

 protected:
  explicit DriveBus(const sc_core::sc_module_name& name) : sc_module(name) {}
  std::vector<disk::StorageDevice*> drives_;
};

}  // namespace sunstar::machine
