// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "models/core/content/content.h"

// Which bytes must be where when a run has ended. The workload alone decides that: nothing here knows how a file system
// works, so a file system that moves bytes wrongly cannot agree with its own mistake.
namespace sunstar::workload {

class Workload;

/// A version of a file's content (content.h): what is on the disks before the run, what the run writes or, for each
/// byte, either of them.
enum class Version : std::uint8_t { before, after, either };
/// The version's number in generated content; not for `either`.
constexpr std::uint32_t number(Version v) { return v == Version::after ? 1 : 0; }

struct ExpectedBytes {
  std::uint32_t file = 0;
  std::uint64_t offset = 0;  ///< into the file
  std::uint64_t bytes = 0;
  Version version = Version::before;
  bool blank = false;  ///< of a new file, which has zeros before

  /// Some of them.
  ExpectedBytes part(std::uint64_t from, std::uint64_t count) const {
    return {file, offset + from, count, version, blank};
  }
};

/// A run of a file's bytes in a processor's buffer.
struct BytesInMemory : ExpectedBytes {
  std::uint64_t memory = 0;  ///< where it begins in the buffer
};

/// Records of a file that follow one another in a processor's buffer, in any order; each occurs as often as it is
/// listed.
struct RecordsInMemory {
  std::uint64_t memory = 0;
  std::uint32_t record_bytes = 1;
  std::uint32_t file = 0;
  std::vector<std::uint64_t> offsets;  ///< of the records in the file
  Version version = Version::before;   ///< `before` or `after` only
};

using InMemory = std::variant<BytesInMemory, RecordsInMemory>;

/// Knows which bytes a workload leaves behind.
class Oracle {
 public:
  virtual ~Oracle() = default;
  /// Calls visit for runs that together make up the file, in order of offset, whether the run writes the file or not.
  virtual void on_medium(std::uint32_t file, const std::function<void(const ExpectedBytes&)>& visit) const = 0;
  /// Calls visit for everything that must be in the processor's buffer.
  virtual void in_memory(std::uint32_t processor, const std::function<void(const InMemory&)>& visit) const = 0;
};

/// The oracle of a workload whose calls say where everything goes: written bytes must be on the medium, and read bytes
/// in the reader's buffer. A read of bytes that the run also writes may see them before or after the write.
std::unique_ptr<Oracle> oracle_of_calls(const Workload& workload);

/// The sources of files' bytes. It remembers the last: short accesses ask for the same file again and again.
class FileSources {
 public:
  content::Source of(std::uint32_t file, Version version) {
    const content::Generated wanted{file, number(version)};
    if (wanted != last_) source_ = content::source(last_ = wanted);
    return source_;
  }

 private:
  content::Generated last_{};
  content::Source source_ = content::source(last_);
};

/// Returns the offset in the file of the first byte of `found` that is not as expected; nothing if all are. `found`
/// holds exactly the expected run.
std::optional<std::uint64_t> first_wrong(const ExpectedBytes& expected, const content::Content& found);
/// Checks whether a buffer's content from `memory` on are the expected records; read(place, bytes) returns it part by
/// part. Returns nothing if they are, otherwise the first place in the buffer that holds no expected record, or one too
/// many.
std::optional<std::uint64_t> first_wrong(const RecordsInMemory& expected,
                                         const std::function<content::Content(std::uint64_t, std::uint32_t)>& read);

/// FNV-1a of the bytes (Fowler, Noll, Vo), by words of eight.
std::uint64_t digest(std::span<const std::byte> data);

}  // namespace sunstar::workload
