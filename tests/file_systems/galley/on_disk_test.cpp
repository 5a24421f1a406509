// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include "models/core/error.h"
#include "models/core/random.h"
#include "sw/file_systems/galley/on_disk/allocator.h"
#include "sw/file_systems/galley/on_disk/entry.h"
#include "sw/file_systems/galley/on_disk/form.h"
#include "sw/file_systems/galley/on_disk/inspection.h"
#include "tests/support/catch.h"
#include "tests/support/galley_bitmap.h"

using namespace sunstar;
using namespace sunstar::file_systems::galley;
using Catch::Matchers::ContainsSubstring;

namespace {

using RawBytes = std::vector<std::byte>;

/// Disks in memory that hold what an image says, and zeros elsewhere.
struct GalleyDisks {
  std::vector<Form> forms;
  std::vector<DiskImage> images;

  GalleyDisks(std::vector<Form> f, const std::vector<FileOnDisks>& files)
      : forms(std::move(f)), images(make_images(forms, files)) {}

  Inspection inspected() const {
    std::vector<InspectedDisk> disks;
    for (std::size_t d = 0; d < forms.size(); ++d)
      disks.push_back({forms[d], [&image = images[d]](std::uint64_t block, std::span<std::byte> bytes) {
                         std::ranges::fill(bytes, std::byte{0});
                         if (const auto at = image.find(static_cast<BlockNumber>(block)); at != image.end())
                           std::ranges::copy(at->second, bytes.begin());
                       }});
    return inspect(disks);
  }

  std::span<std::byte> place(std::uint32_t disk, std::uint32_t entry) {
    return std::span(images[disk].at(forms[disk].table_block_of(entry))).subspan(forms[disk].offset_of(entry), 512);
  }
  /// The number of the disk's entry for a file or fork of that name.
  template <class E>
  std::uint32_t find(std::uint32_t disk, const std::string& name) {
    for (std::uint32_t e = 0; e < forms[disk].table_entries; ++e) {
      const auto entry = decode_entry(place(disk, e));
      if (const auto* found = std::get_if<E>(&*entry); found && found->name == name) return e;
    }
    throw std::out_of_range(name);
  }
  template <class E>
  void change(std::uint32_t disk, const std::string& name, const std::function<void(E&)>& how) {
    const auto at = place(disk, find<E>(disk, name));
    auto entry = std::get<E>(*decode_entry(at));
    how(entry);
    encode(entry, at);
  }
  void add(std::uint32_t disk, const Entry& entry) {
    for (std::uint32_t e = 0;; ++e)
      if (std::holds_alternative<FreeEntry>(*decode_entry(place(disk, e)))) return encode(entry, place(disk, e));
  }
  void mark(std::uint32_t disk, BlockNumber block, bool used) {
    auto& bits = images[disk].at(forms[disk].bitmap_block_of(block));
    if (used) bitmap::set(bits, forms[disk].bit_of(block));
    else bitmap::clear(bits, forms[disk].bit_of(block));
  }
};

// Blocks of 512 bytes: superblock 0, bitmap 1, table 2 to 17, then 182 blocks for data and indices.
const Form small_form{512, 200, 16};

std::vector<FileOnDisks> weather() {
  return {{"matrix",
           0,
           {{{"temperatures", 1000, {20, 21}}, {"pressures", 512, {30}}},  // their indices: 22 and 31
            {{"temperatures", 600, {40, 0}}}}},                            // its index: 41
          {"empty", 1, {{}}}};
}
const std::uint32_t home_of_matrix = home_disk("matrix", 2), home_of_empty = home_disk("empty", 2);

/// What the inspection of the weather's disks finds after some damage.
std::vector<std::string> findings_after(const std::function<void(GalleyDisks&)>& damage) {
  GalleyDisks disks({small_form, small_form}, weather());
  damage(disks);
  return disks.inspected().findings;
}

using Findings = std::vector<std::string>;

}  // namespace

TEST_CASE("a disk of 1.3 GB with blocks of 32 KiB has one bitmap block") {
  // HP 97560: 2 684 016 sectors of 512 bytes; 64 to a block.
  const Form form{32768, 2684016 / 64, 1024};
  form.check("disk 0");
  CHECK(form.blocks == 41937);
  CHECK(form.bitmap_blocks() == 1);  // 262 144 bits
  CHECK(form.bitmap_block_of(41936) == 1);
  CHECK(form.bit_of(41936) == 41936);
  CHECK(form.table_blocks() == 16);  // of 64 entries
  CHECK(form.table_block_of(0) == 2);
  CHECK(form.table_block_of(65) == 3);
  CHECK(form.offset_of(65) == 512);
  CHECK(form.first_data_block() == 18);
  CHECK_FALSE(form.may_hold_data(17));
  CHECK(form.may_hold_data(18));
  CHECK(form.may_hold_data(41936));
  CHECK_FALSE(form.may_hold_data(41937));
  CHECK(form.blocks_for(32768) == 1);
  CHECK(form.blocks_for(32769) == 2);
  CHECK(form.most_blocks_of_fork() == 105 * 8192);
  CHECK(form.most_bytes_of_fork() == 105ull * 8192 * 32768);  // 26.25 GiB
}

TEST_CASE("the same disk with blocks of 512 bytes needs 656 bitmap blocks, and its forks are small") {
  const Form form{512, 2684016, 1024};
  form.check("disk 0");
  CHECK(form.bitmap_blocks() == 656);  // 655.3 blocks of 4096 bits
  CHECK(form.bitmap_block_of(4095) == 1);
  CHECK(form.bitmap_block_of(4097) == 2);
  CHECK(form.bit_of(4097) == 1);
  CHECK(form.table_blocks() == 1024);
  CHECK(form.table_block_of(5) == 662);
  CHECK(form.offset_of(5) == 0);
  CHECK(form.first_data_block() == 1681);
  CHECK(form.most_bytes_of_fork() == 6'881'280);  // 105 index blocks of 128 numbers
}

TEST_CASE("a form that no disk can have is refused in a sentence") {
  CHECK_THROWS_WITH((Form{500, 200, 16}.check("disk 3")),
                    "Galley cannot use disk 3: a block has 500 bytes; it must have a multiple of 512 bytes, from 512 "
                    "bytes to 1 MiB.");
  CHECK_THROWS_AS((Form{256, 200, 16}.check("disk 0")), ConfigError);
  CHECK_THROWS_AS((Form{2u << 20, 200, 16}.check("disk 0")), ConfigError);
  CHECK_NOTHROW(Form{1u << 20, 200, 16}.check("disk 0"));
  CHECK_NOTHROW(Form{1536, 200, 16}.check("disk 0"));
  CHECK_THROWS_WITH((Form{512, 200, 0}.check("disk 0")), ContainsSubstring("no entries"));
  CHECK_THROWS_WITH((Form{512, 18, 16}.check("disk 0")),
                    ContainsSubstring("need 18, and at least one block must be left"));
  CHECK_NOTHROW(Form{512, 19, 16}.check("disk 0"));
  CHECK_THROWS_WITH((Form{512, 1ull << 32, 16}.check("disk 0")), ContainsSubstring("at most 4294967295"));
}

TEST_CASE("FNV-1a gives the published hashes") {
  const auto hash = [](std::string_view text) { return fnv1a(std::as_bytes(std::span(text))); };
  CHECK(hash("") == 0x811c9dc5);
  CHECK(hash("a") == 0xe40c292c);
  CHECK(hash("foobar") == 0xbf9cf968);
}

TEST_CASE("the home disks of many names are all disks alike") {
  std::vector<int> files(8);
  for (int i = 0; i < 8000; ++i) ++files[home_disk("matrix" + std::to_string(i), 8)];
  // 1000 expected, with a standard deviation of sqrt(8000 * 1/8 * 7/8) = 30.
  for (const int n : files) CHECK(std::abs(n - 1000) < 150);
  CHECK(home_disk("x", 1) == 0);
}

TEST_CASE("a superblock is read as it was written, and each changed byte of it is noticed") {
  const Superblock superblock{{1024, 0x123456789, 77}, 3, 16};
  RawBytes block(1024);
  encode(superblock, block);
  CHECK(decode_superblock(block) == superblock);
  const std::string magic = "Galley\r\n";
  CHECK(std::equal(magic.begin(), magic.end(), block.begin(),
                   [](char c, std::byte b) { return static_cast<std::byte>(c) == b; }));
  CHECK(block[16] == std::byte{0x89});  // the blocks, least significant byte first
  CHECK(block[20] == std::byte{0x01});
  for (std::size_t i = 0; i < 40; ++i) {
    RawBytes damaged = block;
    damaged[i] ^= std::byte{0x10};
    CHECK_FALSE(decode_superblock(damaged));
  }
  CHECK_FALSE(decode_superblock(RawBytes(1024)));
}

TEST_CASE("entries are read as they were written, and each changed byte of them is noticed") {
  ForkEntry fork{0x0102030405060708, std::string(63, 'f'), 0x1122334455, 9};
  for (std::uint32_t i = 0; i < fork.index_blocks.size(); ++i) fork.index_blocks[i] = 1000000 * i + 7;
  RawBytes place(512);
  for (const Entry& entry : {Entry(FreeEntry{}), Entry(FileEntry{5, "f", 3, 2}), Entry(fork)}) {
    encode(entry, place);
    CHECK(decode_entry(place) == entry);
    for (std::size_t i = 0; i < 512; ++i) {
      RawBytes damaged = place;
      damaged[i] ^= std::byte{1};
      CHECK_FALSE(decode_entry(damaged));
    }
  }
  // What the format fixes, on every host: id at 8, name at 16, size at 80, blocks at 88, index from 92.
  CHECK(read_number<std::uint32_t>(place, 0) == 2);
  CHECK(place[8] == std::byte{8});
  CHECK(place[15] == std::byte{1});
  CHECK(place[78] == std::byte{'f'});
  CHECK(place[79] == std::byte{0});
  CHECK(place[80] == std::byte{0x55});
  CHECK(place[84] == std::byte{0x11});
  CHECK(place[88] == std::byte{9});
  CHECK(place[92] == std::byte{7});
  CHECK(read_number<std::uint32_t>(place, 508) == 104000007);
}

TEST_CASE("names have 1 to 63 bytes, none of them zero") {
  CHECK(is_name("a"));
  CHECK(is_name(std::string(63, 'x')));
  CHECK_FALSE(is_name(std::string(64, 'x')));
  CHECK_FALSE(is_name(""));
  CHECK_FALSE(is_name(std::string_view("a\0b", 3)));
}

TEST_CASE("subfile i lies on the i-th disk from the first, around the last") {
  const FileEntry file{1, "a", 3, 4};
  CHECK(file.subfile_on(4, 5) == 0);
  CHECK(file.subfile_on(1, 5) == 2);
  CHECK(file.subfile_on(2, 5) == std::nullopt);
}

TEST_CASE("an index block lists data blocks, and holes where nothing was set") {
  RawBytes block(512);
  set_data_block(block, 127, 0x01020304);
  CHECK(data_block(block, 127) == 0x01020304);
  CHECK(data_block(block, 126) == 0);
  CHECK(block[508] == std::byte{4});
}

TEST_CASE("the bits of a bitmap block are set, cleared, counted and found one by one") {
  RawBytes block(512);
  for (const std::uint32_t bit : {0u, 9u, 4095u}) bitmap::set(block, bit);
  CHECK(block[1] == std::byte{2});
  CHECK(bitmap::test(block, 9));
  CHECK_FALSE(bitmap::test(block, 8));
  CHECK(bitmap::count(block) == 3);
  bitmap::clear(block, 9);
  CHECK(bitmap::count(block) == 2);

  for (std::uint32_t bit = 3; bit < 1000; ++bit) bitmap::set(block, bit);
  CHECK(bitmap::find_free(block, 0, 4096) == 1);
  CHECK(bitmap::find_free(block, 3, 4096) == 1000);
  CHECK(bitmap::find_free(block, 3, 999) == 999);  // all are used
  CHECK(bitmap::find_free(block, 4095, 4096) == 4096);
}

TEST_CASE("the allocator takes the first free block, or run, at or after a wish, and begins again at the end") {
  Allocator allocator(small_form);
  CHECK(allocator.free_blocks() == 182);
  CHECK(allocator.allocate(0) == 18u);
  CHECK(allocator.allocate(0) == 19u);
  CHECK(allocator.allocate(199) == 199u);
  CHECK(allocator.allocate(199) == 20u);
  allocator.release(19);
  CHECK(allocator.allocate_run(2, 0) == std::vector<BlockNumber>{21, 22});
  CHECK(allocator.allocate_run(3, 197) == std::vector<BlockNumber>{23, 24, 25});
  CHECK(allocator.allocate_run(2, 197) == std::vector<BlockNumber>{197, 198});
  allocator.release(24);
  // No run of 172 blocks is left (26 to 196 are 171), so the free ones come as they are.
  const auto pieces = allocator.allocate_run(172, 190);
  REQUIRE(pieces.size() == 172);
  CHECK(pieces[6] == 196);
  CHECK(pieces[7] == 19);
  CHECK(pieces[8] == 24);
  CHECK(pieces[9] == 26);
  CHECK(allocator.free_blocks() == 1);
  CHECK(allocator.allocate_run(2, 0).empty());
  CHECK(allocator.allocate(0) == 189u);
  CHECK(allocator.allocate(0) == std::nullopt);
}

TEST_CASE("the allocator chooses as a plain set of free blocks would, and its bitmap blocks say the same") {
  RandomStream random(1, "allocator");
  for (const Form& form : {Form{512, 300, 8}, Form{512, 4096, 8}, Form{512, 9000, 8}, Form{1024, 64, 8}}) {
    Allocator allocator(form);
    std::set<BlockNumber> free;
    for (auto b = form.first_data_block(); b < form.blocks; ++b) free.insert(static_cast<BlockNumber>(b));
    const auto run_from = [&](std::uint64_t count, BlockNumber from) -> std::optional<BlockNumber> {
      for (auto at = free.lower_bound(from); at != free.end(); ++at) {
        auto last = at;
        std::uint64_t length = 0;
        while (last != free.end() && *last == *at + length) ++length, ++last;
        if (length >= count) return *at;
      }
      return std::nullopt;
    };
    for (int step = 0; step < 600; ++step) {
      const auto near = static_cast<BlockNumber>(random.below(form.blocks));
      const std::uint64_t count = 1 + random.below(step % 3 == 0 ? 100 : 4);
      if (step % 2 == 0) {
        std::vector<BlockNumber> expected;
        if (count <= free.size()) {
          auto first = run_from(count, near);
          if (!first) first = run_from(count, 0);
          auto at = free.lower_bound(first.value_or(near));
          for (; expected.size() < count; ++at) {
            if (at == free.end()) at = free.begin();
            expected.push_back(*at);
          }
        }
        REQUIRE(allocator.allocate_run(count, near) == expected);
        for (const auto b : expected) free.erase(b);
      } else {  // a little less than what is taken on average, so that the disk fills
        for (std::uint64_t i = 0; i < 6 * count; ++i) {
          const auto b = static_cast<BlockNumber>(random.below(form.blocks));
          if (!form.may_hold_data(b) || free.contains(b)) continue;
          allocator.release(b);
          free.insert(b);
        }
      }
      REQUIRE(allocator.free_blocks() == free.size());
    }
    Allocator copy(form);
    std::uint64_t used = 0;
    for (std::uint64_t i = 0; i < form.bitmap_blocks(); ++i) {
      RawBytes bytes(form.block_bytes);
      allocator.store(static_cast<BlockNumber>(1 + i), bytes);
      copy.load(static_cast<BlockNumber>(1 + i), bytes);
      used += bitmap::count(bytes);
    }
    CHECK(used == form.bitmap_blocks() * form.bits_per_block() - free.size());
    CHECK(copy.free_blocks() == free.size());
    for (BlockNumber b = 0; b < form.blocks; ++b) REQUIRE(copy.is_used(b) == !free.contains(b));
  }
}

TEST_CASE("an image holds superblock, bitmap, table and the index blocks, each right behind its data") {
  const GalleyDisks disks({small_form, small_form}, weather());
  const auto [files, metadata, findings] = disks.inspected();
  CHECK(findings == Findings{});
  CHECK(files == weather());
  std::set<BlockNumber> own;
  for (BlockNumber b = 0; b < 18; ++b) own.insert(b);
  auto first = own, second = own;
  first.insert({22, 31});
  second.insert(41);
  CHECK(metadata == std::vector<std::set<BlockNumber>>{first, second});
  for (std::size_t d = 0; d < 2; ++d) {
    CHECK(disks.images[d].size() == metadata[d].size());
    for (const auto& [block, bytes] : disks.images[d]) CHECK(metadata[d].contains(block));
  }
  CHECK(bitmap::count(disks.images[0].at(1)) == 4096 - 200 + 18 + 5);
  CHECK(bitmap::count(disks.images[1].at(1)) == 4096 - 200 + 18 + 2);
}

TEST_CASE("files that do not fit or cannot be named are refused in a sentence") {
  const auto refused = [](const std::vector<FileOnDisks>& files) {
    try {
      make_images({small_form, small_form}, files);
    } catch (const ConfigError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(refused(weather()).empty());
  CHECK(refused({{"a", 0, {{}}}, {"a", 1, {{}}}}) == "The name of a file, \"a\", occurs twice.");
  CHECK(refused({{"a", 0, {{{"f", 0, {}}, {"f", 0, {}}}}}}) ==
        "The name of a fork of file \"a\", \"f\", occurs twice.");
  CHECK_THAT(refused({{"", 0, {{}}}}), ContainsSubstring("has 0 bytes; it must have 1 to 63"));
  CHECK_THAT(refused({{"a", 0, {}}}), ContainsSubstring("has 0 subfiles; it must have 1 to 2"));
  CHECK_THAT(refused({{"a", 0, {{}, {}, {}}}}), ContainsSubstring("has 3 subfiles; it must have 1 to 2"));
  CHECK_THAT(refused({{"a", 0, {{{"f", 6'881'281, {}}}}}}), ContainsSubstring("it may have at most 6881280."));
  SubfileOnDisk many;
  for (int i = 0; i < 17; ++i) many.push_back({"f" + std::to_string(i), 0, {}});
  CHECK(refused({{"a", 1, {many}}}) == "The table of disk 1 is full: it has only 16 entries for files and forks.");
  ForkOnDisk large{"f", 182 * 512, {}};
  for (BlockNumber b = 18; b < 200; ++b) large.blocks.push_back(b);
  CHECK(refused({{"a", 1, {{large}}}}) ==
        "Fork \"f\" of file \"a\" does not fit on disk 1: no block is left for its index.");
}

TEST_CASE("the inspection finds the files of any image and nothing wrong") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    INFO("seed " << seed);
    RandomStream random(seed, "image");
    const auto number = [&](std::uint64_t from, std::uint64_t to) {
      return static_cast<std::uint32_t>(from + random.below(to - from + 1));
    };
    const std::uint32_t disks = number(1, 5);
    std::vector<Form> forms;
    std::vector<std::vector<BlockNumber>> unused(disks);
    for (std::uint32_t d = 0; d < disks; ++d) {
      forms.push_back({number(1, 8) * 512, number(1500, 9000), number(40, 100)});
      for (auto b = forms[d].first_data_block(); b < forms[d].blocks; ++b)
        unused[d].push_back(static_cast<BlockNumber>(b));
      for (std::size_t i = unused[d].size(); i-- > 1;) std::swap(unused[d][i], unused[d][random.below(i + 1)]);
    }
    std::vector<FileOnDisks> files;
    for (std::uint32_t f = number(0, 6); f-- > 0;) {
      FileOnDisks file{"file" + std::to_string(f), number(0, disks - 1), std::vector<SubfileOnDisk>(number(1, disks))};
      for (std::size_t s = 0; s < file.subfiles.size(); ++s) {
        const std::size_t disk = (file.first_disk + s) % disks;
        for (std::uint32_t k = number(0, 4); k-- > 0;) {
          const std::uint32_t bytes = number(0, 40) * number(0, 4) * 512 + number(0, 1) * number(0, 512);
          ForkOnDisk fork{"fork" + std::to_string(k), bytes, std::vector<BlockNumber>(forms[disk].blocks_for(bytes))};
          for (BlockNumber& b : fork.blocks) {
            if (unused[disk].size() < 200 || number(0, 9) == 0) continue;  // a hole
            b = unused[disk].back();
            unused[disk].pop_back();
          }
          file.subfiles[s].push_back(std::move(fork));
        }
      }
      files.push_back(std::move(file));
    }
    const GalleyDisks made(forms, files);
    const Inspection inspection = made.inspected();
    CHECK(inspection.findings == Findings{});
    CHECK(inspection.files == files);
    for (std::uint32_t d = 0; d < disks; ++d) {
      for (const auto& [block, bytes] : made.images[d]) CHECK(inspection.metadata[d].contains(block));
      for (const BlockNumber block : inspection.metadata[d]) {
        const bool of_bitmap = block >= 1 && block <= forms[d].bitmap_blocks();
        CHECK((of_bitmap || made.images[d].contains(block)));  // a bitmap block may mark nothing used
      }
    }
  }
}

TEST_CASE("unused parts of a large disk take nothing: neither in an image of it nor in memory") {
  // 1.9 TB in blocks of 4 KiB: 14,156 bitmap blocks, the first two of which are in use, and the last one for what lies
  // behind the end of the disk.
  const Form form{4096, 463'872'000, 1024};
  REQUIRE(form.bitmap_blocks() == 14'157);
  const GalleyDisks disks({form}, {{"a", 0, {{{"f", 4096, {40'000}}}}}});
  CHECK(disks.images[0].size() == 1 + 3 + form.table_blocks() + 1);
  CHECK(disks.inspected().findings == Findings{});
  Allocator allocator(form);
  RawBytes zeros(4096);
  allocator.load(5000, zeros);
  CHECK_FALSE(allocator.any_used(5000));
  CHECK(allocator.allocate_run(40'000, 50'000'000).front() == 50'000'000);
  CHECK(allocator.any_used(form.bitmap_block_of(50'000'000)));
  CHECK_FALSE(allocator.any_used(5000));
  CHECK(allocator.free_blocks() == form.blocks - form.first_data_block() - 40'000);
}

TEST_CASE("the inspection finds a superblock that is damaged or another disk's") {
  CHECK(findings_after([](GalleyDisks& d) { d.images[1][0][3] = std::byte{0}; }) ==
        Findings{"The superblock of disk 1 is damaged."});
  CHECK(findings_after([](GalleyDisks& d) { d.images[1][0] = d.images[0][0]; }) ==
        Findings{"The superblock of disk 1 describes disk 0 of 2, with 200 blocks of 512 bytes and 16 entries; it "
                 "should describe disk 1 of 2, with 200 blocks of 512 bytes and 16 entries."});
}

TEST_CASE("the inspection finds a damaged entry, and calls nothing lost that it may have used") {
  const auto flip = [](std::uint32_t disk, std::uint32_t entry, std::size_t byte) {
    const auto findings = findings_after([=](GalleyDisks& d) { d.place(disk, entry)[byte] ^= std::byte{1}; });
    CHECK(findings == Findings{"Entry " + std::to_string(entry) + " of the table of disk " + std::to_string(disk) +
                               ", in block " + std::to_string(2 + entry) + ", is damaged."});
  };
  GalleyDisks disks({small_form, small_form}, weather());
  flip(0, disks.find<ForkEntry>(0, "pressures"), 80);
  flip(home_of_matrix, disks.find<FileEntry>(home_of_matrix, "matrix"), 16);
  flip(1, 15, 100);  // a free one
}

TEST_CASE("the inspection finds a block that is used twice") {
  CHECK(findings_after([](GalleyDisks& d) {
          set_data_block(d.images[0][31], 0, 20);
          d.mark(0, 30, false);
        }) == Findings{"Block 20 of disk 0 is used twice: by fork \"temperatures\" of file \"matrix\" and by fork "
                       "\"pressures\" of file \"matrix\"."});
  CHECK(findings_after([](GalleyDisks& d) {
          set_data_block(d.images[0][22], 1, 20);
          d.mark(0, 21, false);
        }) ==
        Findings{"Block 20 of disk 0 is used twice: by fork \"temperatures\" of file \"matrix\" and by the same."});
  CHECK(findings_after([](GalleyDisks& d) {
          set_data_block(d.images[0][31], 0, 1);
          d.mark(0, 30, false);
        }) == Findings{"Block 1 of disk 0 is used twice: by the bitmap and by fork \"pressures\" of file \"matrix\"."});
  // An index block: the blocks that its fork had are out of sight, so they do not count as lost.
  CHECK(findings_after([](GalleyDisks& d) {
          d.change<ForkEntry>(0, "pressures", [](ForkEntry& f) { f.index_blocks[0] = 22; });
        }) == Findings{"Block 22 of disk 0 is used twice: by fork \"temperatures\" of file \"matrix\" and by fork "
                       "\"pressures\" of file \"matrix\"."});
}

TEST_CASE("the inspection finds blocks that the bitmap calls free though they are used") {
  CHECK(findings_after([](GalleyDisks& d) { d.mark(1, 40, false); }) ==
        Findings{"Block 40 of disk 1 is marked free, but fork \"temperatures\" of file \"matrix\" uses it."});
  CHECK(findings_after([](GalleyDisks& d) { d.mark(0, 31, false); }) ==
        Findings{"Block 31 of disk 0 is marked free, but fork \"pressures\" of file \"matrix\" uses it."});
  CHECK(findings_after([](GalleyDisks& d) { d.mark(0, 5, false); }) ==
        Findings{"Block 5 of disk 0 is marked free, but the table uses it."});
  CHECK(findings_after([](GalleyDisks& d) { d.mark(0, 210, false); }) ==
        Findings{"The bitmap of disk 0 marks block 210 free, which is outside the disk."});
}

TEST_CASE("the inspection finds lost blocks") {
  CHECK(findings_after([](GalleyDisks& d) { d.mark(0, 100, true); }) ==
        Findings{"Block 100 of disk 0 is marked used, but nothing uses it."});
  CHECK(findings_after([](GalleyDisks& d) {
          for (BlockNumber b = 190; b < 200; ++b) d.mark(1, b, true);
        }) == Findings{"Blocks 190 to 199 of disk 1 are marked used, but nothing uses them."});
  // A fork whose entry is gone: two blocks and the index.
  CHECK(findings_after([](GalleyDisks& d) { encode(FreeEntry{}, d.place(0, d.find<ForkEntry>(0, "temperatures"))); }) ==
        Findings{"Blocks 20 to 22 of disk 0 are marked used, but nothing uses them."});
}

TEST_CASE("the inspection finds block numbers outside the disk") {
  CHECK(
      findings_after([](GalleyDisks& d) {
        set_data_block(d.images[0][31], 0, 200);
        d.mark(0, 30, false);
      }) ==
      Findings{"Block 200 of disk 0, which fork \"pressures\" of file \"matrix\" uses, is outside the disk, which has "
               "200 blocks."});
  CHECK(findings_after([](GalleyDisks& d) {
          d.change<ForkEntry>(0, "pressures", [](ForkEntry& f) { f.index_blocks[0] = 4000000000; });
        }) ==
        Findings{"Block 4000000000 of disk 0, which fork \"pressures\" of file \"matrix\" uses, is outside the disk, "
                 "which has 200 blocks."});
}

TEST_CASE("the inspection finds forks and files that belong elsewhere, or nowhere") {
  CHECK(findings_after([](GalleyDisks& d) { d.change<ForkEntry>(0, "pressures", [](ForkEntry& f) { f.file = 7; }); }) ==
        Findings{"Disk 0 has an entry of fork \"pressures\" of file 7, but no file has that number."});
  // The file "empty" has its one subfile on disk 1.
  CHECK(findings_after([](GalleyDisks& d) { d.change<ForkEntry>(0, "pressures", [](ForkEntry& f) { f.file = 2; }); }) ==
        Findings{"The entry of fork \"pressures\" of file \"empty\" lies on disk 0, where the file has no subfile."});
  const auto wrong_home = std::to_string(1 - home_of_empty), home = std::to_string(home_of_empty);
  CHECK(findings_after([](GalleyDisks& d) {
          const auto place = d.place(home_of_empty, d.find<FileEntry>(home_of_empty, "empty"));
          const auto entry = *decode_entry(place);
          encode(FreeEntry{}, place);
          d.add(1 - home_of_empty, entry);
        }) == Findings{"The entry of file \"empty\" lies on disk " + wrong_home + "; the home of that name is disk " +
                       home + "."});
  CHECK(findings_after([](GalleyDisks& d) {
          d.change<FileEntry>(home_of_matrix, "matrix", [](FileEntry& f) { f.subfiles = 3; });
        }) == Findings{"The entry of file \"matrix\" on disk " + std::to_string(home_of_matrix) +
                       " says that it has 3 subfiles from disk 0 on; there are 2 disks."});
}

TEST_CASE("the inspection finds two entries of one name or id") {
  CHECK(findings_after([](GalleyDisks& d) {
          d.add(home_of_empty, FileEntry{3, "empty", 1, 0});
        }) == Findings{"Two entries of disk " + std::to_string(home_of_empty) + " have the name of file \"empty\"."});
  CHECK(findings_after([](GalleyDisks& d) {
          d.add(0, ForkEntry{1, "pressures"});
        }) == Findings{"Two entries of disk 0 have the name of fork \"pressures\" of file \"matrix\"."});
  CHECK(findings_after([](GalleyDisks& d) { d.add(1, ForkEntry{1, "pressures"}); }) == Findings{});  // another subfile
  CHECK(findings_after([](GalleyDisks& d) {
          d.add(home_disk("b", 2), FileEntry{2, "b", 1, 0});
        }) == Findings{home_disk("b", 2) < home_of_empty ? "The files \"b\" and \"empty\" have the same id, 2."
                                                         : "The files \"empty\" and \"b\" have the same id, 2."});
}

TEST_CASE("the inspection finds forks whose size and blocks do not agree") {
  const auto pressures = [](std::uint64_t bytes, std::uint32_t blocks) {
    return findings_after([=](GalleyDisks& d) {
      d.change<ForkEntry>(0, "pressures", [=](ForkEntry& f) {
        f.bytes = bytes;
        f.blocks = blocks;
      });
    });
  };
  const std::string fork = "fork \"pressures\" of file \"matrix\" on disk 0";
  CHECK(pressures(1, 1) == Findings{});
  CHECK(pressures(513, 2) == Findings{});  // ends in a hole
  CHECK(pressures(513, 1) == Findings{"The 513 bytes of " + fork + " are more than its 1 block can hold."});
  CHECK(pressures(1ull << 60, 4000000000) ==
        Findings{"The 1152921504606846976 bytes of " + fork + " are more than its 13440 blocks can hold."});
  CHECK(pressures(512, 2) == Findings{"There are blocks beyond the end of " + fork + ", which has 512 bytes."});
  CHECK(pressures(0, 0) == Findings{"There are blocks beyond the end of " + fork + ", which has 0 bytes."});
  CHECK(findings_after([](GalleyDisks& d) {
          set_data_block(d.images[0][31], 9, 150);
          d.mark(0, 150, true);
        }) == Findings{"There are blocks beyond the end of " + fork + ", which has 512 bytes."});
  CHECK(findings_after([](GalleyDisks& d) {
          d.change<ForkEntry>(0, "pressures", [](ForkEntry& f) { f.index_blocks[1] = 150; });
          d.mark(0, 150, true);
        }) == Findings{"There are blocks beyond the end of " + fork + ", which has 512 bytes."});
}
