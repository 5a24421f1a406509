// SPDX-License-Identifier: MIT
#include "sw/file_systems/galley/server/catalogue.h"

#include <set>

namespace sunstar::file_systems::galley {

using os::Cost;

Catalogue::Catalogue(os::Os& os, CacheManager& cache, const std::vector<Disk>& disks, std::uint32_t all_disks)
    : os_(os), cache_(cache), all_disks_(all_disks) {
  for (const Disk& disk : disks) devices_.emplace_back(os, disk, static_cast<std::uint32_t>(devices_.size()));
}

Fork* Catalogue::opened(std::uint32_t device, std::uint32_t entry) {
  auto& forks = devices_[device].forks;
  const auto found = forks.find(entry);
  return found == forks.end() || !found->second->listed ? nullptr : found->second.get();
}

const Fork* Catalogue::fork_of(std::uint32_t device, std::uint64_t file) const {
  for (const auto& [entry, fork] : devices_[device].forks)
    if (fork->record.file == file) return fork.get();
  return nullptr;
}

namespace {
/// Whether a bitmap, which has no checksum, marks as used Galley's own blocks and those behind the end of the disk.
bool plausible(const Allocator& bitmap) {
  const os::NotOnTheMachine mark;
  const Form& form = bitmap.form();
  const std::uint64_t bits = form.bitmap_blocks() * form.bits_per_block();
  for (std::uint64_t b = 0; b < form.first_data_block(); ++b)
    if (!bitmap.is_used(static_cast<BlockNumber>(b))) return false;
  for (std::uint64_t b = form.blocks; b < std::min(bits, form.blocks + 64); ++b)
    if (!bitmap.is_used(static_cast<BlockNumber>(b))) return false;
  return true;
}
}  // namespace

// After an error, the next call tries again.
os::Task<Error> Catalogue::read_in(Device& device) {
  const auto guard = co_await device.reading.lock();
  if (device.read) co_return Error::none;
  const Form& form = device.form;
  device.table.clear();
  Buffer* buffer = co_await cache_.get({device.index, 0});
  if (!buffer) co_return Error::io_error;
  const auto superblock = decode_superblock({buffer->bytes(), form.block_bytes});
  cache_.give_back(*buffer);
  if (!superblock || superblock->form != form || superblock->disk != device.number) co_return Error::damaged;
  for (BlockNumber b = 0; b < form.bitmap_blocks(); ++b) {
    buffer = co_await cache_.get({device.index, form.first_bitmap_block() + b});
    if (!buffer) co_return Error::io_error;
    device.free.load(form.first_bitmap_block() + b, {buffer->bytes(), form.block_bytes});
    cache_.give_back(*buffer);
  }
  if (!plausible(device.free)) co_return Error::damaged;
  for (std::uint32_t entry = 0; entry < form.table_entries;) {
    buffer = co_await cache_.get({device.index, form.table_block_of(entry)});
    if (!buffer) co_return Error::io_error;
    bool right = true;
    for (std::uint32_t i = 0; i < form.entries_per_block() && entry < form.table_entries; ++i, ++entry) {
      const auto decoded = decode_entry({buffer->bytes() + form.offset_of(entry), Form::entry_bytes});
      if (decoded) device.table.push_back(*decoded);
      else right = false;
    }
    cache_.give_back(*buffer);
    if (!right) co_return Error::damaged;
  }
  device.read = true;
  co_return Error::none;
}

os::Task<Error> Catalogue::store_entry(Device& device, std::uint32_t entry) {
  Buffer* const buffer = co_await cache_.get({device.index, device.form.table_block_of(entry)});
  if (!buffer) {
    device.incomplete = true;
    co_return Error::io_error;
  }
  encode(device.table[entry], {buffer->bytes() + device.form.offset_of(entry), Form::entry_bytes});
  cache_.changed(*buffer);
  cache_.give_back(*buffer);
  co_return Error::none;
}

os::Task<Error> Catalogue::store_bits(Device& device, const std::vector<BlockNumber>& blocks) {
  std::set<BlockNumber> touched;
  for (const BlockNumber block : blocks) touched.insert(device.form.bitmap_block_of(block));
  for (const BlockNumber block : touched) {
    Buffer* const buffer = co_await cache_.get({device.index, block});
    if (!buffer) {
      device.incomplete = true;
      co_return Error::io_error;
    }
    os::counted_from_here<Cost::block_assignment>();
    device.free.store(block, {buffer->bytes(), device.form.block_bytes});
    cache_.changed(*buffer);
    cache_.give_back(*buffer);
  }
  co_return Error::none;
}

os::Task<Error> Catalogue::add_entry(Device& device, const Entry& entry, std::uint32_t& place) {
  const auto free =
      std::ranges::find_if(device.table, [](const Entry& e) { return std::holds_alternative<FreeEntry>(e); });
  if (free == device.table.end()) co_return Error::no_space;
  place = static_cast<std::uint32_t>(free - device.table.begin());
  *free = entry;
  const Error error = co_await store_entry(device, place);
  if (error != Error::none) device.table[place] = FreeEntry{};
  co_return error;
}

os::Task<Error> Catalogue::extend(Fork& fork, std::uint64_t end) {
  Device& device = devices_[fork.device];
  const Form& form = device.form;
  if (end > form.most_bytes_of_fork()) co_return Error::no_space;
  const std::size_t before = fork.blocks.size(), needed = form.blocks_for(end);
  if (needed > before) {
    os_.charge<Cost::block_assignment>(static_cast<double>(needed - before));
    const BlockNumber near = before > 0 ? fork.blocks.back() + 1 : static_cast<BlockNumber>(form.first_data_block());
    std::vector<BlockNumber> taken = device.free.allocate_run(needed - before, near);
    if (taken.empty()) co_return Error::no_space;
    std::vector<BlockNumber> indices;
    for (std::size_t b = before; b < needed; ++b) {
      BlockNumber& index = fork.record.index_blocks[b / form.numbers_per_index_block()];
      if (index != 0) continue;
      const auto free = device.free.allocate(taken.back());
      if (!free) {
        for (const BlockNumber block : taken) device.free.release(block);
        for (const BlockNumber block : indices) device.free.release(block);
        for (BlockNumber& used : fork.record.index_blocks)
          if (std::ranges::find(indices, used) != indices.end()) used = 0;
        co_return Error::no_space;
      }
      index = *free;
      indices.push_back(*free);
      cache_.is_fresh({fork.device, *free});
    }
    for (const BlockNumber block : taken) cache_.is_fresh({fork.device, block});
    fork.blocks.insert(fork.blocks.end(), taken.begin(), taken.end());
    for (std::size_t b = before; b < needed;) {
      const std::uint32_t per_block = form.numbers_per_index_block();
      Buffer* const buffer = co_await cache_.get({fork.device, fork.record.index_blocks[b / per_block]});
      if (!buffer) {
        fork.blocks.resize(before);
        device.incomplete = true;
        co_return Error::io_error;
      }
      os::counted_from_here<Cost::block_assignment>();
      for (auto at = static_cast<std::uint32_t>(b % per_block); at < per_block && b < needed; ++at, ++b)
        set_data_block({buffer->bytes(), form.block_bytes}, at, fork.blocks[b]);
      cache_.changed(*buffer);
      cache_.give_back(*buffer);
    }
    taken.insert(taken.end(), indices.begin(), indices.end());
    const Error error = co_await store_bits(device, taken);
    if (error != Error::none) {
      fork.blocks.resize(before);
      co_return error;
    }
    fork.grown = true;
    fork.record.blocks = static_cast<std::uint32_t>(fork.blocks.size());
  }
  if (end > fork.bytes) {
    fork.bytes = end;
    fork.changed = true;
  }
  co_return Error::none;
}

os::Task<Error> Catalogue::store_sizes() {
  Error all = Error::none;
  for (std::uint32_t number = 0; number < devices_.size(); ++number) {
    Device& device = devices_[number];
    std::vector<std::uint32_t> changed;
    for (const auto& [entry, fork] : device.forks)
      if (std::exchange(fork->changed, false)) changed.push_back(entry);
    for (const std::uint32_t entry : changed) {
      const Fork* const fork = opened(number, entry);
      if (!fork) continue;  // it has been deleted meanwhile
      ForkEntry record = fork->record;
      record.bytes = fork->bytes;
      device.table[entry] = record;
      const Error error = co_await store_entry(device, entry);
      if (error != Error::none) all = error;
    }
  }
  co_return all;
}

std::vector<Catalogue::ForkRange> Catalogue::lost_with(DiskBlock block) {
  const os::NotOnTheMachine mark;
  Device& device = devices_[block.device];
  const Form& form = device.form;
  std::vector<ForkRange> ranges;
  const auto lose = [&](const Fork& fork, std::uint64_t first, std::uint64_t count) {
    ranges.push_back({fork.record.file, device.number, first * form.block_bytes, count * form.block_bytes});
  };
  if (form.may_hold_data(block.block)) {
    for (const auto& [entry, fork] : device.forks) {
      const auto at = std::ranges::find(fork->blocks, block.block);
      if (at != fork->blocks.end()) lose(*fork, static_cast<std::uint64_t>(at - fork->blocks.begin()), 1);
      for (std::uint64_t i = 0; i < Form::index_blocks_of_fork; ++i) {
        if (fork->record.index_blocks[i] != block.block) continue;
        device.incomplete = true;
        lose(*fork, i * form.numbers_per_index_block(), form.numbers_per_index_block());
      }
    }
    return ranges;
  }
  device.incomplete = true;
  if (block.block < form.first_table_block()) return ranges;
  for (const auto& [entry, fork] : device.forks)
    if (fork->grown && form.table_block_of(entry) == block.block) lose(*fork, 0, fork->blocks.size());
  for (std::uint32_t entry = 0; entry < device.table.size(); ++entry) {
    const auto* const file = std::get_if<FileEntry>(&device.table[entry]);
    if (!file || form.table_block_of(entry) != block.block || !std::ranges::count(device.created, file->id)) continue;
    for (std::uint32_t disk = 0; disk < all_disks_; ++disk)
      ranges.push_back({file->id, disk, 0, form.most_bytes_of_fork()});
  }
  return ranges;
}

os::Task<Error> Catalogue::open(Device& device, std::uint32_t entry) {
  auto& place = device.forks[entry];
  if (!place) {
    place = std::make_unique<Fork>(os_, device.index, entry);
    place->record = std::get<ForkEntry>(device.table[entry]);
    place->bytes = place->record.bytes;
  }
  Fork& fork = *place;
  Error error = Error::none;
  ++fork.transfers;  // so that nobody deletes it meanwhile
  {
    const auto guard = co_await fork.lock.lock();
    if (!fork.listed) error = co_await list_blocks(device, fork);
  }
  if (--fork.transfers == 0) fork.unused.wake_all();
  co_return error;
}

os::Task<Error> Catalogue::list_blocks(Device& device, Fork& fork) {
  const std::uint32_t per_block = device.form.numbers_per_index_block();
  fork.blocks.clear();
  for (std::uint32_t b = 0; b < fork.record.blocks;) {
    Buffer* const buffer = co_await cache_.get({device.index, fork.record.index_blocks[b / per_block]});
    if (!buffer) co_return Error::io_error;
    bool right = true;
    for (std::uint32_t i = b % per_block; i < per_block && b < fork.record.blocks; ++i, ++b) {
      fork.blocks.push_back(data_block({buffer->bytes(), device.form.block_bytes}, i));
      right = right && device.form.may_hold_data(fork.blocks.back());
    }
    cache_.give_back(*buffer);
    if (!right) co_return Error::damaged;
  }
  fork.listed = true;
  co_return Error::none;
}

os::Task<Error> Catalogue::remove(Device& device, std::uint32_t entry) {
  const Error opened = co_await open(device, entry);  // its blocks are listed there
  if (opened != Error::none) co_return opened;
  // From now on nobody finds it.
  const std::unique_ptr<Fork> fork = std::move(device.forks[entry]);
  device.forks.erase(entry);
  device.table[entry] = FreeEntry{};
  while (fork->transfers > 0) co_await fork->unused.wait();
  std::vector<BlockNumber> all = fork->blocks;
  for (const BlockNumber index : fork->record.index_blocks)
    if (index != 0) all.push_back(index);
  for (const BlockNumber block : all) {
    cache_.forget({device.index, block});
    device.free.release(block);
  }
  const Error entry_stored = co_await store_entry(device, entry);
  const Error bits_stored = co_await store_bits(device, all);
  co_return entry_stored == Error::none ? bits_stored : entry_stored;
}

template <class Kind, class Is>
std::uint32_t Catalogue::find(const Device& device, Is is) {
  for (std::uint32_t i = 0; i < device.table.size(); ++i) {
    os_.charge(Cost::sort_comparison);
    if (const auto* entry = std::get_if<Kind>(&device.table[i]); entry && is(*entry)) return i;
  }
  return nowhere;
}

// The home disk is part of the number, so that no two disks give the same one.
std::uint64_t Catalogue::new_id(const Device& device) const {
  std::uint64_t last = (std::uint64_t{device.number} + 1) << 32;
  for (const Entry& entry : device.table)
    if (const auto* file = std::get_if<FileEntry>(&entry)) last = std::max(last, file->id);
  return last + 1;
}

os::Task<NameAnswer> Catalogue::carry_out(const NameRequest& asked, const std::string& name,
                                          std::vector<std::string>& names) {
  Device& device = devices_[asked.device];
  NameAnswer answer;
  answer.error = co_await read_in(device);
  if (answer.error == Error::none) {
    switch (asked.call) {
      case Call::create_file:
      case Call::open_file:
      case Call::delete_file:
      case Call::list_files: answer = co_await on_files(device, asked, name, names); break;
      default: answer = co_await on_forks(device, asked, name, names);
    }
  }
  if (answer.error == Error::io_error) answer.status = cache_.error(asked.device);
  co_return answer;
}

os::Task<NameAnswer> Catalogue::on_files(Device& device, const NameRequest& asked, const std::string& name,
                                         std::vector<std::string>& names) {
  NameAnswer answer;
  if (asked.call == Call::list_files) {
    for (const Entry& entry : device.table)
      if (const auto* file = std::get_if<FileEntry>(&entry)) names.push_back(file->name);
    co_return answer;
  }
  const auto tell = [&answer](const FileEntry& file) {
    answer.file = file.id;
    answer.subfiles = file.subfiles;
    answer.first_disk = file.first_disk;
  };
  const std::uint32_t found = find<FileEntry>(device, [&](const FileEntry& file) { return file.name == name; });
  if (asked.call == Call::create_file) {
    const FileEntry file{new_id(device), name, static_cast<std::uint32_t>(asked.number), asked.other};
    if (!is_name(name)) answer.error = Error::name_too_long;
    else if (found != nowhere) answer.error = Error::exists;
    else if (asked.number == 0 || asked.other >= all_disks_) answer.error = Error::bad_argument;
    else if (asked.number > all_disks_) answer.error = Error::too_many_subfiles;
    else {
      std::uint32_t place = nowhere;
      answer.error = co_await add_entry(device, file, place);
      if (answer.error == Error::none) device.created.push_back(file.id);
      tell(file);
    }
    co_return answer;
  }
  if (found == nowhere) co_return NameAnswer{Error::no_such_file};
  tell(std::get<FileEntry>(device.table[found]));
  if (asked.call == Call::delete_file) {
    device.table[found] = FreeEntry{};
    answer.error = co_await store_entry(device, found);
  }
  co_return answer;
}

os::Task<NameAnswer> Catalogue::on_forks(Device& device, const NameRequest& asked, const std::string& name,
                                         std::vector<std::string>& names) {
  NameAnswer answer;
  answer.file = asked.file;
  if (asked.call == Call::list_forks) {
    for (const Entry& entry : device.table)
      if (const auto* fork = std::get_if<ForkEntry>(&entry); fork && fork->file == asked.file)
        names.push_back(fork->name);
    co_return answer;
  }
  if (asked.call == Call::delete_subfile) {
    for (std::uint32_t i = 0; i < device.table.size(); ++i)
      if (const auto* fork = std::get_if<ForkEntry>(&device.table[i]); fork && fork->file == asked.file) {
        const Error error = co_await remove(device, i);
        if (error != Error::none) answer.error = error;
      }
    co_return answer;
  }
  if (asked.call == Call::extend) {
    Fork* const fork = opened(asked.device, asked.other);
    if (!fork) {
      answer.error = Error::no_such_fork;
      co_return answer;
    }
    ++fork->transfers;
    {
      const auto guard = co_await fork->lock.lock();
      answer.error = co_await extend(*fork, asked.number);
      answer.bytes = fork->bytes;
    }
    if (--fork->transfers == 0) fork->unused.wake_all();
    co_return answer;
  }
  const std::uint32_t found =
      find<ForkEntry>(device, [&](const ForkEntry& fork) { return fork.file == asked.file && fork.name == name; });
  if (asked.call == Call::create_fork) {
    const ForkEntry fork{.file = asked.file, .name = name};
    if (!is_name(name)) answer.error = Error::name_too_long;
    else if (found != nowhere) answer.error = Error::exists;
    else answer.error = co_await add_entry(device, fork, answer.entry);
    co_return answer;
  }
  if (found == nowhere) {
    answer.error = Error::no_such_fork;
    co_return answer;
  }
  if (asked.call == Call::delete_fork) {
    answer.error = co_await remove(device, found);
    co_return answer;
  }
  answer.error = co_await open(device, found);
  if (answer.error != Error::none) co_return answer;
  answer.entry = found;
  const Fork* const fork = opened(asked.device, found);
  if (fork) answer.bytes = fork->bytes;
  else answer.error = Error::no_such_fork;  // deleted meanwhile
  co_return answer;
}

}  // namespace sunstar::file_systems::galley
