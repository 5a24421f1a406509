// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe/enum.hpp>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "models/core/quantity.h"
#include "models/node/hal.h"

namespace sunstar::os {
class Os;
class WaitQueue;
}  // namespace sunstar::os

// What applications ask of a file system. A file system and a workload both know it, and neither knows more of the
// other.
namespace sunstar::requests {

BOOST_DEFINE_FIXED_ENUM_CLASS(Operation, std::uint8_t, read, write)

/// One call of an application on a compute processor: a contiguous run of one file.
struct Access {
  std::uint32_t file = 0;  ///< index into the files of the workload
  Operation operation = Operation::read;
  std::uint64_t offset = 0;  ///< bytes into the file
  std::uint64_t memory = 0;  ///< bytes into this processor's buffer
  std::uint64_t bytes = 0;
  Duration think{};       ///< computing between the end of the previous call and this one
  Duration not_before{};  ///< open loop: the call is made no earlier than this, counted from the start of the run
  /// The processor waits before this access until all others have come as far. An access of no bytes only waits. Every
  /// processor has the same number of such accesses.
  bool in_step = false;
  /// A write after which no cache may return an older copy. File systems without copies in clients treat it as any
  /// other write.
  bool coherent = false;
  /// An access of no bytes: the processor closes its files, and its node sends their changed bytes to the servers.
  bool close = false;
  /// An access of no bytes: the processor waits until everything that its application has written is on disk. Every
  /// processor has the same number of such accesses.
  bool sync = false;
  bool single = false;  ///< a call by itself: no other continues it
};

/// A run of bytes that lies contiguously in the file and in the memory of one compute processor.
struct Piece {
  std::uint32_t processor = 0;      ///< compute processor, counted from 0
  std::uint64_t file_offset = 0;    ///< bytes
  std::uint64_t memory_offset = 0;  ///< bytes into that processor's buffer
  std::uint64_t bytes = 0;
  bool operator==(const Piece&) const = default;
};

/// The calls of one compute processor, in order.
class AccessSource {
 public:
  virtual ~AccessSource() = default;
  /// Fills `next` and returns true, or returns false after the last call.
  virtual bool next(Access& next) = 0;
  /// A program that makes the calls tells the time before it takes each of them, and at the end. A caller that only
  /// lists the calls does not.
  virtual void tell(Time) {}
  /// A program asks this then: while the next call may not be made yet, where its thread waits for that; otherwise
  /// null.
  virtual os::WaitQueue* blocked(os::Os&) { return nullptr; }
};

/// A source of calls whose next() is `next(access)`.
template <class Next>
std::unique_ptr<AccessSource> source_of(Next next) {
  class Source final : public AccessSource {
   public:
    explicit Source(Next n) : next_(std::move(n)) {}
    bool next(Access& access) override { return next_(access); }

   private:
    Next next_;
  };
  return std::make_unique<Source>(std::move(next));
}

/// A source of these calls, which must live as long.
inline std::unique_ptr<AccessSource> source_of(const std::vector<Access>& calls) {
  return source_of([&calls, at = std::size_t{0}](Access& next) mutable {
    if (at == calls.size()) return false;
    next = calls[at++];
    return true;
  });
}

/// The calls that a compute processor has still to make, with a look at the next one.
class Calls {
 public:
  explicit Calls(std::unique_ptr<AccessSource> source) : source_(std::move(source)) {}

  /// Tells the time, unless the next call is known already.
  void tell(Time now) {
    if (!looked_) source_->tell(now);
  }
  os::WaitQueue* blocked(os::Os& os) { return looked_ ? nullptr : source_->blocked(os); }
  /// Takes the next call; returns false after the last one.
  bool next(Access& call) {
    if (!looked_) return source_->next(call);
    looked_ = false;
    call = ahead_;
    return more_;
  }
  /// Takes the next call if it continues `call`: same file, direction and coherence, made at once and without waiting
  /// for anybody.
  bool continues(Access& call) {
    if (call.single) return false;
    if (!looked_) more_ = source_->next(ahead_);
    looked_ = true;
    return more_ && ahead_.file == call.file && ahead_.operation == call.operation &&
           ahead_.coherent == call.coherent && ahead_.bytes > 0 && !ahead_.in_step && ahead_.think == Duration{} &&
           ahead_.not_before == Duration{} && next(call);
  }

 private:
  std::unique_ptr<AccessSource> source_;
  Access ahead_;
  bool looked_ = false, more_ = false;  // whether `ahead_` is known, and whether there is one
};

/// A unit that has ended, or several that were carried out as one.
struct Ended {
  std::uint32_t processor;  ///< that asked for it; of a collective, the one that leads its team
  Time start, end;          ///< at the processor
  std::uint64_t units = 1;
  std::uint64_t bytes = 0;               ///< 0 of a collective
  const Access* call = nullptr;          ///< the first of the calls; null if there was no call, or none of one file
  hal::Status status = hal::Status::ok;  ///< what it returned
};

/// A run of a file's bytes that could not be read, or that was written and may not be on the medium.
struct Failed {
  std::uint32_t file = 0;
  Operation operation = Operation::read;
  std::uint64_t offset = 0, bytes = 0;
  hal::Status status = hal::Status::ok;
};

/// Receives what a file system has done.
class Recorder {
 public:
  /// A unit begins, at the processor that asked for it.
  virtual void begin(Time start, std::uint32_t processor) = 0;
  virtual void end(const Ended& ended) = 0;
  /// Bytes of units have been moved; each byte counts once.
  virtual void moved(std::uint64_t bytes) = 0;
  /// Bytes of units that were not moved, because something failed; each byte counts once, here or as moved.
  virtual void not_moved(std::uint64_t bytes) = 0;
  /// A failure has been reported: a call, a collective or a synchronisation returns it.
  virtual void failed(const Failed& failed) = 0;
  /// An I/O processor has not answered a synchronisation: bytes written there may not be on the medium.
  virtual void unsynced(std::uint32_t io_processor) = 0;
  /// A part of a unit, or a block of a flush, is done. Progress displays use this.
  virtual void progress(std::uint64_t bytes) = 0;

 protected:
  ~Recorder() = default;
};

}  // namespace sunstar::requests
