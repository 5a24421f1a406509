// SPDX-License-Identifier: MIT
#pragma once
#include <array>

#include "models/core/param.h"

namespace sunstar::os {

// The primitives of firmware, one line each: name, processor cycles, meaning. A new primitive is a new line here.
// docs/calibration.md says where each value comes from.
#define SUNSTAR_COSTS(COST)                                                                                           \
  COST(interrupt, 45, "taking an interrupt: entering the handler and returning from it")                              \
  COST(message_dispatch, 30, "finding the handler of a message that waits in the interface, and calling it")          \
  COST(thread_create, 170, "creating a thread, including its end")                                                    \
  COST(thread_switch, 45, "dispatching a thread")                                                                     \
  COST(message_send, 47, "composing a message and ringing the doorbell")                                              \
  COST(deposit, 36, "telling the network interface where arrived data are to go")                                     \
  COST(reply_action, 50, "carrying out the reply action that a reply names")                                          \
  COST(remote_memory, 60, "carrying out a Memput or Memget in the interrupt handler: checking and answering it")      \
  COST(file_call, 640, "one call of the file system at a compute processor")                                          \
  COST(cached_call, 350, "one call of the file system at a compute processor that its own write cache serves")        \
  COST(block_request, 190, "splitting off the part of a call that lies in one block and finding its disk")            \
  COST(request_decode, 60, "reading a request at an I/O processor")                                                   \
  COST(cache_lookup, 160, "finding a block in the cache of an I/O processor, including the locks")                    \
  COST(cache_allocate, 350, "choosing a buffer to replace and giving it to another block")                            \
  COST(copy, 300, "setting up a memory-to-memory copy")                                                               \
  COST(copy_per_byte, 0.5, "each byte of a memory-to-memory copy")                                                    \
  COST(clear_per_byte, 0.6, "each byte of a cache buffer that is cleared before the first part of its block comes")   \
  COST(disk_request, 340,                                                                                             \
       "the disk thread's work for one request: choosing it, composing the command, telling its owner")               \
  COST(collective_setup, 1000, "starting a collective request at an I/O processor, without its block list")           \
  COST(block_list_entry, 220, "each entry of the block list, or of the lists of pieces, of a collective request")     \
  COST(extent, 130,                                                                                                   \
       "each extent of a request's list at an I/O processor: reading it and finding the blocks it lies in")           \
  COST(block_assignment, 500, "giving a new block of a file its place on a disk and in the file's index")             \
  COST(sort_comparison, 20, "each comparison of a sort or of a search")                                               \
  COST(piece, 81, "finding one piece of a block and its place in the memory of a compute processor")                  \
  COST(piece_dimension, 42, "in addition to piece, for each distributed dimension of the array")                      \
  COST(log_append, 110,                                                                                               \
       "appending a write and its directory entry to a compute processor's write cache, without copying its bytes")   \
  COST(directory_entry, 55,                                                                                           \
       "examining one entry of a write cache's directory: which disks it concerns, and whether it overlaps others")   \
  COST(piece_copy, 45, "each piece of a message that carries several: working out its place and setting up its copy") \
  COST(lock_match, 100, "finding a lock that a client has, or that it has none")                                      \
  COST(lock_request, 1500, "granting, queueing or taking back an extent lock at a server")                            \
  COST(chunk, 64, "each chunk of a list that a compute processor makes of a strided, nested or batched request")      \
  COST(record_filter, 12, "evaluating a filter on a field of a record")                                               \
  COST(record_cyclic, 105, "choosing the processor for a record by the record's number")                              \
  COST(record_hash, 130, "choosing the processor for a record by a hash of its key")                                  \
  COST(record_range, 130, "choosing the processor for a record by its key's range, besides the comparisons")          \
  COST(array_step, 1300,                                                                                              \
       "each command or computation of a request to a redundant store, with planning and rows' locks")                \
  COST(parity_per_byte, 0.75, "each byte of each block of data or parity that parity is computed of")                 \
  COST(second_check_per_byte, 5, "each byte of each block that the second check of a store is computed of")

// The primitives of TCP sockets, on machines whose messages go through them. Each machine that has sockets says what
// they cost there (sockets.h).
#define SUNSTAR_SOCKET_COSTS(COST)                                                                               \
  COST(socket_write, "handing a message to a TCP socket: the system call")                                       \
  COST(socket_read,                                                                                              \
       "taking a message, or a run of its segments, from a TCP socket: waking the receiver, select(), the call") \
  COST(select_per_socket, "each open socket that select() looks at before a message is taken from one of them")  \
  COST(segment_send, "sending a segment: TCP, IP and the adapter's driver")                                      \
  COST(segment_receive, "receiving a segment: the adapter's interrupt, IP and TCP")                              \
  COST(send_per_byte, "each byte that is sent: copying it into the kernel, its checksum, the adapter")           \
  COST(receive_per_byte, "each byte that is received: its checksum, copying it out of the kernel")               \
  COST(acknowledgement, "composing an acknowledgement that goes alone, or taking one")

/// The name of a primitive: firmware charges by it, `os.charge(Cost::copy_per_byte, bytes)`.
enum class Cost : std::uint8_t {
#define COST(name, ...) name,
  SUNSTAR_COSTS(COST) SUNSTAR_SOCKET_COSTS(COST)
#undef COST
};

inline constexpr std::array cost_names{
#define COST(name, ...) #name,
    SUNSTAR_COSTS(COST) SUNSTAR_SOCKET_COSTS(COST)
#undef COST
};
inline constexpr std::size_t cost_count = cost_names.size();
/// How many of them every machine has; those of sockets come after them.
inline constexpr std::size_t common_cost_count = static_cast<std::size_t>(Cost::socket_write);

/// The names of the primitives that a node's processor sends and takes messages with, those of sockets included. An
/// interrupt is nearly always that of a message: a disk's serves a whole block.
inline std::vector<std::string_view> message_costs() {
  std::vector<std::string_view> names;
  for (const Cost c : {Cost::interrupt, Cost::message_dispatch, Cost::message_send, Cost::deposit, Cost::reply_action})
    names.emplace_back(cost_names[static_cast<std::size_t>(c)]);
  for (std::size_t c = common_cost_count; c < cost_count; ++c) names.emplace_back(cost_names[c]);
  return names;
}

using CostTable = std::array<Cycles, cost_count>;

/// What the primitives cost, in processor cycles. One table serves all patterns, record sizes, layouts and file systems
/// of a machine.
struct Costs {
#define COST(name, cycles, help) Cycles name{cycles};
  SUNSTAR_COSTS(COST)
#undef COST

  /// The same, indexed by Cost, for quick look-up, on a processor that does so much at a time; sockets cost nothing.
  CostTable table(double issue_width = 1) const {
    return {
#define COST(name, cycles, help) Cycles{(name).count / issue_width},
        SUNSTAR_COSTS(COST)
#undef COST
    };
  }
};
#define SUNSTAR_COST_NAME(name, cycles, help) , name
#define SUNSTAR_AFTER_FIRST(first, ...) __VA_ARGS__
#define SUNSTAR_WITHOUT_FIRST(...) SUNSTAR_AFTER_FIRST(__VA_ARGS__)
BOOST_DESCRIBE_STRUCT(Costs, (), (SUNSTAR_WITHOUT_FIRST(_ SUNSTAR_COSTS(SUNSTAR_COST_NAME))))
#undef SUNSTAR_COST_NAME
#undef SUNSTAR_AFTER_FIRST
#undef SUNSTAR_WITHOUT_FIRST

inline std::vector<Param> parameters(const Costs*) {
  return {
#define COST(name, cycles, help) Param{#name, help, "0", "1000000"},
      SUNSTAR_COSTS(COST)
#undef COST
  };
}

/// How often each primitive was carried out; for copy_per_byte, the number of bytes.
using CostTally = std::array<double, cost_count>;

}  // namespace sunstar::os
