// SPDX-License-Identifier: MIT
#include "models/node/node.h"

#include "models/node/nvme_host.h"

namespace sunstar::node {

namespace {
// The place in memory of threads' own buffers.
constexpr std::uint64_t scratch_address = 0, scratch_bytes = 1 << 20;

double cycle_ps(const Node::Setup& setup, const char* name) {
  RandomStream random(setup.seed, name);
  const double deviation = setup.params.clock_variation * (2 * random.uniform() - 1);
  return 1e12 / setup.params.clock.hertz * (1 + deviation);
}
}  // namespace

Node::Node(const sc_core::sc_module_name& name, const Setup& setup)
    : sc_module(name),
      cpu(setup.params.cores == 1 ? "cpu" : "cpu0", cycle_ps(setup, name), *setup.timetable),
      bus("bus", setup.params, static_cast<std::uint32_t>(setup.drives.size())),
      ram("memory", setup.memory_bytes + scratch_bytes),
      network_interface_(NetworkInterface::create("network_interface", setup.params, setup.id, *setup.router_of,
                                                  *setup.payloads, ram.content())),
      network_interface(*network_interface_),
      dma_engine("dma_engine", *setup.timetable),
      id_(setup.id),
      name_(sc_module::name()),
      programmed_io_limit_(network_interface.programmed_limit()),
      interrupted_(setup.params.interrupts) {
  for (std::uint32_t i = 1; i < setup.params.cores; ++i)
    further_cores_.push_back(std::make_unique<Processor>(("cpu" + std::to_string(i)).c_str(), cycle_ps(setup, name),
                                                         *setup.timetable, &cpu));
  ram.allocate(scratch_bytes);  // the first allocation is at scratch_address
  if (setup.monitored)
    for (std::size_t m = 0; m < bus.masters(); ++m)
      monitors_.push_back(std::make_unique<BusMonitor>(("bus_monitor" + std::to_string(m)).c_str()));
  connect(processor_socket, NodeBus::processor);
  connect(network_interface.dma, NodeBus::network_interface);
  connect(dma_engine.dma, NodeBus::dma_engine);
  bus.to_slaves.bind(ram.socket);
  bus.to_slaves.bind(network_interface.registers);
  bus.to_slaves.bind(dma_engine.registers);
  for (std::uint32_t i = 0; i < setup.drives.size(); ++i) {
    const std::string adapter = "host_adapter" + std::to_string(i);
    const auto [by, number] = setup.drives[i];
    if (by == Setup::Drives::By::nvme)
      host_adapters.push_back(std::make_unique<NvmeHost>(adapter.c_str(), *this, i, number));
    else host_adapters.push_back(std::make_unique<HostAdapter>(adapter.c_str(), *this, i, number));
    connect(host_adapters[i]->dma, NodeBus::first_host_adapter + i);
    bus.to_slaves.bind(host_adapters[i]->registers);
  }
}

template <class Socket>
void Node::connect(Socket& master, std::uint32_t number) {
  if (monitors_.empty()) {
    master.bind(bus.from_masters);
  } else {
    master.bind(monitors_[number]->from_master);
    monitors_[number]->to_bus.bind(bus.from_masters);
  }
}

void Node::probe(const Probe& probe, Stage computing) {
  for (std::uint32_t i = 0; i < cores(); ++i) core(i).probe(probe);
  network_interface.probe(probe, computing);
}

Time Node::now() const { return sunstar::now(); }

void Node::boot(hal::Firmware& firmware) {
  firmware_ = takes_interrupts_ = &firmware;
  network_interface.connect(firmware);
}

void Node::pause(Time until) {
  paused_until_ = std::max(until, paused_until_);
  takes_interrupts_ = &held_interrupts_;
  network_interface.connect(held_interrupts_);
  for (std::uint32_t i = 0; i < cores(); ++i) core(i).pause(until);
  cpu.at(until, resume_);
}

void Node::start(Time t, std::function<void()> boot) { cpu.at(t, starts_.emplace_back(std::move(boot))); }

void Node::resume() {
  if (now() < paused_until_) return;  // another pause has begun meanwhile
  takes_interrupts_ = firmware_;
  network_interface.connect(*firmware_);
  held_interrupts_.deliver(*firmware_);
}

sc_core::sc_time Node::access(std::uint64_t address, void* data, unsigned bytes, sc_core::sc_time delay) {
  register_access_.set_command(tlm::TLM_WRITE_COMMAND);
  register_access_.set_address(address);
  register_access_.set_data_ptr(static_cast<unsigned char*>(data));
  register_access_.set_data_length(bytes);
  register_access_.set_streaming_width(bytes);
  register_access_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  processor_socket->b_transport(register_access_, delay);
  assert(register_access_.is_response_ok());
  return delay;
}

void Node::send(const hal::Message& message, Time when) {
  NetworkInterface::SendDescriptor descriptor{&message, 0};
  if (message.bytes > programmed_io_limit_) descriptor.data_address = ram.address_of(message.data);
  access(page_of(Device::network_interface) + NetworkInterface::doorbell, &descriptor, sizeof descriptor,
         to_sc(std::max(when - now(), Duration{})));
}

Time Node::accept(hal::Message& message, std::byte* destination, Time from) {
  NetworkInterface::AcceptDescriptor descriptor{&message, scratch_address, {}};
  if (destination && message.bytes > 0) {
    descriptor.data_address = ram.address_of(destination);
    if (message.bytes <= programmed_io_limit_) ram.content().write(destination, *message.content);
  }
  access(page_of(Device::network_interface) + NetworkInterface::accept, &descriptor, sizeof descriptor,
         to_sc(std::max(from - now(), Duration{})));
  return descriptor.done;
}

// Not a register access: the interface is done with a message once the processor has accepted it.
void Node::release(hal::Message& message) { static_cast<Packet&>(message).payload->release(); }

void Node::copy(std::byte* to, const std::byte* from, std::uint64_t bytes, hal::Callback& done) {
  node::DmaEngine::Descriptor descriptor{ram.address_of(to), ram.address_of(from), bytes, &done};
  access(page_of(Device::dma_engine), &descriptor, sizeof descriptor);
}

Time Node::copied(std::uint64_t bytes) {
  register_access_.set_command(tlm::TLM_IGNORE_COMMAND);
  register_access_.set_address(0);
  register_access_.set_data_length(static_cast<unsigned>(2 * bytes));
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  processor_socket->b_transport(register_access_, delay);
  return now() + from_sc(delay);
}

// With several cores, the processor has the mean of its cores' shares.
void Node::add_processor_statistics(StatisticSet& set) {
  for (std::uint32_t i = 0; i < cores(); ++i) core(i).add_statistics(set);
  if (cores() == 1) return;
  const auto mean = [this](Duration (ProcessorCore::*busy)(Time) const) {
    Duration sum{};
    for (std::uint32_t i = 0; i < cores(); ++i) sum += (core(i).core().*busy)(now());
    return sum / cores();
  };
  const std::string prefix = name_ + ".cpu";
  add_share(set, prefix + ".thread_utilisation", "share of the cores' time spent in threads", threads_,
            [mean] { return mean(&ProcessorCore::thread_busy); });
  add_share(set, prefix + ".interrupt_utilisation", "share of the cores' time spent in interrupt handlers", handlers_,
            [mean] { return mean(&ProcessorCore::interrupt_busy); });
  set.add({prefix + ".interrupts", "interrupts taken by all cores", "1", [this] {
             double sum = 0;
             for (std::uint32_t i = 0; i < cores(); ++i) sum += static_cast<double>(core(i).interrupts());
             return sum;
           }});
}

void Node::add_statistics(StatisticSet& set) {
  add_processor_statistics(set);
  bus.add_statistics(set);
  network_interface.add_statistics(set);
  for (auto& adapter : host_adapters) adapter->add_statistics(set);
}

}  // namespace sunstar::node
