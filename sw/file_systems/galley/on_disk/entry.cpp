// SPDX-License-Identifier: MIT
#include "sw/file_systems/galley/on_disk/entry.h"

#include <algorithm>
#include <cstring>

#include "models/core/random.h"

namespace sunstar::file_systems::galley {

namespace entry_bytes {
// Offsets in the entry. A file and a fork share the first four.
constexpr std::size_t kind_at = 0, checksum_at = 4, file_at = 8, name_at = 16;
constexpr std::size_t subfiles_at = 80, first_disk_at = 84;
constexpr std::size_t bytes_at = 80, blocks_at = 88, index_at = 92;
static_assert(name_at + longest_name + 1 == subfiles_at);
static_assert(index_at + 4 * Form::index_blocks_of_fork == Form::entry_bytes);
constexpr std::uint32_t file = 1, fork = 2;  // kinds; a free entry has 0

void write_name(std::span<std::byte> place, std::string_view name) {
  assert(is_name(name));
  std::memcpy(&place[name_at], name.data(), name.size());
}

std::string read_name(std::span<const std::byte> place) {
  std::string name(longest_name + 1, '\0');
  std::memcpy(name.data(), &place[name_at], name.size());
  name.resize(std::min(name.find('\0'), name.size()));
  return name;
}
}  // namespace entry_bytes

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= longest_name && name.find('\0') == std::string_view::npos;
}

void encode(const Entry& entry, std::span<std::byte> place) {
  using namespace entry_bytes;
  assert(place.size() == Form::entry_bytes);
  std::ranges::fill(place, std::byte{0});
  if (const auto* f = std::get_if<FileEntry>(&entry)) {
    write_number(place, kind_at, file);
    write_number(place, file_at, f->id);
    write_name(place, f->name);
    write_number(place, subfiles_at, f->subfiles);
    write_number(place, first_disk_at, f->first_disk);
  } else if (const auto* k = std::get_if<ForkEntry>(&entry)) {
    write_number(place, kind_at, fork);
    write_number(place, file_at, k->file);
    write_name(place, k->name);
    write_number(place, bytes_at, k->bytes);
    write_number(place, blocks_at, k->blocks);
    for (std::size_t i = 0; i < k->index_blocks.size(); ++i) write_number(place, index_at + 4 * i, k->index_blocks[i]);
  } else {
    return;
  }
  write_number(place, checksum_at, checksum_around(place, checksum_at));
}

std::optional<Entry> decode_entry(std::span<const std::byte> place) {
  using namespace entry_bytes;
  assert(place.size() == Form::entry_bytes);
  const auto kind = read_number<std::uint32_t>(place, kind_at);
  if (kind == 0) {
    if (std::ranges::any_of(place, [](std::byte b) { return b != std::byte{0}; })) return std::nullopt;
    return FreeEntry{};
  }
  if (read_number<std::uint32_t>(place, checksum_at) != checksum_around(place, checksum_at)) return std::nullopt;
  const auto id = read_number<std::uint64_t>(place, file_at);
  std::string name = read_name(place);
  if (!is_name(name)) return std::nullopt;
  if (kind == file)
    return FileEntry{id, std::move(name), read_number<std::uint32_t>(place, subfiles_at),
                     read_number<std::uint32_t>(place, first_disk_at)};
  if (kind != fork) return std::nullopt;
  ForkEntry k{id, std::move(name), read_number<std::uint64_t>(place, bytes_at),
              read_number<std::uint32_t>(place, blocks_at)};
  for (std::size_t i = 0; i < k.index_blocks.size(); ++i)
    k.index_blocks[i] = read_number<BlockNumber>(place, index_at + 4 * i);
  return k;
}

BlockNumber data_block(std::span<const std::byte> index_block, std::uint32_t place) {
  return read_number<BlockNumber>(index_block, std::size_t{4} * place);
}

void set_data_block(std::span<std::byte> index_block, std::uint32_t place, BlockNumber block) {
  write_number(index_block, std::size_t{4} * place, block);
}

std::uint32_t home_disk(std::string_view name, std::uint32_t disks) {
  // The low bits of FNV-1a alone are poor, and a few disks depend on just these.
  return static_cast<std::uint32_t>(mix64(fnv1a(std::as_bytes(std::span(name)))) % disks);
}

}  // namespace sunstar::file_systems::galley
