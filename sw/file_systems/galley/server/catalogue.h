// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <memory>
#include <string>

#include "sw/file_systems/galley/on_disk/allocator.h"
#include "sw/file_systems/galley/on_disk/entry.h"
#include "sw/file_systems/galley/protocol/messages.h"
#include "sw/file_systems/galley/server/cache_manager.h"
#include "sw/os/mutex.h"

// The names, sizes and places of what lies on an I/O processor's disks.
namespace sunstar::file_systems::galley {

struct Fork {
  Fork(os::Os& os, std::uint32_t its_device, std::uint32_t its_entry)
      : device(its_device),
        entry(its_entry),
        lock(os, "a fork's metadata"),
        unused(os, "the end of a fork's transfers") {}

  const std::uint32_t device, entry;
  ForkEntry record;
  std::vector<BlockNumber> blocks;  ///< all of them: there are no holes
  bool listed = false;              ///< whether the blocks are known
  bool grown = false;               ///< it has got blocks since it was opened
  std::uint64_t bytes = 0;
  bool changed = false;         ///< its size is not in its entry yet
  std::uint32_t transfers = 0;  ///< transfers under way and other users: it must not be deleted
  os::Mutex lock;               ///< held while blocks are assigned
  os::WaitQueue unused;
};

/// The catalogue of one I/O processor. It reads a disk's superblock, bitmap and table when they are first needed, and
/// changes them block by block in the cache; they reach the disk as other blocks do.
class Catalogue {
 public:
  /// A disk: its form, and its number among all disks.
  struct Disk {
    Form form;
    std::uint32_t number = 0;
  };
  /// `disks` by device; the file system has `all_disks`.
  Catalogue(os::Os& os, CacheManager& cache, const std::vector<Disk>& disks, std::uint32_t all_disks);

  /// The fork of that entry; null if it is not open, has been deleted, or its blocks are not known.
  Fork* opened(std::uint32_t device, std::uint32_t entry);

  /// Gives the fork that size and blocks for it, contiguous with its earlier ones if possible. The caller holds the
  /// fork's lock. Errors: no_space; io_error, after which unused new blocks may be marked used.
  os::Task<Error> extend(Fork& fork, std::uint64_t end);

  /// Carries out a call on names and sizes; `names` gets those of a list. Errors, besides those of the call: io_error,
  /// and damaged if a superblock, an entry or an index block cannot be right.
  os::Task<NameAnswer> carry_out(const NameRequest& asked, const std::string& name, std::vector<std::string>& names);

  /// Writes all changed sizes to their entries in the cache. Errors: io_error.
  os::Task<Error> store_sizes();

  /// A part of a file's fork; of no file if the number is 0.
  struct ForkRange {
    std::uint64_t file = 0;
    std::uint32_t disk = 0;  ///< among all disks
    std::uint64_t offset = 0, bytes = 0;
  };
  /// What is lost because a block could not be written: a data block's bytes of a fork; with a metadata block, the
  /// bytes since written to forks that cannot be found without it.
  std::vector<ForkRange> lost_with(DiskBlock block);
  /// Whether a part of the disk's structures could not be written: they may contradict themselves.
  bool incomplete(std::uint32_t device) const { return devices_[device].incomplete; }
  /// An opened fork of the file; null if there is none.
  const Fork* fork_of(std::uint32_t device, std::uint64_t file) const;

 private:
  struct Device {
    Device(os::Os& os, const Disk& disk, std::uint32_t i)
        : form(disk.form), index(i), number(disk.number), free(disk.form), reading(os, "a catalogue") {}
    const Form form;
    const std::uint32_t index, number;  // among those of the I/O processor, and among all
    std::vector<Entry> table;
    Allocator free;
    bool read = false;
    bool incomplete = false;
    std::vector<std::uint64_t> created;  // files whose entries are new
    os::Mutex reading;
    std::map<std::uint32_t, std::unique_ptr<Fork>> forks;  // by entry
  };
  os::Task<Error> read_in(Device& device);
  os::Task<Error> store_entry(Device& device, std::uint32_t entry);
  os::Task<Error> store_bits(Device& device, const std::vector<BlockNumber>& blocks);
  os::Task<Error> add_entry(Device& device, const Entry& entry, std::uint32_t& place);
  /// Makes the fork's blocks known. Errors: io_error, damaged.
  os::Task<Error> open(Device& device, std::uint32_t entry);
  os::Task<Error> remove(Device& device, std::uint32_t entry);
  /// The place in the table of the entry of that kind for which `is` is true.
  template <class Kind, class Is>
  std::uint32_t find(const Device& device, Is is);
  std::uint64_t new_id(const Device& device) const;

  os::Task<Error> list_blocks(Device& device, Fork& fork);
  os::Task<NameAnswer> on_files(Device& device, const NameRequest& asked, const std::string& name,
                                std::vector<std::string>& names);
  os::Task<NameAnswer> on_forks(Device& device, const NameRequest& asked, const std::string& name,
                                std::vector<std::string>& names);

  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  os::Os& os_;
  CacheManager& cache_;
  const std::uint32_t all_disks_;
  std::deque<Device> devices_;
};

}  // namespace sunstar::file_systems::galley
