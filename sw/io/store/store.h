// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <utility>

#include "models/core/content/content.h"
#include "models/core/figure.h"
#include "sw/io/layouts/layout.h"
#include "sw/io/store/disk_driver.h"
#include "sw/messages/endpoint.h"

// A block store: blocks in, blocks out, and a status at the end. It has units. A unit looks like a disk to a program: a
// run of sectors that one I/O processor serves independently of other units. The kind of store decides the number and
// places of a unit's drives (docs/decisions/0030-block-store.md).
namespace sunstar::io {

/// The place of a unit of the store, or of a drive: its I/O processor, and its number there.
struct Place {
  std::uint32_t io_processor = 0;
  std::uint32_t unit = 0;
};

/// The content of a disk, or of a unit of a store, outside simulated time: it sets up and checks a run.
class RawDisk {
 public:
  RawDisk(std::string name, const DiskShape& shape) : name_(std::move(name)), shape_(shape) {}
  virtual ~RawDisk() = default;
  const std::string& name() const { return name_; }
  const DiskShape& shape() const { return shape_; }

  /// Appends `bytes` from a sector on.
  virtual void read(std::uint64_t sector, std::uint32_t bytes, content::Content& to) const = 0;
  virtual void write(std::uint64_t sector, const content::Content& from) = 0;
  /// Fills the disk with a source's blocks in an order, from its first sector on; returns false if it cannot.
  virtual bool scatter(const std::shared_ptr<const content::Order>&, content::Source) { return false; }
  /// Calls visit(offset in bytes, content) for all content that may differ from 0, in order.
  using Visit = std::function<void(std::uint64_t offset, const content::Content&)>;
  virtual void for_each_written(const Visit& visit) const = 0;

  /// The bytes from an offset on that a drive's fault has corrupted while they passed as good (on the medium, or when
  /// read), and the bytes that were lost with a drive or its power after being reported as written.
  virtual std::uint64_t silently_wrong(std::uint64_t) const { return 0; }
  virtual std::uint64_t delivered_wrong(std::uint64_t) const { return 0; }
  virtual std::uint64_t once_wrong(std::uint64_t) const { return 0; }  ///< either, whether written again or not
  virtual std::uint64_t lost_with_power(std::uint64_t) const { return 0; }

  /// The same in bytes.
  void read(std::uint64_t sector, std::span<std::byte> to) const {
    content::Content found;
    read(sector, static_cast<std::uint32_t>(to.size()), found);
    found.make_bytes(to.data());
  }
  void write(std::uint64_t sector, std::span<const std::byte> from) { write(sector, content::Content(from)); }

 private:
  const std::string name_;
  const DiskShape shape_;
};

/// A drive of the machine; its number counts the block devices of its I/O processor.
struct Drive {
  Place place;
  std::unique_ptr<RawDisk> bytes;
};

class Store {
 public:
  virtual ~Store() = default;
  /// The places of the units, in the order in which files go round them.
  const std::vector<Place>& units() const { return units_; }
  std::uint32_t sector_bytes() const { return sector_bytes_; }

  /// A unit's content as files see it, before and after a run.
  virtual RawDisk& raw(std::uint32_t unit) = 0;
  /// A fault of the redundancy on the media after a run, as a sentence without a full stop; nothing if all checks match
  /// the data.
  virtual std::optional<std::string> fault() const { return std::nullopt; }
  /// Adds sections of figures to a run's result, and the store's handling of faults to the section of faults.
  virtual void add_figures(NamedFigures&) const {}
  virtual void add_fault_figures(NamedFigures&) const {}
  /// Numbers the messages between the store's parts at I/O processors, if any; to be called before serve().
  virtual void number_messages(messages::Protocol&) {}
  /// Starts the store's part at an I/O processor, which has these drives. Both live as long as the simulation.
  virtual StoreServer& serve(std::uint32_t io_processor, messages::Endpoint& endpoint, DiskDrivers& drivers) = 0;

 protected:
  explicit Store(std::uint32_t sector_bytes) : sector_bytes_(sector_bytes) {}
  std::vector<Place> units_;

 private:
  const std::uint32_t sector_bytes_;
};

}  // namespace sunstar::io
