// SPDX-License-Identifier: MIT
#pragma once
#include <array>

#include "models/core/content/content_map.h"
#include "models/core/quantity.h"

// The node as firmware sees it: the processor, the clock, the memory, the network port, the DMA engine and the block
// devices. Pure C++: firmware written against this header knows nothing of the simulation below it. Behind the
// interface, calls to devices are register accesses over the node bus, and callbacks from devices are interrupts.
namespace sunstar::hal {

using NodeId = std::uint32_t;

/// Numbers the requests of applications for observers of a run. Work carries the number of its request; 0: none, or no
/// observer.
using RequestId = std::uint32_t;

/// Called back by hardware, once for each request.
class Callback {
 public:
  virtual void run() = 0;

 protected:
  ~Callback() = default;
};

/// The one-sided operation that a message asks of the receiving interface: to write its data into the memory that its
/// node has opened, or to read from there, without the node's processor.
enum class OneSided : std::uint8_t {
  no,
  write,
  read,
  read_done  ///< the answer to a read, which the interface sends
};
/// The header of a message with a one-sided operation.
struct OneSidedHeader {
  std::uint64_t offset;              ///< in the open memory
  std::uint64_t bytes;               ///< to read
  std::array<std::byte, 16> answer;  ///< the header of the answer
};

/// One message: a header of up to 48 bytes, and data. An active message: `handler` is the number of the handler that
/// the receiving processor runs for it.
struct Message {
  NodeId source = 0;  ///< filled in by the sending interface
  NodeId target = 0;
  std::uint16_t handler = 0;
  /// The receiving interface always takes replies and acknowledgements; requests wait for room in its FIFO.
  bool reply = false;
  /// A protocol may send a long message as several segments. The parts before the last carry no data, only their time
  /// on the wire; all data travel with the last.
  bool part = false;
  /// The data are a file's bytes and nothing else. An interface without a CRC passes such a message on even if it is
  /// spoilt. Lists and names carry a check of their own, by which the receiver's software would notice: the interface
  /// drops them in the software's place.
#ifdef SUNSTAR_COUNTING  // the network of that machine loses nothing
  static inline bool file_data = false;
  static inline OneSided one_sided = OneSided::no;
  static inline std::uint16_t held = 0, stream = 0;
  static inline std::uint32_t number = 0, all_below = 0;
#else
  bool file_data = false;
  OneSided one_sided = OneSided::no;
  std::uint16_t held = 0;       ///< for the protocol: `number` less the number of the first message still outstanding
  std::uint16_t stream = 0;     ///< its connection: where interrupts are spread, source + stream chooses the core
  std::uint32_t number = 0;     ///< for the protocol: the message's number among those from node to node; 0: none
  std::uint32_t all_below = 0;  ///< for the protocol: all messages of the target with smaller numbers have arrived
#endif
  std::uint32_t bytes = 0;                      ///< data after the header
  std::int32_t more_on_wire = 0;                ///< bytes on the wire besides header and data; fewer if negative
  std::uint32_t acknowledged = 0;               ///< for the protocol: bytes whose arrival it acknowledges
  mutable RequestId request = 0;                ///< filled in by the executive that sends it
  std::byte* data = nullptr;                    ///< for the sender: in its node's memory
  const content::Content* content = nullptr;    ///< for the receiver: the data, in the interface
  alignas(8) std::array<std::byte, 48> header;  ///< laid out by its kind (sw/messages/kind.h)
};

/// One single-issue core of a processor. It does the work of threads in the order given; interrupts preempt that work,
/// which then resumes where it was.
class Processor {
 public:
  /// Adds interrupt-level work and returns the time at which it will be finished (interrupts do not preempt each
  /// other).
  virtual Time interrupt(Cycles) = 0;
  /// Lengthens the running handler; returns its end.
  virtual Time lengthen_interrupt(Cycles) = 0;
  /// Adds thread-level work and calls back when it is finished, once; one such call may be pending at a time.
  virtual void execute(Cycles, Callback& done) = 0;
  /// Adds thread-level work without a call back.
  virtual void add(Cycles) = 0;
  /// All thread-level work so far waits for memory: it ends no earlier than the given time.
  virtual void wait_for_memory(Time) = 0;
  /// Calls back at the given time; the callback must live until then.
  virtual void at(Time, Callback&) = 0;
  /// Does not make that call.
  virtual void forget(Callback&) = 0;

 protected:
  ~Processor() = default;
};

/// The buffer of a node that other nodes write and read.
struct OpenMemory {
  std::byte* base = nullptr;
  std::uint64_t bytes = 0;
  content::Memory* memory = nullptr;           ///< the node's memory, which holds the buffer
  std::uint64_t put_bytes = 0, got_bytes = 0;  ///< bytes moved so far
};

class NetworkPort {
 public:
  /// Rings the doorbell of the interface: the message leaves at `when` (not before now) or, if later, once earlier
  /// messages have left. The interface takes header and data at once, so the caller may reuse them.
  virtual void send(const Message&, Time when) = 0;
  /// Moves an arrived message's data to `destination` in node memory, starting at `from`: by DMA or, if the data are
  /// short, by the processor. A null destination stands for a buffer of the receiving thread. Returns the time at which
  /// the data are there; the message's place in the input FIFO is free from then on.
  virtual Time accept(Message&, std::byte* destination, Time from) = 0;
  /// Gives an arrived message back; the caller must not use it afterwards.
  virtual void release(Message&) = 0;
  virtual bool one_sided() const { return false; }
  /// Opens memory, which must outlive the interface's use, to other nodes' interfaces. Answers bear the handler
  /// `answer`.
  virtual void open(OpenMemory&, [[maybe_unused]] std::uint16_t answer) {}
  /// The node has lost its power: its memory is no longer open, and its reads of other nodes' memory end. Returns the
  /// reads that had not left yet.
  virtual std::uint32_t close() { return 0; }
  /// Gives up the reads of another node's memory. Returns the reads that had not left yet.
  virtual std::uint32_t give_up(NodeId) { return 0; }

 protected:
  ~NetworkPort() = default;
};

/// How a command, or a request to another node, has ended.
enum class Status : std::uint32_t {
  ok,
  medium_error,  ///< sectors cannot be read
  not_ready,     ///< the device has no power, or does not turn yet
  interrupted,   ///< a reset or an abort has ended it; it may be tried again
  refused,       ///< the device, or the other node, cannot do it
  no_device,     ///< the device does not answer
  no_answer      ///< the other node has not answered in time
};
inline constexpr std::array<std::string_view, 7> status_names{"ok",      "medium error", "not ready", "interrupted",
                                                              "refused", "no device",    "no answer"};
/// A driver's help for a command that does not end.
enum class Help : std::uint8_t { none, abort, device_reset, bus_reset };

/// The place of a device's data in a node's memory.
struct Buffer {
  std::byte* bytes = nullptr;
};

/// A command to a block device. It stays with the device until `block_done`.
struct BlockCommand {
  std::uint64_t sector = 0;  ///< first logical block
  Buffer data;
  std::uint32_t sectors = 0;
  bool write = false;
  bool synchronise = false;  ///< moves no data, but ends when all data written before is on the medium
  Help help = Help::none;    ///< an abort of the device's command, a reset of the device or of its bus: no command
  const BlockCommand* aborts = nullptr;  ///< the command to abort, if the device takes several at a time
  /// The core that gives the command. A device with a queue for each core sets it at the end to the core whose queue
  /// held the command: that core gets the interrupt.
  std::uint32_t core = 0;
  // Set by the device at the end.
  bool powered_on = false;  ///< interrupted because the device was without power
  Status status = Status::ok;
  RequestId request = 0;
  std::uint64_t bad_sector = 0;  ///< of a medium error: the first bad sector
};

/// A drive behind its adapter.
class BlockDevice {
 public:
  virtual void submit(BlockCommand&) = 0;
  virtual std::uint64_t sectors() const = 0;
  virtual std::uint32_t sector_bytes() const = 0;
  /// Whether it reports writes before they are on the medium (SCSI: caching page, WCE).
  virtual bool reports_early() const { return true; }
  /// The most commands that it takes at a time.
  virtual std::uint32_t depth() const { return 1; }

 protected:
  ~BlockDevice() = default;
};

/// Copies memory to memory without the processor.
class DmaEngine {
 public:
  virtual void copy(std::byte* to, const std::byte* from, std::uint64_t bytes, Callback& done) = 0;

 protected:
  ~DmaEngine() = default;
};

/// The entry points for interrupts, which firmware must provide.
class Firmware {
 public:
  virtual void message_arrived(Message&) = 0;
  virtual void block_done(BlockCommand&) = 0;

 protected:
  ~Firmware() = default;
};

/// The core that devices of a node with several cores interrupt: the first; or, for a message, a core chosen by its
/// source and, for a command, the core that gave it or whose queue held it.
enum class Interrupts : std::uint8_t { first_core, spread };

/// One node as its firmware sees it.
class Node {
 public:
  virtual NodeId id() const = 0;
  virtual const std::string& name() const = 0;
  virtual Time now() const = 0;
  /// The first core; in most machines the only one.
  virtual Processor& processor() = 0;
  virtual std::uint32_t cores() const { return 1; }
  virtual Processor& core(std::uint32_t) { return processor(); }
  virtual Interrupts interrupted() const { return Interrupts::first_core; }
  virtual NetworkPort& network() = 0;
  virtual DmaEngine& dma() = 0;
  virtual std::uint32_t block_devices() const = 0;
  virtual BlockDevice& block_device(std::uint32_t) = 0;
  virtual content::Memory& memory() = 0;
  /// Takes `bytes` of node memory for good, aligned to 64 bytes.
  virtual std::byte* allocate(std::uint64_t bytes) = 0;
  /// Accounts for a copy by the processor on the node bus: `bytes` are read and written. Returns the time at which they
  /// have passed.
  virtual Time copied(std::uint64_t bytes) = 0;
  virtual void boot(Firmware&) = 0;

 protected:
  ~Node() = default;
};

}  // namespace sunstar::hal
