// SPDX-License-Identifier: MIT
#include "tests/counting/machine.h"

#include <type_traits>
#include <utility>

// The registers that a called function may change, ra, t0-t6 and a0-a7. 1 is the mark of `interrupt`, 2047 its end.
static_assert(sunstar::os::mark::of(sunstar::os::Cost::interrupt) == 1 && sunstar::os::mark::end == 2047);
asm(R"(
        .text
        .globl sunstar_take_interrupt
sunstar_take_interrupt:
        slti x0, x0, 1
        addi sp, sp, -128
        sd ra, 0(sp)
        sd t0, 8(sp)
        sd t1, 16(sp)
        sd t2, 24(sp)
        sd t3, 32(sp)
        sd t4, 40(sp)
        sd t5, 48(sp)
        sd t6, 56(sp)
        sd a0, 64(sp)
        sd a1, 72(sp)
        sd a2, 80(sp)
        sd a3, 88(sp)
        sd a4, 96(sp)
        sd a5, 104(sp)
        sd a6, 112(sp)
        sd a7, 120(sp)
        jalr a2
        ld ra, 0(sp)
        ld t0, 8(sp)
        ld t1, 16(sp)
        ld t2, 24(sp)
        ld t3, 32(sp)
        ld t4, 40(sp)
        ld t5, 48(sp)
        ld t6, 56(sp)
        ld a0, 64(sp)
        ld a1, 72(sp)
        ld a2, 80(sp)
        ld a3, 88(sp)
        ld a4, 96(sp)
        ld a5, 104(sp)
        ld a6, 112(sp)
        ld a7, 120(sp)
        addi sp, sp, 128
        slti x0, x0, 2047
        ret
)");

namespace sunstar::counting {

namespace {

constexpr std::size_t most_nodes = 32;

template <std::size_t... node>
void run_on(hal::NodeId wanted, std::index_sequence<node...>, void (*enter)(hal::Firmware*, void*, Handler),
            hal::Firmware* firmware, void* what, Handler handler) {
  const auto here = [&]<std::size_t n>(std::integral_constant<std::size_t, n>) {
    const os::Marked<os::mark::first_node + static_cast<int>(n)> mark;
    enter(firmware, what, handler);
  };
  ((wanted == node ? here(std::integral_constant<std::size_t, node>{}) : void()), ...);
}

}  // namespace

void call(hal::Firmware* firmware, void* what, Handler handler) { handler(firmware, what); }

void run_on_node(hal::NodeId node, void (*enter)(hal::Firmware*, void*, Handler), hal::Firmware* firmware, void* what,
                 Handler handler) {
  if (node >= most_nodes) std::abort();
  run_on(node, std::make_index_sequence<most_nodes>{}, enter, firmware, what, handler);
}

Machine::Machine(std::size_t count, std::size_t first_with_disks, std::size_t disks, std::uint64_t sectors) {
  for (std::size_t i = 0; i < count; ++i)
    nodes.push_back(
        std::make_unique<Node>(*this, static_cast<hal::NodeId>(i), i < first_with_disks ? 0 : disks, sectors));
}

/// Runs the node's interrupt handler for an arrived message or a finished disk command.
template <class What>
void Node::interrupt_with(What& what) {
  run_on_node(id_, sunstar_take_interrupt, firmware_, &what, [](hal::Firmware* firmware, void* arrived) {
    if constexpr (std::is_same_v<What, hal::Message>) firmware->message_arrived(*static_cast<What*>(arrived));
    else firmware->block_done(*static_cast<What*>(arrived));
  });
}

void Node::send(const hal::Message& m, Time when) {
  using Word [[gnu::may_alias]] = const std::uint64_t;
  Word* const w = reinterpret_cast<Word*>(m.header.data());
  write(std::uint64_t{m.target} << 32 | m.handler, w[0], w[1], w[2], w[3], w[4], w[5],
        reinterpret_cast<std::uintptr_t>(m.data), m.bytes);
  const os::NotOnTheMachine mark;
  transmit(m, when);
}

void Node::transmit(const hal::Message& m, Time when) {
  auto* const packet = new Packet;
  static_cast<hal::Message&>(*packet) = m;
  packet->source = id_;
  packet->held.append(std::span<const std::byte>(m.data, m.bytes));
  packet->content = &packet->held;
  machine_.timeline.at(std::max(when, now()) + std::chrono::microseconds(1),
                       [this, packet] { machine_[packet->target].interrupt_with<hal::Message>(*packet); });
}

void Disk::submit(hal::BlockCommand& c) {
  node_.write(c.sector, c.sectors, reinterpret_cast<std::uintptr_t>(c.data.bytes), c.write);
  const os::NotOnTheMachine mark;
  transfer(c);
}

void Disk::transfer(hal::BlockCommand& c) {
  node_.machine_.timeline.at(node_.now() + std::chrono::milliseconds(1), [this, &c] {
    c.status = hal::Status::ok;
    if (c.write) std::memcpy(&bytes[c.sector * 512], c.data.bytes, c.sectors * 512);
    else if (!c.synchronise) std::memcpy(c.data.bytes, &bytes[c.sector * 512], c.sectors * 512);
    node_.interrupt_with<hal::BlockCommand>(c);
  });
}

}  // namespace sunstar::counting
