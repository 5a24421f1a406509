// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <vector>

#include "models/core/param.h"
#include "models/core/quantity.h"

namespace sunstar::os {

/// What the primitives of firmware cost, in processor cycles. One table serves all patterns, record sizes, layouts and
/// file systems of a machine. Where each value comes from: docs/calibration.md.
struct Costs {
  Cycles interrupt{60};
  Cycles thread_create{170};
  Cycles thread_switch{60};
  Cycles message_send{60};
  Cycles deposit{35};
  Cycles reply_action{25};
  Cycles remote_memory{50};
  Cycles file_call{400};
  Cycles block_request{250};
  Cycles request_decode{60};
  Cycles cache_lookup{125};
  Cycles cache_allocate{2500};
  Cycles copy{1600};
  Cycles copy_per_byte{0.5};
  Cycles disk_request{300};
  Cycles collective_setup{2000};
  Cycles block_list_entry{50};
  Cycles sort_comparison{20};
  Cycles piece{40};
  Cycles piece_dimension{53};
  Cycles log_append{40};
  Cycles directory_entry{15};
};
BOOST_DESCRIBE_STRUCT(Costs, (),
                      (interrupt, thread_create, thread_switch, message_send, deposit, reply_action, remote_memory,
                       file_call, block_request, request_decode, cache_lookup, cache_allocate, copy, copy_per_byte,
                       disk_request, collective_setup, block_list_entry, sort_comparison, piece, piece_dimension,
                       log_append, directory_entry))

inline std::vector<Param> parameters(const Costs*) {
  const auto entry = [](const char* name, const char* help) { return Param{name, help, "0", "1000000"}; };
  return {
      entry("interrupt", "taking an interrupt, up to the handler's first instruction and back"),
      entry("thread_create", "creating a thread, its end included"),
      entry("thread_switch", "dispatching a thread"),
      entry("message_send", "composing a message and ringing the doorbell"),
      entry("deposit", "telling the network interface where arrived data go"),
      entry("reply_action", "carrying out the reply action that a reply names"),
      entry("remote_memory", "checking a Memput or Memget and answering it, in the interrupt handler"),
      entry("file_call", "one call of the file system at a compute processor"),
      entry("block_request", "splitting off the part of a call that lies in one block and finding its disk"),
      entry("request_decode", "reading a request at an I/O processor"),
      entry("cache_lookup", "finding a block in the cache of an I/O processor, with the locks around it"),
      entry("cache_allocate", "choosing a buffer to replace and giving it to another block"),
      entry("copy", "setting up a memory-memory copy"),
      entry("copy_per_byte", "each byte of a memory-memory copy"),
      entry("disk_request",
            "the disk thread's work for one request: choosing it, composing the command, telling the waiter"),
      entry("collective_setup", "starting a collective request at an I/O processor, apart from its block list"),
      entry("block_list_entry", "each entry of the block list of a collective request"),
      entry("sort_comparison", "each comparison of the presort"),
      entry("piece", "finding one piece of a block and its place in the memory of a compute processor"),
      entry("piece_dimension", "for each distributed dimension of the array, in addition"),
      entry("log_append",
            "appending a write and its directory entry to a compute processor's write cache, apart from the bytes"),
      entry(
          "directory_entry",
          "each look at an entry of a write cache's directory: sorting out whom it concerns, checking it for overlap"),
  };
}

}  // namespace sunstar::os
