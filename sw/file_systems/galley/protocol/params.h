// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/param.h"
#include "sw/file_systems/capabilities.h"
#include "sw/file_systems/galley/on_disk/entry.h"
#include "sw/file_systems/galley/on_disk/form.h"
#include "sw/io/replacement/replacement.h"

namespace sunstar::file_systems::galley {

struct Params {
  static constexpr std::string_view kind = "galley";
  static constexpr std::string_view help =
      "files of subfiles and forks; requests of any regular form, which I/O processors serve in the disks' order";
  static constexpr Capabilities can{
      .calls = true, .selects_records = true, .creates_files = true, .survives_stops = true};
  std::uint32_t cache_blocks = 750;
  std::uint32_t permissions = 2;
  std::uint32_t list_calls = 1;
  std::uint32_t list_slice = 256;
  Bytes packet{32 << 10};
  std::uint32_t entries = 256;
  std::string replacement = "lru";
};
BOOST_DESCRIBE_STRUCT(Params, (), (cache_blocks, permissions, list_calls, list_slice, packet, entries, replacement))
inline std::vector<Param> parameters(const Params*) {
  return {
      {"cache_blocks", "blocks that the cache of an I/O processor holds (Galley, 6.1.2: 750 of 32 KB)", "4", "1000000"},
      {"permissions",
       "packets that I/O processors may be sending to a compute processor at the same time (Galley, 6.3: 2); 0 lets "
       "them send without permission",
       "0", "4096"},
      {"list_calls",
       "calls of a processor on one file that one list request carries out, if they follow one another without waiting "
       "(Galley, 5.4)",
       "1", "1000000"},
      {"list_slice",
       "entries of a request's list that an I/O processor's thread works out before it gives way and hands their "
       "blocks to the cache, so that disks read meanwhile; chosen: short next to a disk access",
       "1", "1000000000"},
      {"packet", "most data of a message; small chunks are packed into packets of this size", "64B", "1MiB"},
      {"entries", "files and forks for which each disk has room", "4", "65536", Tuning::fixed},
      io::replacement_parameter(),
  };
}

/// How a disk of `sectors` is divided.
inline Form form_of(std::uint64_t sectors, std::uint64_t sector_bytes, std::uint32_t block_bytes,
                    const Params& params) {
  Form form;
  form.block_bytes = block_bytes;
  form.blocks = sectors * sector_bytes / block_bytes;
  form.table_entries = params.entries;
  return form;
}

/// Bytes of the longest answer to a call on names: a list of all names on a disk.
inline std::uint64_t answer_bytes(const Params& params) {
  return 64 + std::uint64_t{params.entries} * (1 + longest_name);
}

}  // namespace sunstar::file_systems::galley
