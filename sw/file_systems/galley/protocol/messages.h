// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "sw/file_systems/galley/requests/error.h"
#include "sw/file_systems/galley/requests/extents.h"
#include "sw/messages/endpoint.h"
#include "sw/requests/selection.h"

// What compute processors and I/O processors of Galley say to each other.
namespace sunstar::file_systems::galley {

/// A request for the data of one fork. The list of its extents follows as data, and in further messages if it is long.
struct TransferRequest {
  std::uint32_t number = 0;   ///< of the request at the compute processor
  std::uint32_t device = 0;   ///< of the I/O processor's disks
  std::uint32_t fork = 0;     ///< its entry on that disk
  std::uint32_t extents = 0;  ///< of the whole list
  std::uint32_t writes = 0;   ///< whether it writes
  std::uint32_t selects = 0;  ///< whether a SentSelection comes before the extents
};
/// Records that an I/O processor is to choose by their bytes, as it travels before the extents of a request; the
/// boundaries of a selection by ranges follow it. Records are numbered through the fork's linear file.
struct SentSelection {
  requests::Selection::Function function{};
  std::uint32_t first = 0, processors = 1, wanted = 0;  ///< the chosen records are those of processor `wanted`
  std::uint32_t record_bytes = 1;
  requests::Selection::Field key;
  std::uint32_t filter_offset = 0, boundaries = 0;
  std::uint32_t unit = 1, subfiles = 1, subfile = 0;  ///< of the declustering
  std::uint64_t discarded_below = 0;

  /// The number of the record that begins at `offset` of the fork.
  std::uint64_t number(std::uint64_t offset) const {
    return ((offset / unit * subfiles + subfile) * unit + offset % unit) / record_bytes;
  }
};

/// More extents of a request, which may overtake the others.
struct MoreExtents {
  std::uint32_t number = 0;
  std::uint32_t first = 0;  ///< place of the first of them in the list
};
/// An extent as it travels: 48 bits for the offset, 48 bits for the bytes. (The paper's structures have 32 bits for
/// each, which is too little for the larger disks of the catalogue.)
struct SentExtent {
  std::uint32_t offset = 0, bytes = 0;
  std::uint16_t offset_high = 0, bytes_high = 0;

  static SentExtent of(const Extent& e) {
    return {static_cast<std::uint32_t>(e.offset), static_cast<std::uint32_t>(e.bytes),
            static_cast<std::uint16_t>(e.offset >> 32), static_cast<std::uint16_t>(e.bytes >> 32)};
  }
  Extent extent() const { return {std::uint64_t{offset_high} << 32 | offset, std::uint64_t{bytes_high} << 32 | bytes}; }
};
static_assert(sizeof(SentExtent) == 12);

/// A range of a request's stream. An I/O processor announces that it has these bytes ready, and sends them when it has
/// permission (Galley, 4.2.1 and 6.3); or it asks for them.
struct Range {
  std::uint32_t number = 0;  ///< of the request at the compute processor
  std::uint32_t bytes = 0;
  std::uint64_t position = 0;
};
/// A compute processor allows an I/O processor to send the data that it has announced.
struct Permission {
  std::uint32_t number = 0;  ///< of the request at the compute processor
};
/// The answer to a request for bytes: they are the message's data. Without data, the compute processor had taken the
/// I/O processor for gone and ended the transfer.
struct Written {
  std::uint32_t number = 0;  ///< of the request at the compute processor
};
/// A status in a byte of a header.
class ByteStatus {
 public:
  constexpr ByteStatus(hal::Status status) : status_(static_cast<std::uint8_t>(status)) {}
  constexpr operator hal::Status() const { return hal::Status{status_}; }

 private:
  std::uint8_t status_;
};
/// A request has ended (Galley, 4.2.1). If a part could not be moved, the message's data list the Extents of that part
/// in the request's stream.
struct Done {
  std::uint32_t number = 0;
  Error error = Error::none;
  ByteStatus status = hal::Status::ok;  ///< with io_error
  std::uint16_t unused = 0;
  std::uint64_t bytes = 0;  ///< moved
};

/// What a call on names and sizes asks for.
enum class Call : std::uint32_t {
  create_file,
  open_file,
  delete_file,
  list_files,
  create_fork,
  open_fork,
  delete_fork,
  list_forks,
  delete_subfile,
  extend,
  sync,
};
/// A call on names and sizes; the name follows as data.
struct NameRequest {
  Call call = Call::open_file;
  std::uint32_t device = 0;
  std::uint64_t file = 0;    ///< its number
  std::uint64_t number = 0;  ///< subfiles of a new file, or bytes that a fork is to have
  std::uint32_t other = 0;   ///< first disk of a new file, or a fork's entry
  messages::ReplyTo reply{};
};
/// The answer; names follow, each with its length before it.
struct NameAnswer {
  Error error = Error::none;
  ByteStatus status = hal::Status::ok;  ///< with io_error
  std::uint16_t padding = 0;
  std::uint32_t first_disk = 0;
  std::uint64_t file = 0;
  std::uint64_t bytes = 0;  ///< size of a fork
  std::uint32_t subfiles = 0;
  std::uint32_t entry = 0;  ///< of a fork
  std::uint32_t names = 0;
  std::uint32_t unused = 0;
};

struct Messages {
  using enum messages::Taken;
  explicit Messages(messages::Numbers& n) : numbers(n) {}
  messages::Numbers& numbers;
  // From a compute processor.
  const messages::Kind<TransferRequest> transfer{numbers, "transfer"};
  const messages::Kind<MoreExtents> more_extents{numbers, "more extents"};
  // From an I/O processor: what comes next of a read, what is wanted next of a write.
  const messages::Kind<Range> announce{numbers, "announce", always}, ask{numbers, "ask", always};
  const messages::Kind<Permission> permit{numbers, "permit", always};
  const messages::Kind<Range> data{numbers, "data", always, messages::Carries::file_data};
  const messages::Kind<Written> written{numbers, "written", always, messages::Carries::file_data};
  const messages::Kind<Done> done{numbers, "done", always};
  const messages::Kind<NameRequest> name{numbers, "name"};
};

}  // namespace sunstar::file_systems::galley
