// SPDX-License-Identifier: MIT
#pragma once
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/core/statistics.h"
#include "models/node/hal.h"
#include "sw/os/common.h"
#include "sw/os/counted.h"
#include "sw/os/sockets.h"
#include "sw/os/task.h"
#include "sw/os/timers.h"
#include "sw/os/transport.h"

namespace sunstar::os {

/// A disk command that tells its owner of its end.
class BlockWork : public hal::BlockCommand {
 public:
  /// Called in the interrupt handler when the disk has reported the end.
  virtual void ended() = 0;

 protected:
  ~BlockWork() = default;
};

/// The executive of one node: threads on the cores of its processor, active messages, disk commands, timers. Firmware
/// charges what a thread computes by name. The charges take effect in one stretch that leads up to the thread's next
/// message, disk command or wait: the thread's reads and writes of the node's memory happen at the beginning of the
/// stretch, and the message leaves at its end.
class Os final : public Timers, public hal::Firmware {
 public:
  /// `incarnation`: how often the node has been started, this time included. After the first time nothing runs there,
  /// and nothing drives its disks, until somebody starts it.
  Os(hal::Node& node, Common& common, std::uint32_t incarnation = 1);
  ~Os() override;

  content::Memory& memory() { return node_.memory(); }

  // --- in threads ---
  /// Charges for a memory-to-memory copy.
  void charge_copy(std::uint64_t bytes) {
    charge<Cost::copy>();
    charge(Cost::copy_per_byte, static_cast<double>(bytes));
    copied(bytes);
  }
  /// Copies from memory to memory, and charges for it.
  void copy(std::byte* to, const std::byte* from, std::uint64_t bytes) {
    charge_copy(bytes);
    const Counted<Cost::copy_per_byte> mark;
    if (counting) std::memcpy(to, from, bytes);
    else memory().copy(to, from, bytes);
  }
  /// Writes zeros; the caller charges for it. While instructions are counted, all content is bytes.
  void clear(std::byte* to, std::uint64_t bytes) {
    if (counting) std::memset(to, 0, bytes);
    else memory().clear(to, bytes);
  }
  /// Accounts for a copy of `bytes` by the processor on the node bus; the caller charges for it, too.
  void copied(std::uint64_t bytes) {
    const NotOnTheMachine mark;
    stretch_needs_memory(node_.copied(bytes));
  }

  struct Send;
  /// Charges for a message and sends it; the thread goes on when the message has been handed to the interface, or to
  /// the socket. Await the result at once: it refers to the message.
  Send send(const hal::Message& m);

  /// Gives a command to the device; the executive calls ended() when the command has ended.
  void submit(hal::BlockDevice& device, BlockWork& command) {
    activity_.begin();
    {
      const NotOnTheMachine mark;
      command.request = request_;
      command.core = core();
    }
    device.submit(command);
  }

  // --- in interrupt handlers ---
  using Handler = std::function<void(hal::Message&)>;
  /// Registers what the interrupt handler does when a message for `handler` arrives; `costs` are charged on top of
  /// taking the interrupt and finding the handler. One interrupt serves all messages that wait in the interface. The
  /// action must release the message or give it to a thread that does. `name` is what observers call it, `header` what
  /// they read in its header.
  void on_message(std::uint16_t handler, std::initializer_list<Cost> costs, Handler action,
                  const char* name = "message", std::string (*header)(const hal::Message&) = nullptr);
  /// Names a message to this node, for observers of a run: "read (file 0, offset 8192, bytes 512)".
  std::string told(const hal::Message&) const;
  /// Takes an arrived message out of the interface, in its handler: charges for its data, if it has any, and says where
  /// they go (null: a buffer of the thread that will look at them). Returns the time at which they are there.
  Time take(hal::Message& m, std::byte* destination = nullptr) {
    if (m.bytes == 0) return network_.accept(m, destination, handler_end_);
    const Counted<Cost::deposit> mark;
    charge_handler({{Cost::deposit}});
    return network_.accept(m, destination, handler_end_);
  }
  /// Takes an arrived message of whose data nothing is left to read in the interface, and releases it.
  // Always inline: whether the compiler thinks so changes with every caller, and with it the counted costs.
  [[gnu::always_inline]] Time receive(hal::Message& m, std::byte* destination = nullptr) {
    const Time there = take(m, destination);
    network_.release(m);
    return there;
  }
  /// Creates a thread that is ready at `t`, but not before the end of the handler. The thread pays for its creation.
  void spawn_at(Time t, Task<> body, ThreadKind& kind);
  void spawn_at(Time t, Task<> body, const char* name) { spawn_at(t, std::move(body), kind(name)); }
  /// Sends a message at `t` from an interrupt handler, whose own costs must include the sending.
  void send_at(Time t, const hal::Message& m) {
    give_request(m);
    if (sockets_) [[unlikely]]
      sockets_->send_at(t, m);
    else leave(m, t);
  }

  // --- the node ---
  /// Cycles by kind of thread and primitive, "<node>.cycles.<kind>.<cost>", and how often each primitive was carried
  /// out, "<node>.count.<kind>.<cost>". Primitives that were never charged are left out.
  void add_statistics(StatisticSet&) const;
  /// Goes on with the counts of the node's executive before, which has lost its power, as a node's statistics do not
  /// begin anew.
  void count_on(const Os& before);
  bool takes(std::uint16_t handler) const { return handler < handlers_.size() && handlers_[handler].action; }
  /// Whether messages may be one-sided. Where software acknowledges messages, it needs to see them.
  bool one_sided() const { return !counting && network_.one_sided() && !transport_; }
  /// If the node is to notice that others are gone: how.
  const std::optional<Watched>& watched_peers() const { return common_.peers; }
  /// Adds what keeps the node from going on, for the report of a deadlock.
  void describe_waiting(std::vector<std::string>& lines) const;
  std::uint32_t incarnation() const { return incarnation_; }
  /// The node has lost its power: from now on the executive does nothing more.
  void power_off();
  /// No message is sent again to a node that is gone, and nothing is read from it any more.
  void forget(hal::NodeId node);
  /// The other nodes have taken this one for gone: it stops itself.
  void fence() { common_.fence(node_.id()); }
  /// Whether the run is over, so that daemons are to begin nothing more.
  bool retired() const { return activity_.retired(); }

  // hal::Firmware
  void message_arrived(hal::Message&) override;
  void block_done(hal::BlockCommand&) override;

 private:
  friend class Sockets;
  friend class Transport;

  void leave(const hal::Message& m, Time t) {
    const CountedUnlessInside<Cost::message_send> mark;
    activity_.begin();
    if (!counting && transport_) [[unlikely]]
      return transport_->send(m, t);
    network_.send(m, t);
  }
  void brought_by_transport(hal::Message& m);
  void complete(hal::Message& m);
  // InterruptEntry
  void handle(hal::Message&) override;
  void handle(hal::BlockCommand&) override;
  void lose(hal::Message&) override;
  void lose(hal::BlockCommand&) override;

  struct Entry {
    Cycles cost;
    std::vector<Cost> costs;
    Handler action;
    const char* name = nullptr;
    std::uint64_t calls = 0;
    std::string (*header)(const hal::Message&) = nullptr;
  };
  static void carry_out(Entry& entry, hal::Message& m);
  CostTally tally_of_handlers() const;

  hal::NetworkPort& network_;
  const std::uint32_t incarnation_;
  const Common& common_;
  std::unique_ptr<Sockets> sockets_;      // if messages go through sockets
  std::unique_ptr<Transport> transport_;  // if they do, or the network may lose messages
  std::vector<Entry> handlers_;
};

struct Os::Send {
  Os& os;
  const hal::Message& message;
  Task<> by_socket{};
  bool await_ready() const noexcept { return counting; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> h) {
    if (os.sockets_) [[unlikely]] {
      by_socket = os.sockets_->send(message);
      return by_socket.await_suspend(h);
    }
    os.begin_stretch(h);
    return std::noop_coroutine();
  }
  void await_resume() {
    if (os.sockets_) return;
    os.give_request(message);
    os.leave(message, os.now());
  }
};
inline Os::Send Os::send(const hal::Message& m) {
  charge(Cost::message_send);
  return {*this, m};
}

}  // namespace sunstar::os
