// SPDX-License-Identifier: MIT
#include "models/node/block_adapter.h"

#include "models/node/address_map.h"
#include "models/node/node.h"

namespace sunstar::node {

BlockAdapter::BlockAdapter(const sc_core::sc_module_name& name, Node& node, std::uint32_t index)
    : sc_module(name), registers("registers"), dma("dma"), node_(node), index_(index) {
  registers.register_b_transport(this, &BlockAdapter::access);
}

void BlockAdapter::Drive::submit(hal::BlockCommand& command) {
  Node& node = adapter.node_;
  Descriptor descriptor{&command, this, command.data.bytes ? node.ram.address_of(command.data.bytes) : 0};
  node.access(page_of(Device::first_host_adapter) + adapter.index_ * device_page, &descriptor, sizeof descriptor);
}

}  // namespace sunstar::node
