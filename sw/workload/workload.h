// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/core/content/content.h"
#include "models/core/error.h"
#include "models/core/figure.h"
#include "models/core/quantity.h"
#include "sw/requests/access.h"
#include "sw/requests/distributions/mapping.h"
#include "sw/workload/oracle.h"

namespace sunstar::workload {

/// Messages of one size that every I/O processor (a source) sends to every compute processor (a sink): the same
/// number from each source to each sink. No sink asks for them, and no file holds their data.
struct Streams {
  std::uint32_t sources = 0, sinks = 0;
  std::uint32_t message_bytes = 0;
  std::uint32_t messages = 0;  ///< from each source to each sink

  std::uint64_t all_messages() const { return std::uint64_t{sources} * sinks * messages; }
  std::uint64_t all_bytes() const { return all_messages() * message_bytes; }
};

/// One message of a stream, counted from 0.
struct StreamMessage {
  std::uint32_t source = 0, sink = 0;
  std::uint32_t number = 0;
};

/// Knows the contents of the messages of streams, and checks them on arrival. It is no part of the machine's software.
class StreamCheck {
 public:
  explicit StreamCheck(const Streams& streams) : streams_(streams), arrived_(streams.all_messages()) {}

  /// The message's content: each stream's is that of a file of its own (Generated).
  content::Content content(const StreamMessage& m) const {
    return content::Content(content::Piece{content::source(content::Generated{stream(m), 0}), streams_.message_bytes,
                                           std::uint64_t{m.number} * streams_.message_bytes});
  }
  /// A sink has the message's data. Throws SimulationError if there is no such message, if it has arrived before, or if
  /// its length or a byte is wrong.
  void arrived(const StreamMessage& m, const content::Content& data) {
    const auto fail = [&](const auto&... what) {
      throw SimulationError("verification failed: message ", m.number, " from I/O processor ", m.source,
                            " to compute processor ", m.sink, " ", what...);
    };
    if (m.source >= streams_.sources || m.sink >= streams_.sinks || m.number >= streams_.messages)
      fail("is none of the workload's");
    if (data.size() != streams_.message_bytes)
      fail("arrived with ", data.size(), " bytes; it has ", streams_.message_bytes);
    if (const auto bad = first_difference(content(m), data)) fail("arrived with a wrong byte ", *bad);
    const std::uint64_t place = std::uint64_t{stream(m)} * streams_.messages + m.number;
    if (arrived_[place]) fail("arrived twice");
    arrived_[place] = true;
  }

 private:
  std::uint32_t stream(const StreamMessage& m) const { return m.source * streams_.sinks + m.sink; }

  Streams streams_;
  std::vector<bool> arrived_;  // by stream, then by number
};

using requests::Access;
using requests::AccessSource;
using requests::Mapping;
using requests::Operation;
using requests::Piece;
using requests::Selection;

struct ExchangeRounds;  // job.h

/// By what requests a processor gets its records (Galley, section 5).
enum class ForkInterface {
  traditional,  ///< a request for each record, one at a time for each fork
  strided,      ///< as the others below, one request for all records of a fork
  nested,
  batched,
  list
};
BOOST_DESCRIBE_ENUM(ForkInterface, traditional, strided, nested, batched, list)

/// The unit in which a file system carries out a workload.
enum class Unit : std::uint8_t {
  call,       ///< each processor's contiguous runs, one by one
  collective  ///< transfers that all processors of an application take part in
};

/// The compute processors of one application: `processors` of them from `first` on.
struct TeamRange {
  std::uint32_t first = 0, processors = 0;
  bool calls = false;  ///< the application makes calls where a file system offers calls and collectives
  bool part = false;   ///< of an application of several teams, and without figures of its own
};

/// One collective transfer: all compute processors of one application take part.
struct Collective : requests::Transfer {
  Duration think{};        ///< computing before it, the longest of its processors'
  Duration not_before{};   ///< open loop: it begins no earlier than this
  std::uint32_t team = 0;  ///< index into Workload::teams()
  bool in_step = false;    ///< its processors wait for one another before it begins
  bool sync = false;       ///< it ends when its writes and all earlier ones are on disk
};

/// Requests of one processor for the forks of a file: blocks of the file go to the disks in turn, and the blocks on one
/// disk are its fork. The processor makes the same requests of every fork.
struct ForkRequests {
  std::uint32_t file = 0;  ///< index into Workload::files()
  Operation operation = Operation::read;
  ForkInterface interface {};
  std::uint32_t permissions = 0;  ///< that the processor sets; 0: none
  std::uint32_t forks = 0;
  std::uint64_t offset = 0, record = 0, f_stride = 0, quant = 0;  ///< of the records in a fork, in bytes
  std::uint64_t memory = 0, m_stride = 0;  ///< of the records of the first fork in the processor's buffer, in bytes
  std::uint64_t memory_of_fork = 0;        ///< bytes from the records of one fork to those of the next
};

/// A file of a workload. Every file is on the disks when the run starts, with the content of version 0 (content.h),
/// unless the run creates it.
struct FileSpec {
  std::string name;
  std::uint64_t bytes = 0;
  bool read = false;
  bool written = false;
  bool whole = false;    ///< the calls together touch all of it
  bool created = false;  ///< by file systems that can; others find it on the disks
  bool blank = false;    ///< new: it has its blocks on the disks, but nothing has been written to them
};

/// What the applications do: the same transfers, as calls of single processors and as collectives.
class Workload {
 public:
  virtual ~Workload() = default;
  const std::vector<FileSpec>& files() const { return files_; }
  /// The processes. They are numbered; on most machines each has a compute processor for itself.
  virtual std::uint32_t processors() const = 0;
  virtual std::uint32_t node(std::uint32_t processor) const { return processor; }
  /// The applications, which do not wait for one another. Each compute processor belongs to one of them.
  virtual std::vector<TeamRange> teams() const { return {{0, processors()}}; }
  /// Where the parameters of an application stand in the configuration, for messages.
  virtual std::string path([[maybe_unused]] std::uint32_t team) const { return "workload"; }
  virtual std::uint64_t memory_bytes(std::uint32_t processor) const = 0;
  /// None if the workload makes collectives only.
  virtual std::unique_ptr<AccessSource> accesses([[maybe_unused]] std::uint32_t processor) const {
    return requests::source_of([](Access&) { return false; });
  }
  const std::vector<Collective>& collectives() const { return collectives_; }
  /// A processor's requests for forks, if the workload has any: its accesses are for the same bytes. Only a file system
  /// with forks can carry them out as they are meant.
  virtual std::optional<ForkRequests> fork_requests([[maybe_unused]] std::uint32_t processor) const { return {}; }
  /// Set if the workload sends messages instead of using files; they are its units in place of calls.
  virtual std::optional<Streams> streams() const { return {}; }
  /// The rounds of an application that exchanges messages instead of using files, with the times that they took; null
  /// if it does not. A unit is a round of one process, whatever the file system's unit is.
  virtual ExchangeRounds* exchange([[maybe_unused]] std::uint32_t team) const { return nullptr; }
  /// Bytes that all calls together move ("ra" counts every copy), and the number of calls. A run whose totals differ
  /// has failed.
  virtual std::uint64_t bytes_moved() const = 0;
  virtual std::uint64_t access_count() const = 0;
  /// Bytes that all collectives together move: fewer if a collective writes only once what several calls write.
  virtual std::uint64_t collective_bytes() const { return bytes_moved(); }
  /// How many calls or collectives one application makes, and the bytes they move.
  struct Totals {
    std::uint64_t units = 0, bytes = 0;
  };
  virtual Totals totals(Unit unit, [[maybe_unused]] std::uint32_t team) const {
    return unit == Unit::collective ? Totals{collectives().size(), collective_bytes()}
                                    : Totals{access_count(), bytes_moved()};
  }
  /// Whether the time decides the number of calls, which is then known only after them.
  virtual bool stops_by_time() const { return false; }
  /// A collective has been carried out, as one of its processors sees it; called for each, and once more when
  /// everything that must be on disk is there.
  virtual void carried_out(const Collective&, [[maybe_unused]] Time begin, [[maybe_unused]] Time end) const {}
  /// Which bytes must be where when the workload has been carried out.
  virtual std::unique_ptr<Oracle> oracle() const { return oracle_of_calls(*this); }
  /// Adds the workload's own figures to the results.
  virtual void add_figures(NamedFigures&) const {}
  /// Sentences about what a reader of the figures may miss.
  virtual std::vector<std::string> warnings() const { return {}; }

 protected:
  std::vector<FileSpec> files_;
  std::vector<Collective> collectives_;
};

}  // namespace sunstar::workload
