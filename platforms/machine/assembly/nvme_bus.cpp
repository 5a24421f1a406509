// SPDX-License-Identifier: MIT
#include "platforms/machine/assembly/nvme_bus.h"

#include "models/node/nvme_host.h"

namespace sunstar::machine {

NvmeBus::NvmeBus(const sc_core::sc_module_name& name, const MachineParams& machine, const BusSpec& spec,
                 std::uint64_t seed, Timetable& timetable, const Probe& probe)
    : DriveBus(name) {
  constexpr std::uint32_t tracks = 1 << 16;  // of a drive
  for (const DriveGroup& group : spec.drives)
    for (std::uint32_t i = 0; i < group.count; ++i) {
      const std::size_t number = controllers_.size();
      auto& drive = *controllers_.emplace_back(std::make_unique<nvme::Controller>(
          ("disk" + std::to_string(number)).c_str(), machine.nvme_of(group), seed, timetable));
      drives_.push_back(&drive.device());
      if (!probe) continue;
      drive.probe(probe, this->name(), static_cast<std::uint32_t>(number) * tracks);
      monitors_.push_back(std::make_unique<node::BusMonitor>(("monitor" + std::to_string(number)).c_str()));
    }
}

void NvmeBus::connect(node::Node& node, std::uint32_t adapter) {
  auto& host = static_cast<node::NvmeHost&>(*node.host_adapters[adapter]);
  for (std::uint32_t i = 0; i < controllers_.size(); ++i) {
    nvme::Controller& drive = *controllers_[i];
    host.doorbells[i].bind(drive.doorbells);
    if (monitors_.empty()) {
      drive.memory.bind(host.memory[i]);
    } else {
      drive.memory.bind(monitors_[i]->from_master);
      monitors_[i]->to_bus.bind(host.memory[i]);
    }
    const nvme::Device& device = drive.device();
    const nvme::DriveParams& params = device.drive().params();
    const std::uint32_t queues = std::min(node.cores(), params.queues);
    drive.connect(host.host(), queues);
    node.add_block_device(host.device(i, device.sectors(), device.sector_size(), queues, params.queue_depth));
  }
}

void NvmeBus::register_statistics(StatisticSet& set) {
  for (auto& drive : controllers_) drive->register_statistics(set);
}

double NvmeBus::bytes_per_second() const {
  return controllers_.front()->device().drive().params().link.data_rate().bytes_per_second;
}

std::uint64_t NvmeBus::monitored_bytes() const {
  std::uint64_t all = 0;
  for (const auto& monitor : monitors_) all += monitor->bytes();
  return all;
}

std::uint64_t NvmeBus::reported_bytes() const {
  std::uint64_t all = 0;
  for (const auto& drive : controllers_) all += drive->bytes();
  return all;
}

}  // namespace sunstar::machine
