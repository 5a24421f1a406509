// SPDX-License-Identifier: MIT
#include "sw/file_systems/galley/on_disk/inspection.h"

#include <utility>

#include "models/core/error.h"
#include "models/core/ranges.h"
#include "sw/file_systems/galley/on_disk/allocator.h"
#include "sw/file_systems/galley/on_disk/entry.h"

namespace sunstar::file_systems::galley {

namespace {

/// Makes the image of one disk: entries and index blocks as they come, the bitmap at the end.
class ImageOfDisk {
 public:
  ImageOfDisk(const Form& form, std::uint32_t disk, std::uint32_t disks)
      : form_(form), name_("disk " + std::to_string(disk)), allocator_(form) {
    encode(Superblock{form, disk, disks}, block(0));
    for (std::uint64_t i = 0; i < form.table_blocks(); ++i) block(form.first_table_block() + i);
  }

  void take(const ForkOnDisk& fork) {
    for (const BlockNumber b : fork.blocks)
      if (b != 0) allocator_.take(b);
  }

  void add(const Entry& entry) {
    if (entries_ == form_.table_entries)
      throw ConfigError("The table of ", name_, " is full: it has only ", entries_, " entries for files and forks.");
    encode(entry, std::span(block(form_.table_block_of(entries_))).subspan(form_.offset_of(entries_), 512));
    ++entries_;
  }

  void add(std::uint64_t file, const std::string& file_name, const ForkOnDisk& fork) {
    const std::string fork_name = "Fork " + in_quotes(fork.name) + " of file " + in_quotes(file_name);
    if (fork.bytes > form_.most_bytes_of_fork())
      throw ConfigError(fork_name, " has ", fork.bytes, " bytes; with blocks of ", form_.block_bytes,
                        " bytes, it may have at most ", form_.most_bytes_of_fork(), ".");
    assert(fork.blocks.size() == form_.blocks_for(fork.bytes));
    ForkEntry entry{file, fork.name, fork.bytes, static_cast<std::uint32_t>(fork.blocks.size())};
    for (std::uint32_t i = 0; i < entry.blocks; ++i) {
      if (fork.blocks[i] == 0) continue;
      BlockNumber& index = entry.index_blocks[i / form_.numbers_per_index_block()];
      if (index == 0) {
        const auto chosen = allocator_.allocate(fork.blocks[i]);
        if (!chosen) throw ConfigError(fork_name, " does not fit on ", name_, ": no block is left for its index.");
        index = *chosen;
      }
      set_data_block(block(index), i % form_.numbers_per_index_block(), fork.blocks[i]);
    }
    add(Entry(std::move(entry)));
  }

  DiskImage finished() {
    for (std::uint64_t i = 0; i < form_.bitmap_blocks(); ++i) {
      const auto b = static_cast<BlockNumber>(form_.first_bitmap_block() + i);
      if (allocator_.any_used(b)) allocator_.store(b, block(b));
    }
    return std::move(image_);
  }

 private:
  std::vector<std::byte>& block(std::uint64_t number) {
    return image_.try_emplace(static_cast<BlockNumber>(number), form_.block_bytes).first->second;
  }

  Form form_;
  std::string name_;
  Allocator allocator_;
  DiskImage image_;
  std::uint32_t entries_ = 0;
};

void check_name(const std::string& name, const std::string& what, std::set<std::string>& seen) {
  if (!is_name(name))
    throw ConfigError("The name of ", what, ", ", in_quotes(name), ", has ", name.size(),
                      " bytes; it must have 1 to 63, none of them zero.");
  if (!seen.insert(name).second) throw ConfigError("The name of ", what, ", ", in_quotes(name), ", occurs twice.");
}

void check_files(const std::vector<FileOnDisks>& files, std::size_t disks) {
  std::set<std::string> names;
  for (const FileOnDisks& file : files) {
    check_name(file.name, "a file", names);
    if (file.subfiles.empty() || file.subfiles.size() > disks)
      throw ConfigError("File ", in_quotes(file.name), " has ", file.subfiles.size(), " subfiles; it must have 1 to ",
                        disks, ", since no disk holds more than one.");
    assert(file.first_disk < disks);
    for (const SubfileOnDisk& subfile : file.subfiles) {
      std::set<std::string> forks;
      for (const ForkOnDisk& fork : subfile) check_name(fork.name, "a fork of file " + in_quotes(file.name), forks);
    }
  }
}

}  // namespace

std::vector<DiskImage> make_images(const std::vector<Form>& disks, const std::vector<FileOnDisks>& files) {
  const auto disk_count = static_cast<std::uint32_t>(disks.size());
  std::vector<ImageOfDisk> made;
  for (std::uint32_t d = 0; d < disk_count; ++d) {
    disks[d].check("disk " + std::to_string(d));
    made.emplace_back(disks[d], d, disk_count);
  }
  check_files(files, disks.size());

  const auto for_each_fork = [&](auto&& act) {
    for (std::size_t f = 0; f < files.size(); ++f)
      for (std::size_t s = 0; s < files[f].subfiles.size(); ++s)
        for (const ForkOnDisk& fork : files[f].subfiles[s]) act(made[(files[f].first_disk + s) % disk_count], f, fork);
  };
  // All data first, so that no index block takes the place of a later fork's data.
  for_each_fork([](ImageOfDisk& disk, std::size_t, const ForkOnDisk& fork) { disk.take(fork); });
  for (std::size_t f = 0; f < files.size(); ++f)
    made[home_disk(files[f].name, disk_count)].add(
        FileEntry{f + 1, files[f].name, static_cast<std::uint32_t>(files[f].subfiles.size()), files[f].first_disk});
  for_each_fork(
      [&](ImageOfDisk& disk, std::size_t f, const ForkOnDisk& fork) { disk.add(f + 1, files[f].name, fork); });

  return mapped(made, &ImageOfDisk::finished);
}

}  // namespace sunstar::file_systems::galley
