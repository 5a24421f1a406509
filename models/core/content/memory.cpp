// SPDX-License-Identifier: MIT
#include "models/core/content/memory.h"

namespace sunstar::content {

void Memory::read_bytes(std::uint64_t at, std::uint32_t bytes, Content& to) const {
  to.append(std::span<const std::byte>(base_ + at, bytes));
}

void Memory::write_bytes(std::uint64_t at, std::span<const std::byte> from) {
  std::memcpy(base_ + at, from.data(), from.size());
}

void Memory::copy_described(std::byte* to, const std::byte* from, std::uint64_t n) {
  for_each_part(n, [&](std::uint64_t done, std::uint32_t bytes) {
    Content content;
    read(from + done, bytes, content);
    write(to + done, content);
  });
}

const std::byte* Memory::look_described(const std::byte* at, std::uint32_t n, std::vector<std::byte>& room) const {
  Content content;
  read(at, n, content);
  room.resize(n);
  content.make_bytes(room.data());
  return room.data();
}

void Memory::clear(std::byte* at, std::uint64_t n) {
  for_each_part(n, [&](std::uint64_t done, std::uint32_t bytes) {
    map_.put(address_of(at) + done, {Source::zero, bytes, 0});
  });
}

}  // namespace sunstar::content
