// SPDX-License-Identifier: MIT
#include "models/node/nvme_host.h"

#include "models/nvme/controller.h"
#include "tests/support/catch.h"
#include "tests/support/node_pair.h"
#include "tests/support/simulation.h"

using namespace sunstar;
using namespace sunstar::literals;
using test::Simulation;

namespace {

nvme::DriveParams exact() {
  nvme::DriveParams p;
  p.capacity = 1_MiB;
  p.read_tail = 0_us;
  p.latency = 10_us;
  return p;
}

/// Firmware that notes how commands end.
struct Noting final : hal::Firmware {
  struct End {
    Time at;
    const hal::BlockCommand* command;
    hal::Status status;
  };
  std::vector<End> ends;
  std::function<void(hal::BlockCommand&)> then;
  void message_arrived(hal::Message&) override {}
  void block_done(hal::BlockCommand& c) override {
    ends.push_back({now(), &c, c.status});
    if (then) then(c);
  }
};

/// A node with an NVMe drive.
struct NodeWithDrive {
  explicit NodeWithDrive(const nvme::DriveParams& params = exact(), std::uint32_t queues = 1) {
    node::Node::Setup setup;
    setup.params = test::NodePair::node_params();
    setup.params.memory_bandwidth = Bandwidth{100e9};
    setup.memory_bytes = 1 << 20;
    setup.drives = {{node::Node::Setup::Drives::By::nvme, 1}};
    setup.router_of = &router_of;
    setup.timetable = &timetable;
    setup.payloads = &payloads;
    setup.monitored = true;
    node = std::make_unique<node::Node>("node", setup);
    node->network_interface.to_network.bind(network->from_node(0));
    network->to_node(0).bind(node->network_interface.from_network);
    node->boot(firmware);
    drive = std::make_unique<nvme::Controller>("disk0", params, 1, timetable);
    auto& host = static_cast<node::NvmeHost&>(*node->host_adapters[0]);
    drive->connect(host.host(), queues);
    host.doorbells[0].bind(drive->doorbells);
    drive->memory.bind(host.memory[0]);
    const auto& device = drive->device();
    node->add_block_device(host.device(0, device.sectors(), device.sector_size(), queues, params.queue_depth));
    bytes = node->allocate(64 << 10);  // NOLINT(cppcoreguidelines-prefer-member-initializer): the node comes first
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  hal::BlockDevice& device() { return node->block_device(0); }
  hal::BlockCommand command(std::uint64_t sector, bool write) const {
    hal::BlockCommand c;
    c.sector = sector;
    c.sectors = 8;
    c.write = write;
    c.data = {bytes};
    return c;
  }
  std::uint64_t on_bus() const { return node->bus.bytes(node::NodeBus::first_host_adapter); }
  void strike(const disk::FaultEffects& effect, std::uint64_t command) {
    drive->device().faults().add(effect, {faults::AtOperation{command}}, {faults::Extent::no_limit, {}}, 1, "fault",
                                 {});
  }

  std::vector<std::uint32_t> router_of{0, 1};
  PayloadPool payloads;
  Timetable timetable{"timetable"};
  std::unique_ptr<network::Fabric> network =
      network::CubeNetwork::create("network", test::NodePair::network_params(), 1);
  Noting firmware;
  std::unique_ptr<node::Node> node;
  std::unique_ptr<nvme::Controller> drive;
  std::byte* bytes = nullptr;
};

}  // namespace

TEST_CASE("an NVMe command of a node takes the drive's time, and its bytes and entries pass the node bus") {
  Simulation simulation;
  NodeWithDrive m;
  nvme::Drive twin(exact(), 1, "twin");
  CHECK(m.device().depth() == 1023);
  const std::string text(4096, 'x');
  const content::Content written(std::as_bytes(std::span(text.data(), text.size())));
  m.node->memory().write(m.bytes, written);
  hal::BlockCommand write = m.command(16, true), read = m.command(16, false);
  m.firmware.then = [&](hal::BlockCommand& c) {
    if (&c != &write) return;
    m.node->memory().clear(m.bytes, 4096);
    m.device().submit(read);
  };
  m.device().submit(write);
  simulation.run([&] { return m.firmware.ends.size() == 2; });
  const Time first = twin.submit(Time{}, {0, nvme::Operation::write, 16, 8});
  CHECK(m.firmware.ends[0].at == first);
  CHECK(m.firmware.ends[1].at == twin.submit(first, {0, nvme::Operation::read, 16, 8}));
  CHECK(m.firmware.ends[1].status == hal::Status::ok);
  content::Content found;
  m.node->memory().read(m.bytes, 4096, found);
  CHECK_FALSE(content::first_difference(found, written));
  CHECK(m.on_bus() == 2 * (4096 + 64 + 16));
  CHECK(m.on_bus() == m.node->monitored_bytes(node::NodeBus::first_host_adapter));
  CHECK(m.drive->bytes() == m.on_bus());
}

TEST_CASE("NVMe commands of a node run side by side") {
  Simulation simulation;
  NodeWithDrive m;
  // Pages 0 and 1, on two dies.
  hal::BlockCommand one = m.command(0, false), two = m.command(32, false);
  m.device().submit(one);
  m.device().submit(two);
  simulation.run([&] { return m.firmware.ends.size() == 2; });
  CHECK(m.firmware.ends[1].at - m.firmware.ends[0].at < exact().read_time / 10);
}

TEST_CASE("an NVMe controller takes turns between its queues") {
  struct Ends final : nvme::Host {
    std::vector<std::uint64_t> pages;
    void completed(nvme::Entry& entry) override { pages.push_back(entry.command.lbn / 32); }
  };
  nvme::DriveParams p = exact();
  p.queue_time = 0_us;
  p.command_time = 5_us;  // the queues wait for the controller, not for dies
  Simulation simulation;
  NodeWithDrive m(p);
  Ends ends;
  m.drive->connect(ends, 2);
  std::vector<nvme::Entry> entries(5);
  for (std::uint32_t i = 0; i < 5; ++i) {
    entries[i].command = {i == 4, nvme::Operation::read, 32 * i, 8};  // the last one in a queue of its own
    entries[i].address = m.node->ram.address_of(m.bytes);
    tlm::tlm_generic_payload doorbell;
    doorbell.set_data_ptr(reinterpret_cast<unsigned char*>(&entries[i]));
    sc_core::sc_time none;
    static_cast<node::NvmeHost&>(*m.node->host_adapters[0]).doorbells[0]->b_transport(doorbell, none);
  }
  simulation.run([&] { return ends.pages.size() == 5; });
  CHECK(ends.pages == std::vector<std::uint64_t>{0, 4, 1, 2, 3});
}

TEST_CASE("a node gives NVMe commands to its queues in turn and passes over a full one") {
  nvme::DriveParams p = exact();
  p.queue_depth = 2;  // one command each
  p.dies = 2;
  Simulation simulation;
  NodeWithDrive m(p, 3);
  CHECK(m.device().depth() == 3);
  hal::BlockCommand slow = m.command(0, false);
  slow.sectors = 96;  // pages 0 and 2 on one die, 1 on the other, as page 5
  std::vector<hal::BlockCommand> quick(4, m.command(160, false));
  m.device().submit(slow);
  m.device().submit(quick[0]);
  m.device().submit(quick[1]);
  m.firmware.then = [&, next = 2u](hal::BlockCommand& c) mutable {
    if (next == 2) CHECK(&c == &quick[0]);
    if (next < 4) m.device().submit(quick[next++]);
  };
  simulation.run([&] { return m.firmware.ends.size() == 5; });
  CHECK(slow.core == 0);
  CHECK(quick[0].core == 1);
  CHECK(quick[1].core == 2);
  CHECK(quick[2].core == 1);  // queue 0 is full
}

TEST_CASE("NVMe commands that wait for their turn can be aborted, and a reset ends them") {
  nvme::DriveParams p = exact();
  p.command_time = 1_ms;
  Simulation simulation;
  NodeWithDrive m(p, 2);
  std::vector<hal::BlockCommand> commands(4, m.command(0, false));
  hal::BlockCommand abort, reset;
  abort.help = hal::Help::abort;
  abort.aborts = &commands[1];
  reset.help = hal::Help::device_reset;
  for (auto& c : commands) m.device().submit(c);
  m.device().submit(abort);
  m.device().submit(reset);
  simulation.run([&] { return m.firmware.ends.size() == 6; });
  CHECK(m.firmware.ends[0].command == &commands[1]);
  for (const auto& c : commands) CHECK(c.status == hal::Status::interrupted);
}

TEST_CASE("an abort ends its NVMe command") {
  Simulation simulation;
  NodeWithDrive m;
  hal::BlockCommand first = m.command(0, false), abort;
  abort.help = hal::Help::abort;
  abort.aborts = &first;
  m.device().submit(first);
  m.device().submit(abort);
  simulation.run([&] { return m.firmware.ends.size() == 2; });
  CHECK(m.firmware.ends[0].command == &first);
  CHECK(m.firmware.ends[0].status == hal::Status::interrupted);
  CHECK(m.firmware.ends[1].command == &abort);
}

TEST_CASE("an abort that finds its NVMe command ended leaves alone what has taken its place") {
  nvme::DriveParams p = exact();
  p.latency = 1_ms;  // of the abort, too
  Simulation simulation;
  NodeWithDrive m(p, 1);
  hal::BlockCommand before = m.command(0, false), first = m.command(0, false), next = m.command(0, false), abort;
  abort.help = hal::Help::abort;
  abort.aborts = &first;
  m.device().submit(before);
  m.device().submit(first);
  m.firmware.then = [&](hal::BlockCommand& c) {
    if (&c == &before) m.device().submit(abort);
    if (&c == &first) m.device().submit(next);
  };
  simulation.run([&] { return m.firmware.ends.size() == 4; });
  CHECK(m.firmware.ends[1].command == &first);
  CHECK(m.firmware.ends[2].command == &abort);
  CHECK(first.status == hal::Status::ok);
  CHECK(next.status == hal::Status::ok);
}

TEST_CASE("an NVMe drive that hangs hears a reset only, which ends what was under way before, too") {
  Simulation simulation;
  NodeWithDrive m;
  m.strike(disk::Hang{}, 2);
  hal::BlockCommand first = m.command(0, false), hangs = m.command(8, false), abort, reset;
  abort.help = hal::Help::abort;
  abort.aborts = &first;
  reset.help = hal::Help::device_reset;
  for (hal::BlockCommand* c : {&first, &hangs, &abort, &reset}) m.device().submit(*c);
  simulation.run([&] { return m.firmware.ends.size() == 3; });
  CHECK(m.firmware.ends[0].status == hal::Status::interrupted);
  CHECK(m.firmware.ends[1].status == hal::Status::interrupted);
  CHECK(m.firmware.ends[2].command == &reset);
}

TEST_CASE("the reset of a dead NVMe drive finds it gone") {
  Simulation simulation;
  NodeWithDrive m;
  m.strike(disk::Dead{}, 1);
  hal::BlockCommand first = m.command(0, false), reset;
  reset.help = hal::Help::device_reset;
  m.device().submit(first);
  m.device().submit(reset);
  simulation.run([&] { return m.firmware.ends.size() == 2; });
  CHECK(m.firmware.ends[0].status == hal::Status::no_device);
}

TEST_CASE("a loss of power ends the NVMe commands under way, whose data are not stored") {
  Simulation simulation;
  NodeWithDrive m;
  m.strike(disk::PowerLoss{1_ms}, 2);
  const std::string text(4096, 'x');
  m.node->memory().write(m.bytes, content::Content(std::as_bytes(std::span(text.data(), text.size()))));
  hal::BlockCommand write = m.command(0, true), next = m.command(8, false);
  m.device().submit(write);
  m.device().submit(next);
  simulation.run([&] { return m.firmware.ends.size() == 2; });
  for (const auto& end : m.firmware.ends)
    CHECK(end.status == (end.command == &write ? hal::Status::interrupted : hal::Status::not_ready));
  content::Content found;
  m.drive->device().medium().read(0, 4096, found);
  CHECK(content::first_difference(found, content::Content(std::as_bytes(std::span(text.data(), text.size())))));
}

TEST_CASE("an NVMe write that has ended well survives a loss of power during it, of which no command has told") {
  Simulation simulation;
  NodeWithDrive m;
  disk::DriveFaults& drive_faults = m.drive->device().faults();
  drive_faults.add(disk::PowerLoss{1_ms}, {faults::AtTime{1_us}}, {faults::Extent::no_limit, {}}, 1, "fault", {});
  const std::string text(4096, 'x');
  const content::Content data(std::as_bytes(std::span(text.data(), text.size())));
  m.node->memory().write(m.bytes, data);
  hal::BlockCommand write = m.command(0, true);
  m.device().submit(write);
  simulation.run([&] { return m.firmware.ends.size() == 1; });
  CHECK(m.firmware.ends[0].status == hal::Status::ok);
  drive_faults.settle(now());
  content::Content found;
  m.drive->device().medium().read(0, 4096, found);
  CHECK_FALSE(content::first_difference(found, data));
  CHECK(drive_faults.lost_with_power().empty());
}
