// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <boost/container/flat_map.hpp>
#include <boost/icl/interval_map.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sw/file_systems/file_system.h"
#include "sw/file_systems/galley/protocol/messages.h"
#include "sw/file_systems/galley/protocol/params.h"
#include "sw/file_systems/galley/requests/chunks.h"
#include "sw/file_systems/galley/requests/extents.h"
#include "sw/os/mutex.h"

// The run-time library of Galley: what a program on a compute processor calls (Nieuwejaar and Kotz, The Galley Parallel
// File System, section 5). The calls have the paper's names. They are coroutines:
//
//   const Answer file = co_await gfs.gfs_create("matrix", 4);
//   const Answer fork = co_await gfs.gfs_create_fork(file.number, 0, "rows");
//   const Answer read = co_await gfs.gfs_read_strided(fork.number, 0, 0, 64, 1024, 64, 512);
//   if (read.error != Error::none) ... what(read.error) ...
namespace sunstar::file_systems::galley {

/// Where the chunks of a read overlap in memory. The last one in the list must win, in any order of arrival, so the
/// data of the others are dropped there.
class Overlaps {
 public:
  explicit Overlaps(const Extents& memory) {
    if (memory.apart()) return;
    for (const Extents::Piece& piece : memory.pieces())
      wins_.set({Interval::right_open(piece.offset, piece.offset + piece.bytes), piece.position - piece.offset + 1});
  }

  bool any() const { return !wins_.empty(); }

  /// Calls visit(piece) for the parts of a piece of memory that no later chunk overwrites.
  template <class Visit>
  void for_each_kept(const Extents::Piece& piece, Visit visit) const {
    if (!any()) return visit(piece);
    const std::uint64_t end = piece.offset + piece.bytes, shift = piece.position - piece.offset;
    const auto [first, last] = wins_.equal_range(Interval::right_open(piece.offset, end));
    for (auto i = first; i != last; ++i) {
      if (i->second != shift + 1) continue;
      const std::uint64_t from = std::max(i->first.lower(), piece.offset), to = std::min(i->first.upper(), end);
      visit(Extents::Piece{{from, to - from}, from + shift});
    }
  }

 private:
  using Interval = boost::icl::interval<std::uint64_t>;

  // By memory: stream position less memory offset, plus one, of the chunk that wins. 0 would be the map's neutral
  // value.
  boost::icl::interval_map<std::uint64_t, std::uint64_t> wins_;
};

struct Answer {
  Error error = Error::none;
  int number = -1;                       ///< of an opened file or fork
  std::uint64_t bytes = 0;               ///< that a transfer has moved, or the size of an opened fork
  hal::Status status = hal::Status::ok;  ///< with io_error: what the disk has answered
};

struct Names {
  Error error = Error::none;
  std::vector<std::string> names;
};

/// The library on one compute processor. Data go to and come from the processor's buffer; `buf` and memory offsets are
/// offsets into it, in bytes, so a call cannot touch other memory. Offsets into forks and sizes are in bytes, too.
///
/// A transfer checks its description first and moves nothing if that is impossible: bad_argument, overflow,
/// out_of_memory, too_deep, too_many_chunks, not_open (chunks.h). The I/O processor answers out_of_file to a read
/// behind the end of the fork, no_space to a write that finds the disk full, no_such_fork if the fork has been deleted.
/// After io_error, Transfer::missing() tells what has not been moved; the rest has. Every call on names may answer
/// io_error, or damaged if what lies on the disk cannot be right. An I/O processor that is gone is an io_error, too, of
/// status no_answer.
class Gfs final : private messages::Peers::Waiter {
 public:
  Gfs(Run& run, const Messages& messages, const Params& params, std::uint32_t processor);

  // --- files ---
  /// Creates a file of `subfiles` subfiles, each on a disk of its own from `first_disk` on, and opens it. Errors:
  /// exists, name_too_long, bad_argument, too_many_subfiles, no_space.
  os::Task<Answer> gfs_create(const std::string& name, std::int64_t subfiles, std::uint32_t first_disk = 0);
  /// Opens a file. Errors: no_such_file.
  os::Task<Answer> gfs_open(const std::string& name);
  /// Deletes a file, with all its forks, which should not be in use. Errors: no_such_file.
  os::Task<Answer> gfs_delete(const std::string& name);
  /// The names of all files, in no particular order.
  os::Task<Names> gfs_list();
  /// The disks of the file system: the most subfiles that a file can have.
  std::uint32_t gfs_disks() const { return volume_.units(); }
  /// The subfiles of an open file; 0 if it is not open.
  std::uint32_t gfs_subfiles(int file) const;

  // --- forks ---
  /// Creates a fork of a subfile, and opens it. Errors: not_open, no_such_subfile, exists, name_too_long, no_space.
  os::Task<Answer> gfs_create_fork(int file, std::uint32_t subfile, const std::string& name);
  /// Opens a fork; `bytes` of the answer is its size. Errors: not_open, no_such_subfile, no_such_fork.
  os::Task<Answer> gfs_open_fork(int file, std::uint32_t subfile, const std::string& name);
  /// Errors: not_open, no_such_subfile, no_such_fork.
  os::Task<Answer> gfs_delete_fork(int file, std::uint32_t subfile, const std::string& name);
  /// The forks of a subfile. Errors: not_open, no_such_subfile.
  os::Task<Names> gfs_list_forks(int file, std::uint32_t subfile);
  /// Gives the fork at least that size, and the disk blocks for it; the new bytes are zero. Errors: not_open,
  /// bad_argument, no_space, no_such_fork.
  os::Task<Answer> gfs_extend(int fid, std::int64_t bytes);
  /// The number by which Galley knows an open file on all its disks; 0 if it is not open.
  std::uint64_t gfs_id(int file) const;
  /// Returns when everything written so far, by any processor, is on the disks. Errors: io_error if some of it is lost
  /// and no earlier call has reported that.
  os::Task<Answer> gfs_sync();

  // --- transfers ---
  os::Task<Answer> gfs_read(int fid, std::int64_t buf, std::int64_t offset, std::int64_t bytes);
  os::Task<Answer> gfs_write(int fid, std::int64_t buf, std::int64_t offset, std::int64_t bytes);
  /// 5.1: `quant` records of `rec_size` bytes, f_stride bytes apart in the fork and m_stride bytes in memory.
  os::Task<Answer> gfs_read_strided(int fid, std::int64_t buf, std::int64_t offset, std::int64_t rec_size,
                                    std::int64_t f_stride, std::int64_t m_stride, std::int64_t quant);
  os::Task<Answer> gfs_write_strided(int fid, std::int64_t buf, std::int64_t offset, std::int64_t rec_size,
                                     std::int64_t f_stride, std::int64_t m_stride, std::int64_t quant);

  // --- transfers without waiting ---
  /// A transfer under way. It must live until it has been waited for.
  class Transfer {
   public:
    /// Whether it has ended, so that nobody would have to wait.
    bool ended() const { return ended_; }
    /// After io_error: which parts of its stream of bytes, the request's in their order, have not been moved. None: all
    /// of it.
    const std::vector<Extent>& missing() const { return missing_; }

   private:
    friend class Gfs;
    explicit Transfer(os::Os& os) : waiting_(os, "a transfer of Galley") {}
    Answer answer_;
    bool writes_ = false, selects_ = false, ended_ = false;
    Extents memory_;                    ///< where its stream lies
    std::optional<Overlaps> overlaps_;  ///< of a read
    std::vector<Extent> missing_;
    std::uint64_t arrived_ = 0;  ///< bytes of a read
    hal::NodeId server_{};
    bool done_ = false;  ///< the I/O processor has said so; data may still be on their way
    Time there_{};       ///< when the last data that have arrived are in memory
    os::WaitQueue waiting_;
  };
  using Pending = std::unique_ptr<Transfer>;
  enum class Direction : bool { read, write };
  /// Each begins a transfer, and returns when the I/O processor has been asked. Those of 5.2 to 5.4 have no call that
  /// waits: begin them, and wait with gfs_wait().
  os::Task<Pending> gfs_begin(Direction direction, int fid, std::int64_t buf, std::int64_t offset, std::int64_t bytes);
  os::Task<Pending> gfs_begin_strided(Direction direction, int fid, std::int64_t buf, std::int64_t offset,
                                      std::int64_t rec_size, std::int64_t f_stride, std::int64_t m_stride,
                                      std::int64_t quant);
  /// 5.2: the levels from the innermost to the outermost.
  os::Task<Pending> gfs_begin_nested(Direction direction, int fid, std::int64_t buf, std::int64_t offset,
                                     std::int64_t rec_size, std::span<const stride> vec);
  /// 5.3
  os::Task<Pending> gfs_begin_batched(Direction direction, int fid, std::int64_t buf, std::span<const gfs_batch> vec);
  /// 5.4
  os::Task<Pending> gfs_begin_list(Direction direction, int fid, std::span<const gfs_list_entry> list);
  /// Reads of `bytes` from `offset` on only the records that `selection` gives to `processor`; the I/O processor looks
  /// at all of them, and only those cross the network (the paper's future work). They are appended to what this call
  /// has put into the buffer before, in any order. `subfile` of `declustering` is the fork's, so that records have the
  /// numbers of the linear file. Errors, besides those of all transfers: bad_argument if a block is no whole number of
  /// records, if the range does not begin and end with one, or if a record does not fit into a packet.
  os::Task<Pending> gfs_begin_selected(int fid, std::int64_t offset, std::int64_t bytes,
                                       const requests::Selection& selection, std::uint32_t processor,
                                       std::uint32_t subfiles, std::uint32_t subfile);
  /// Limits the packets that may be under way to this processor, from 1; of no effect on machines without a limit. The
  /// paper's limit is set when it is compiled, but "it may be worth exploring the possibility" (6.3).
  void gfs_set_permissions(std::uint32_t most) { permissions_ = most; }
  os::Task<Answer> gfs_wait(Transfer& transfer);
  /// Waits until at least one of the transfers that are not null has ended, and returns its index.
  os::Task<std::size_t> gfs_wait_any(std::span<const Pending> transfers);

  os::Os& os() { return os_; }
  const messages::RemoteMemory& memory() const { return memory_; }

 private:
  struct OpenFile {
    std::uint64_t id;
    std::uint32_t subfiles, first_disk;
  };
  struct OpenFork {
    std::uint32_t disk, entry;
  };
  const OpenFile* open_file(int file) const;
  const OpenFork* open_fork(int fid) const;
  std::uint32_t disk_of(const OpenFile& file, std::uint32_t subfile) const {
    return (file.first_disk + subfile) % volume_.units();
  }
  hal::NodeId server_of(std::uint32_t disk) const;
  Bounds bounds() const;
  os::Task<NameAnswer> call(std::uint32_t disk, const NameRequest& asked, const std::string& name,
                            std::vector<std::string>* names = nullptr);
  /// Creates or opens a file at the home of its name.
  os::Task<Answer> open_home(const std::string& name, const NameRequest& asked);
  os::Task<NameAnswer> fork_call(Call which, int file, std::uint32_t subfile, const std::string& name,
                                 std::vector<std::string>* names = nullptr);
  Answer add_fork(int file, std::uint32_t subfile, const NameAnswer& answer);
  os::Task<Pending> begin(Direction direction, int fid, Expansion expansion, std::span<const std::byte> selection = {});

  void announced(hal::Message& m);
  void arrived(hal::Message& m);
  void asked(hal::Message& m);
  void done(hal::Message& m);
  void append(Transfer& transfer, hal::Message& m);
  void packet_arrived(const Range& range, Transfer& transfer);
  void lost(hal::NodeId server) override;
  /// The transfer of that number; null if it has ended because its server was taken for gone.
  Transfer* find(std::uint32_t number);
  void end_if_complete(std::uint32_t number, Transfer& transfer);
  void give_permissions();
  os::Task<> answer(hal::NodeId server, Range range);

  const Messages& messages_;
  const Params& params_;
  io::Nodes& nodes_;
  const io::Volume& volume_;
  messages::Endpoint& endpoint_;
  os::Os& os_;
  messages::RemoteMemory& memory_;
  const std::uint32_t block_bytes_;
  os::Mutex calling_;
  std::byte* const outgoing_;  // a name, or a part of a list, on its way; under calling_
  std::byte* const incoming_;  // the answer to a call on names; under calling_
  std::vector<OpenFile> files_;
  std::vector<OpenFork> forks_;
  boost::unordered_flat_map<std::uint32_t, Transfer*> transfers_;
  std::uint32_t next_ = 0;
  struct Announced {
    hal::NodeId server;
    std::uint32_t number;  // of the request
  };
  std::deque<Announced> announced_;                                      // packets that wait for permission
  std::uint32_t permissions_;                                            // the limit
  std::uint32_t permitted_ = 0;                                          // permissions that no data have used yet
  boost::container::flat_map<hal::NodeId, std::uint32_t> permitted_to_;  // the same by server, if things can fail
  std::vector<std::byte*> packets_;  // buffers for packets that are gathered from several places
  os::WaitQueue any_;
};

/// What a compute processor does, instead of the calls of a workload. It is a coroutine, called once on each processor.
using Program = std::function<os::Task<>(Gfs& gfs, std::uint32_t processor)>;

/// Galley whose compute processors run `program`. The run ends with gfs_sync() when all of them have returned; the
/// first request of the run is the start.
std::unique_ptr<FileSystem> make(const Params& params, Run& run, Program program);

}  // namespace sunstar::file_systems::galley
