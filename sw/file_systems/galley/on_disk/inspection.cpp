// SPDX-License-Identifier: MIT
#include "sw/file_systems/galley/on_disk/inspection.h"

#include <boost/unordered/unordered_flat_map.hpp>
#include <tuple>
#include <utility>

#include "models/core/error.h"
#include "sw/file_systems/galley/on_disk/allocator.h"
#include "sw/file_systems/galley/on_disk/entry.h"

namespace sunstar::file_systems::galley {

namespace {

/// Whether a bitmap block marks a block used: bit b is bit b mod 8, from the least significant, of byte b / 8.
bool marked_used(std::span<const std::byte> bitmap, std::uint64_t bit) {
  return (bitmap[bit / 8] >> (bit % 8) & std::byte{1}) != std::byte{0};
}

class Inspector {
 public:
  explicit Inspector(const std::vector<InspectedDisk>& disks)
      : disks_(disks), disk_count_(static_cast<std::uint32_t>(disks.size())) {
    for (const InspectedDisk& disk : disks) books_.push_back({.user = {}, .used = Bits(disk.form), .users = {}});
    result_.metadata.resize(disks.size());
  }

  Inspection run() {
    for (std::uint32_t d = 0; d < disk_count_; ++d) {
      own_blocks(d);
      read_table(d);
    }
    std::ranges::stable_sort(files_, {}, [](const Found<FileEntry>& f) { return f.entry.id; });
    for (const auto& file : files_) check_file(file);
    for (const auto& fork : forks_) check_fork(fork);
    for (std::uint32_t d = 0; d < disk_count_; ++d) check_bitmap(d);
    for (auto& [id, file] : by_id_) result_.files.push_back(std::move(file.content));
    return std::move(result_);
  }

 private:
  template <class E>
  struct Found {
    std::uint32_t disk;
    E entry;
  };
  struct Book {
    boost::unordered_flat_map<BlockNumber, std::size_t> user;  ///< of used blocks: the position in `users`
    Bits used;                                                 ///< of what has been found
    std::vector<std::string> users;                            ///< "the bitmap", "fork "a" of file "b""
    bool complete = true;                                      ///< whether all used blocks could be found
  };
  struct KnownFile {
    FileEntry entry;
    FileOnDisks content;
  };

  static std::string on_disk(std::uint32_t disk) { return " on disk " + std::to_string(disk); }
  static std::string of_disk(std::uint32_t disk) { return " of disk " + std::to_string(disk); }
  static std::string counted(std::uint64_t n, const std::string& what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
  }
  template <class... Parts>
  void find(const Parts&... parts) {
    result_.findings.push_back(concat(parts...));
  }

  std::vector<std::byte> read(std::uint32_t disk, std::uint64_t block) const {
    std::vector<std::byte> bytes(disks_[disk].form.block_bytes);
    disks_[disk].read(block, bytes);
    return bytes;
  }

  /// Notes that the last of the disk's users uses the block. False, with a finding, if the block cannot be used.
  bool use(std::uint32_t disk, BlockNumber block) {
    Book& book = books_[disk];
    if (block >= disks_[disk].form.blocks) {
      find("Block ", block, of_disk(disk), ", which ", book.users.back(), " uses, is outside the disk, which has ",
           counted(disks_[disk].form.blocks, "block"), ".");
      return false;
    }
    const std::size_t last = book.users.size() - 1;
    const auto [user, is_first] = book.user.try_emplace(block, last);
    if (!is_first)
      find("Block ", block, of_disk(disk), " is used twice: by ", book.users[user->second], " and by ",
           user->second == last ? "the same" : book.users.back(), ".");
    book.used.set(block);
    return is_first;
  }

  void own_blocks(std::uint32_t disk) {
    const Form& form = disks_[disk].form;
    const auto own = [&](const char* user, std::uint64_t first, std::uint64_t count) {
      books_[disk].users.emplace_back(user);
      for (std::uint64_t b = first; b < first + count; ++b) {
        use(disk, static_cast<BlockNumber>(b));
        result_.metadata[disk].insert(static_cast<BlockNumber>(b));
      }
    };
    own("the superblock", 0, 1);
    own("the bitmap", form.first_bitmap_block(), form.bitmap_blocks());
    own("the table", form.first_table_block(), form.table_blocks());

    const auto superblock = decode_superblock(read(disk, 0));
    if (!superblock) find("The superblock", of_disk(disk), " is damaged.");
    else if (*superblock != Superblock{form, disk, disk_count_})
      find("The superblock", of_disk(disk), " describes ", described(*superblock), "; it should describe ",
           described({form, disk, disk_count_}), ".");
  }

  static std::string described(const Superblock& s) {
    return concat("disk ", s.disk, " of ", s.disks, ", with ", counted(s.form.blocks, "block"), " of ",
                  s.form.block_bytes, " bytes and ", s.form.table_entries, " entries");
  }

  void read_table(std::uint32_t disk) {
    const Form& form = disks_[disk].form;
    std::vector<std::byte> block;
    for (std::uint32_t e = 0; e < form.table_entries; ++e) {
      if (form.offset_of(e) == 0) block = read(disk, form.table_block_of(e));
      const auto entry = decode_entry(std::span(block).subspan(form.offset_of(e), Form::entry_bytes));
      if (!entry) {
        find("Entry ", e, " of the table", of_disk(disk), ", in block ", form.table_block_of(e), ", is damaged.");
        books_[disk].complete = all_files_ = false;
      } else if (const auto* file = std::get_if<FileEntry>(&*entry)) {
        files_.push_back({disk, *file});
      } else if (const auto* fork = std::get_if<ForkEntry>(&*entry)) {
        forks_.push_back({disk, *fork});
      }
    }
  }

  void check_file(const Found<FileEntry>& found) {
    const FileEntry& file = found.entry;
    const std::string name = "file " + in_quotes(file.name);
    if (const auto home = home_disk(file.name, disk_count_); home != found.disk)
      find("The entry of ", name, " lies", on_disk(found.disk), "; the home of that name is disk ", home, ".");
    else if (!file_names_.insert(file.name).second)
      find("Two entries", of_disk(found.disk), " have the name of ", name, ".");
    if (file.subfiles == 0 || file.subfiles > disk_count_ || file.first_disk >= disk_count_) {
      find("The entry of ", name, on_disk(found.disk), " says that it has ", counted(file.subfiles, "subfile"),
           " from disk ", file.first_disk, " on; there are ", counted(disk_count_, "disk"), ".");
      all_files_ = false;
      return;
    }
    const FileOnDisks content{file.name, file.first_disk, std::vector<SubfileOnDisk>(file.subfiles)};
    if (const auto [at, is_new] = by_id_.try_emplace(file.id, KnownFile{file, content}); !is_new)
      find("The files ", in_quotes(at->second.entry.name), " and ", in_quotes(file.name), " have the same id, ",
           file.id, ".");
  }

  void check_fork(const Found<ForkEntry>& found) {
    const std::uint32_t disk = found.disk;
    const auto file = by_id_.find(found.entry.file);
    const std::string name =
        "fork " + in_quotes(found.entry.name) + " of file " +
        (file == by_id_.end() ? std::to_string(found.entry.file) : in_quotes(file->second.entry.name));
    ForkOnDisk content = walk(disk, found.entry, name);  // also if it belongs nowhere: its blocks are not lost
    if (file == by_id_.end()) {
      if (all_files_) find("Disk ", disk, " has an entry of ", name, ", but no file has that number.");
      return;
    }
    const auto subfile = file->second.entry.subfile_on(disk, disk_count_);
    if (!subfile) {
      find("The entry of ", name, " lies", on_disk(disk), ", where the file has no subfile.");
      return;
    }
    if (!fork_names_.insert({found.entry.file, disk, found.entry.name}).second)
      find("Two entries", of_disk(disk), " have the name of ", name, ".");
    file->second.content.subfiles[*subfile].push_back(std::move(content));
  }

  /// Follows the fork's index and notes all blocks as used.
  ForkOnDisk walk(std::uint32_t disk, const ForkEntry& fork, const std::string& name) {
    const Form& form = disks_[disk].form;
    const std::uint64_t needed = form.blocks_for(fork.bytes);
    const std::uint32_t listed = std::min(fork.blocks, form.most_blocks_of_fork());
    bool beyond = fork.blocks > needed;
    books_[disk].users.push_back(name);
    ForkOnDisk content{fork.name, fork.bytes, std::vector<BlockNumber>(std::min<std::uint64_t>(needed, listed))};
    for (std::uint32_t i = 0; i < Form::index_blocks_of_fork; ++i) {
      const BlockNumber index = fork.index_blocks[i];
      if (index == 0) continue;
      if (!use(disk, index)) {
        books_[disk].complete = false;
        continue;
      }
      result_.metadata[disk].insert(index);
      const std::uint64_t first = std::uint64_t{i} * form.numbers_per_index_block();
      beyond = beyond || first >= needed;
      const auto bytes = read(disk, index);
      for (std::uint32_t place = 0; place < form.numbers_per_index_block(); ++place) {
        const BlockNumber data = data_block(bytes, place);
        if (data == 0) continue;
        use(disk, data);
        beyond = beyond || first + place >= needed;
        if (first + place < content.blocks.size()) content.blocks[first + place] = data;
      }
    }
    if (needed > listed)
      find("The ", counted(fork.bytes, "byte"), " of ", name, on_disk(disk), " are more than its ",
           counted(listed, "block"), " can hold.");
    if (beyond)
      find("There are blocks beyond the end of ", name, on_disk(disk), ", which has ", counted(fork.bytes, "byte"),
           ".");
    return content;
  }

  void check_bitmap(std::uint32_t disk) {
    const Form& form = disks_[disk].form;
    const Book& book = books_[disk];
    std::vector<std::byte> bits;
    std::uint64_t lost = 0;  // the length of the run of lost blocks that ends before block b
    const auto end_of_run = [&](std::uint64_t b) {
      if (lost == 1) find("Block ", b - 1, of_disk(disk), " is marked used, but nothing uses it.");
      if (lost > 1) find("Blocks ", b - lost, " to ", b - 1, of_disk(disk), " are marked used, but nothing uses them.");
      lost = 0;
    };
    for (std::uint64_t b = 0; b < form.blocks; ++b) {
      const auto block = static_cast<BlockNumber>(b);
      const std::uint32_t bit = form.bit_of(block);
      if (bit == 0) {
        bits = read(disk, form.bitmap_block_of(block));
        if (!book.used.has(b / form.bits_per_block()) && b + form.bits_per_block() <= form.blocks && all_zero(bits)) {
          end_of_run(b);
          b += form.bits_per_block() - 1;
          continue;
        }
      }
      const std::uint64_t used = book.used.word(b / 64);
      if (bit % 64 == 0 && b + 64 <= form.blocks && read_number<std::uint64_t>(bits, bit / 8) == used) {
        end_of_run(b);
        b += 63;
        continue;
      }
      const bool marked = marked_used(bits, bit), is_used = used >> (b % 64) & 1;
      if (marked && !is_used && book.complete) {
        ++lost;
        continue;
      }
      end_of_run(b);
      if (!marked && is_used)
        find("Block ", b, of_disk(disk), " is marked free, but ", book.users[book.user.at(block)], " uses it.");
    }
    end_of_run(form.blocks);
    const std::uint64_t bits_in_all = form.bitmap_blocks() * form.bits_per_block();
    for (std::uint64_t b = form.blocks; b < bits_in_all; ++b)
      if (!marked_used(bits, b % form.bits_per_block())) {
        find("The bitmap", of_disk(disk), " marks block ", b, " free, which is outside the disk.");
        return;
      }
  }

  const std::vector<InspectedDisk>& disks_;
  std::uint32_t disk_count_;
  std::vector<Book> books_;  // by disk
  std::vector<Found<FileEntry>> files_;
  std::vector<Found<ForkEntry>> forks_;
  bool all_files_ = true;  // whether all entries of files could be read
  std::map<std::uint64_t, KnownFile> by_id_;
  std::set<std::string> file_names_;
  std::set<std::tuple<std::uint64_t, std::uint32_t, std::string>> fork_names_;  // file, disk, fork
  Inspection result_;
};

}  // namespace

Inspection inspect(const std::vector<InspectedDisk>& disks) { return Inspector(disks).run(); }

}  // namespace sunstar::file_systems::galley
