// SPDX-License-Identifier: MIT
#include "models/node/node_bus.h"

#include "models/kernel/payload.h"

namespace sunstar::node {

NodeBus::NodeBus(const sc_core::sc_module_name& name, const NodeParams& params, std::uint32_t host_adapters)
    : sc_module(name),
      core_(params.memory_bandwidth, static_cast<std::uint32_t>(params.bus_burst.count)),
      bytes_(first_host_adapter + host_adapters) {
  from_masters.register_b_transport(this, &NodeBus::b_transport);
}

void NodeBus::end_of_elaboration() {
  for (unsigned s = 0; s < to_slaves.size(); ++s) slaves_.push_back(to_slaves[static_cast<int>(s)]);
}

void NodeBus::b_transport(int master, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  if (address >= device_base) {
    slaves_[1 + (address - device_base) / device_page]->b_transport(payload, delay);
    return;
  }
  bytes_[master] += payload.get_data_length();
  const Time start = now(), ready = start + from_sc(delay);
  const auto* const content = payload.get_extension<ContentExtension>();
  const Time end = core_.transfer(start, ready - (content ? content->since : Duration{}), payload.get_data_length());
  delay = to_sc(std::max(end, ready) - start);
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) payload.set_response_status(tlm::TLM_OK_RESPONSE);
  else slaves_[0]->b_transport(payload, delay);
}

void NodeBus::add_statistics(StatisticSet& set) {
  const std::string prefix = name();
  for (std::size_t m = 0; m < bytes_.size(); ++m) {
    const char* fixed[] = {"processor", "network_interface", "dma_engine"};
    const std::string master =
        m < first_host_adapter ? fixed[m] : "host_adapter" + std::to_string(m - first_host_adapter);
    set.counter(prefix + "." + master + "_bytes", "bytes moved on the node bus by its " + master, "B", bytes_[m]);
  }
  add_share(set, prefix + ".utilisation", "share of time the memory was busy", share_,
            [this] { return core_.busy(now()); });
}

}  // namespace sunstar::node
