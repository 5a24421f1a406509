// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <unordered_map>

#include "models/core/content/content_map.h"

namespace sunstar::disk {

/// The content of a drive, without time: the data written; the rest is zero. It is also the back door through which a
/// run is set up and checked. Its memory grows with the pieces written, not with the size of the drive.
class Medium final : private content::ByteStore {
 public:
  /// Capacity in bytes.
  explicit Medium(std::uint64_t capacity) : capacity_(capacity) {}
  Medium(const Medium&) = delete;
  Medium& operator=(const Medium&) = delete;

  std::uint64_t capacity() const { return capacity_; }
  /// Appends the content from `offset` on. The range must lie within the capacity (asserted: the SCSI target refuses
  /// other ranges).
  void read(std::uint64_t offset, std::uint32_t bytes, content::Content& to) const;
  void write(std::uint64_t offset, const content::Content& from);
  /// Puts a source's blocks on the drive, in this order from its beginning on. Each block then takes a byte of memory,
  /// even after it has been written again in its place, in any version.
  void scatter(const std::shared_ptr<const content::Order>& order, content::Source of);
  /// The same in bytes.
  void read(std::uint64_t offset, std::span<std::byte> to) const;
  void write(std::uint64_t offset, std::span<const std::byte> from) { write(offset, content::Content(from)); }
  /// Calls visit(offset, content) for all bytes that may differ from 0, in order of offset, in parts of limited size.
  using Visit = std::function<void(std::uint64_t, const content::Content&)>;
  void for_each_written(const Visit& visit) const;
  /// Memory of the host held, in bytes.
  std::uint64_t allocated() const { return chunks_.size() * chunk_size + map_.host_bytes() + whole_.size(); }

 private:
  void read_bytes(std::uint64_t at, std::uint32_t bytes, content::Content& to) const override;
  void write_bytes(std::uint64_t at, std::span<const std::byte> from) override;

  // A source with whole blocks at their places in the order, and the same source in that order.
  struct Ordered {
    content::Source of, scattered;
  };
  // Whether `found` is the block that the order has there; it then needs no map.
  bool remember(std::uint64_t block, const content::Content& found);
  void give_to_map(std::uint64_t block);

  static constexpr std::uint64_t chunk_size = 8192;
  std::uint64_t capacity_;
  std::unordered_map<std::uint64_t, std::unique_ptr<std::byte[]>> chunks_;
  content::ContentMap map_{*this};
  std::shared_ptr<const content::Order> order_;  // null: none
  std::vector<Ordered> ordered_;
  std::vector<std::uint8_t> whole_;  // by block of the order: the number of its source, from 1 on; 0: the map has it
};

}  // namespace sunstar::disk
