// SPDX-License-Identifier: MIT
#pragma once
#include <bit>
#include <cstdint>

#include "sw/messages/services.h"

// The messages of ENWRICH: their handlers, what their words are, and what both sides know of them.
namespace sunstar::file_systems::enwrich_messages {

enum Handler : std::uint16_t {
  flush_handler = os::first_own_handler,
  directory_handler,
  done_handler,
  data_handler,
  gather_handler,
  read_handler,
  call_barrier_handler,  // and the next
};
enum FlushWord { epoch_word, last_word };
enum DirectoryWord { processor_word, total_word, first_word, last_flush_word };
enum DataWord { time_stamp_word, file_offset_word, bytes_word };
enum ReadWord { file_word, read_offset_word, read_bytes_word };

/// A piece in the list that asks for several.
struct GatherEntry {
  std::uint64_t time_stamp;
  std::uint64_t file_offset;
  std::uint64_t bytes;
};

/// Comparisons of sorting or searching n things, about.
inline double log2_of(std::uint64_t n) { return n > 1 ? static_cast<double>(std::bit_width(n - 1)) : 0; }

}  // namespace sunstar::file_systems::enwrich_messages
