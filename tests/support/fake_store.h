// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sw/io/store/plain/plain.h"
#include "tests/support/fake_node.h"

namespace sunstar::test {

/// The bytes of a disk that lie in a vector, in sectors of 512.
class BytesOfDisk final : public io::RawDisk {
 public:
  BytesOfDisk(std::string name, std::vector<std::byte>& bytes)
      : RawDisk(std::move(name), {bytes.size() / 512, 512, 72}), bytes_(bytes) {}
  using RawDisk::read;
  using RawDisk::write;
  void read(std::uint64_t sector, std::uint32_t bytes, content::Content& to) const override {
    to.append(std::span(bytes_).subspan(sector * 512, bytes));
  }
  void write(std::uint64_t sector, const content::Content& from) override { from.make_bytes(&bytes_[sector * 512]); }
  void for_each_written(const Visit& visit) const override { visit(0, content::Content(bytes_)); }

 private:
  std::vector<std::byte>& bytes_;
};

/// Gives each of `io` nodes from `first` on that many disks, and lists them in the order of a stripe.
inline std::vector<io::Drive> add_disks(FakeMachine& machine, std::size_t first, std::uint32_t io,
                                        std::uint32_t disks_each, std::uint64_t sectors) {
  std::vector<io::Drive> drives;
  for (std::uint32_t d = 0; d < disks_each; ++d)
    for (std::uint32_t i = 0; i < io; ++i) {
      const std::string name = machine[first + i].name() + "_disk" + std::to_string(d);
      drives.push_back({{i, d}, std::make_unique<BytesOfDisk>(name, machine[first + i].add_disk(sectors).bytes)});
    }
  return drives;
}

/// What the store takes for lost.
inline std::vector<io::LostWrite> lost_writes(os::Os& os, FakeMachine& machine, io::StoreServer& store) {
  std::vector<io::LostWrite> lost;
  const auto task = [&]() -> os::Task<> { lost = co_await store.take_lost_writes(); };
  os.spawn(task(), "test");
  machine.timeline.run();
  return lost;
}

/// A plain store of such disks.
inline std::unique_ptr<io::Store> plain_store(FakeMachine& machine, std::size_t first, std::uint32_t io,
                                              std::uint32_t disks_each, std::uint64_t sectors) {
  return io::plain::make({}, add_disks(machine, first, io, disks_each, sectors));
}

}  // namespace sunstar::test
