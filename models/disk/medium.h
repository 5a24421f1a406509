// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>

namespace sunstar::disk {

/// The bytes of a drive, without time: chunks that have been written; the rest is zero. It is also the back door
/// through which a run is set up and checked. Its memory grows with the chunks written, not with the size of the drive.
class Medium {
 public:
  /// Capacity in bytes.
  explicit Medium(std::uint64_t capacity) : capacity_(capacity) {}

  std::uint64_t capacity() const { return capacity_; }
  /// Copies bytes from `offset` on. The range must lie within the capacity (asserted: the SCSI target refuses others).
  void read(std::uint64_t offset, std::span<std::byte> to) const;
  void write(std::uint64_t offset, std::span<const std::byte> from);
  /// Calls visit(offset, bytes) for all bytes that may differ from 0, in order of offset.
  void for_each_chunk(const std::function<void(std::uint64_t, std::span<const std::byte>)>& visit) const;
  /// Memory held, in bytes.
  std::uint64_t allocated() const { return chunks_.size() * chunk_size; }

 private:
  static constexpr std::uint64_t chunk_size = 8192;
  std::uint64_t capacity_;
  std::unordered_map<std::uint64_t, std::unique_ptr<std::byte[]>> chunks_;
};

}  // namespace sunstar::disk
