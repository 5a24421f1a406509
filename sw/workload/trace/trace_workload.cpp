// SPDX-License-Identifier: MIT
#include <re2/re2.h>

#include <set>
#include <sstream>
#include <unordered_map>
#include <unordered_set>

#include "sw/requests/distributions/list_mapping.h"
#include "sw/workload/trace/trace.h"

namespace sunstar::workload {
namespace {

/// Names of files by a pattern; a match takes time in proportion to the name's length, for any pattern.
std::unique_ptr<RE2> expression(const std::string& key, const std::string& pattern) {
  if (pattern.empty()) return nullptr;
  auto compiled = std::make_unique<RE2>(pattern, RE2::Quiet);
  if (!compiled->ok())
    throw ConfigError("workload.", key, ": ", in_quotes(pattern), " is not a regular expression (",
                      in_quotes(compiled->error()), "); it must be one in RE2's syntax.");
  return compiled;
}

std::uint64_t stream_key(std::uint32_t rank, std::uint32_t file, Operation op) {
  return static_cast<std::uint64_t>(rank) << 32 | file << 1 | (op == Operation::write ? 1u : 0u);
}

/// Requests of a trace by their fates; lines_read is the sum, in requests and in bytes. The bytes of Fate::cut_out
/// include those that `lengths` cuts from kept requests.
struct TraceCounts {
  struct Count {
    std::uint64_t requests = 0, bytes = 0;
    void add(std::uint64_t of_request) {
      ++requests;
      bytes += of_request;
    }
  };
  Count& operator[](Fate fate) { return by_fate[static_cast<std::size_t>(fate)]; }
  const Count& operator[](Fate fate) const { return by_fate[static_cast<std::size_t>(fate)]; }

  Count lines_read;
  std::array<Count, static_cast<std::size_t>(Fate::kept) + 1> by_fate;
  /// Bytes of kept requests that another request of the same write collective also writes. Calls move them;
  /// collectives need not.
  std::uint64_t written_twice = 0;
};

/// Statistics of requests, of the whole trace or of the kept part.
struct TraceShape {
  TraceCounts::Count reads, writes;
  std::uint64_t files = 0, ranks = 0;
  std::uint64_t shortest = 0, median = 0, longest = 0;  ///< lengths, zero-length requests aside
};

/// Gathers them.
class ShapeOf {
 public:
  void add(const TraceRequest& r, std::uint64_t bytes) {
    (r.operation == Operation::read ? shape_.reads : shape_.writes).add(bytes);
    files_.insert(r.file);
    ranks_.insert(r.rank);
    if (bytes != 0) lengths_.push_back(bytes);
  }
  TraceShape shape() {
    shape_.files = files_.size(), shape_.ranks = ranks_.size();
    if (!lengths_.empty()) {
      const auto middle = lengths_.begin() + static_cast<std::ptrdiff_t>((lengths_.size() - 1) / 2);
      std::ranges::nth_element(lengths_, middle);
      shape_.median = *middle;
      const auto [shortest, longest] = std::ranges::minmax(lengths_);
      shape_.shortest = shortest, shape_.longest = longest;
    }
    return shape_;
  }

 private:
  TraceShape shape_;
  std::unordered_set<std::uint32_t> files_, ranks_;
  std::vector<std::uint64_t> lengths_;
};

void check_limits(const Trace& trace, const TraceRequest& r, const ScaledRequest& scaled) {
  if (scaled.bytes <= most_request_bytes && scaled.offset <= most_file_bytes - scaled.bytes) return;
  throw ConfigError(trace.path, ":", r.line, ": the request of ", scaled.bytes, scaled.bytes == 1 ? " byte" : " bytes",
                    " at offset ", scaled.offset, " is too large; it must have at most ", most_request_bytes,
                    " bytes and end by ", most_file_bytes, " (workload.scale.lengths shrinks both).");
}

// Calls of one rank with the same file and operation, one after the other.
struct CallRun {
  std::size_t group;
  std::vector<std::size_t> calls;
};

// The runs that are to be one collective.
struct Group {
  std::size_t first_call = SIZE_MAX;  // its first call; calls are numbered in order of start time
  std::size_t members = 0;            // runs not yet placed
  std::vector<std::size_t> arrived;   // streams that have reached their run of this group
};

// Orders the runs of all streams into collectives; each collective is a list of call numbers.
std::vector<std::vector<std::size_t>> order_runs(const std::vector<std::vector<CallRun>>& streams,
                                                 std::vector<Group>& groups) {
  std::vector<std::vector<std::size_t>> ordered;
  std::vector<std::size_t> head(streams.size(), 0);
  using Entry = std::pair<std::size_t, std::size_t>;  // first call, group
  std::set<Entry> ready, waiting;
  const auto arrive = [&](std::size_t stream) {
    if (head[stream] == streams[stream].size()) return;
    const std::size_t g = streams[stream][head[stream]].group;
    Group& group = groups[g];
    group.arrived.push_back(stream);
    const Entry entry{group.first_call, g};
    if (group.arrived.size() < group.members) {
      waiting.insert(entry);
    } else {
      waiting.erase(entry);
      ready.insert(entry);
    }
  };
  for (std::size_t stream = 0; stream < streams.size(); ++stream) arrive(stream);
  while (!ready.empty() || !waiting.empty()) {
    auto& from = ready.empty() ? waiting : ready;
    Group& group = groups[from.begin()->second];
    from.erase(from.begin());
    const std::vector<std::size_t> going = std::move(group.arrived);
    group.arrived.clear();
    group.members -= going.size();
    auto& calls = ordered.emplace_back();
    for (std::size_t stream : going) {
      const CallRun& run = streams[stream][head[stream]++];
      calls.insert(calls.end(), run.calls.begin(), run.calls.end());
    }
    for (std::size_t stream : going) arrive(stream);
  }
  return ordered;
}

/// The requests of a real application, replayed by the compute processors: docs/workloads.md, "Traces", says which
/// become calls of which processor, when they are made, and what forms a collective.
///
/// Each kept request has a region of its own in its processor's buffer, aligned to 8 bytes; regions follow one another
/// collective by collective and, within one, in file order. A processor's think time before a call is the call's start
/// less the latest end of its earlier calls, or zero if they overlap; the think time of a request that is filtered, of
/// length 0, cut out or to another file is added to the next kept call's. Requests outside the window and those of
/// other ranks count as if they were not in the trace. bytes_moved() and access_count() count the calls.
class TraceWorkload final : public Workload {
 public:
  /// Throws ConfigError if the trace or a parameter cannot be used, or no request is kept.
  TraceWorkload(const TraceParams& params, std::uint32_t processors) {
    if (processors == 0) throw ConfigError("A trace cannot be replayed by 0 compute processors; at least 1 is needed.");
    std::vector<Call> calls = keep(read_trace(params.trace.string(), params.time_unit), params, processors);
    form_collectives(calls);
    calls_.resize(processors);
    for (const Call& call : calls) calls_[call.processor].push_back(call.access);
  }

  std::uint32_t processors() const override { return static_cast<std::uint32_t>(calls_.size()); }
  std::uint64_t memory_bytes(std::uint32_t processor) const override { return (*memory_)[processor]; }
  std::unique_ptr<AccessSource> accesses(std::uint32_t processor) const override {
    return requests::source_of(calls_[processor]);
  }
  std::uint64_t bytes_moved() const override { return counts_[Fate::kept].bytes; }
  std::uint64_t access_count() const override { return counts_[Fate::kept].requests; }
  std::uint64_t collective_bytes() const override { return counts_[Fate::kept].bytes - counts_.written_twice; }

  /// The section "trace": its counts, and how the kept part compares with the whole.
  void add_figures(NamedFigures& figures) const override {
    NamedFigures& all = figures.section("trace");
    const auto add = [](NamedFigures& to, const char* name, const TraceCounts::Count& n) -> NamedFigures& {
      NamedFigures& section = to.section(name);
      section.add("requests", n.requests);
      section.add("bytes", n.bytes);
      return section;
    };
    const auto add_with_shape = [&](const char* name, const TraceCounts::Count& n, const TraceShape& shape) {
      NamedFigures& section = add(all, name, n);
      add(section, "reads", shape.reads);
      add(section, "writes", shape.writes);
      section.add("files", shape.files);
      section.add("ranks", shape.ranks);
      section.add("shortest", shape.shortest);
      section.add("median", shape.median);
      section.add("longest", shape.longest);
    };
    add_with_shape("lines_read", counts_.lines_read, shape_);
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<Fate>>([&](auto fate) {
      if (fate.value == Fate::kept) add_with_shape(fate.name, counts_[fate.value], kept_shape_);
      else add(all, fate.name, counts_[fate.value]);
    });
    NamedFigures& pace = all.section("pace");
    pace.add("said", said_of_pace());
    pace.add("think_s", think_);
    pace.add("recorded_s", recorded_);
    pace.add("requests", counts_[Fate::kept].requests);
  }

  /// Warns that processors without a rank do nothing, but may bring their caches.
  std::vector<std::string> warnings() const override {
    if (kept_shape_.ranks >= processors()) return {};
    return {"the trace has " + std::to_string(kept_shape_.ranks) +
            (kept_shape_.ranks == 1 ? " rank for " : " ranks for ") + std::to_string(processors()) +
            " compute processors: the others have nothing to do, but caches that grow with their number are as large "
            "as for all"};
  }

 private:
  struct Call {
    std::uint32_t processor, rank;
    Access access;
  };
  std::string said_of_pace() const {
    std::ostringstream said;
    if (pacing_ == Pacing::back_to_back) said << "calls back to back; workload.pacing=think-times would add";
    else if (pacing_ == Pacing::think_times) said << "calls with the trace's think times,";
    else said << "no call before its time in the trace, which has think times of";
    said << " up to " << think_ << " s for a processor";
    return said.str();
  }
  // Filters, scales and paces. The calls come in order of start time, then rank, then line.
  std::vector<TraceWorkload::Call> keep(const Trace& trace, const TraceParams& params, std::uint32_t processors) {
    const Pacing pacing = params.pacing;
    const auto include = expression("include", params.include), exclude = expression("exclude", params.exclude);
    std::vector<char> wanted;
    for (const std::string& name : trace.files)
      wanted.push_back((!include || RE2::PartialMatch(name, *include)) &&
                       !(exclude && RE2::PartialMatch(name, *exclude)));

    const auto& requests = trace.requests;
    std::vector<std::size_t> order(requests.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::pair(requests[i].start, requests[i].rank); });

    const std::vector<ScaledRequest> as_made = scaled(trace, wanted, params.scale);
    const auto first = std::ranges::find(order, Fate::kept, [&](std::size_t i) { return as_made[i].fate; });
    const double origin = first == order.end() ? 0 : requests[*first].start;

    ShapeOf whole, kept;
    double end = origin;
    std::vector<double> thought(processors, 0);
    std::vector<std::uint32_t> number(trace.files.size(), UINT32_MAX);  // by file: its number among the kept files
    std::vector<double> busy_until(processors, origin), computed(processors, 0);
    std::vector<Call> calls;
    for (std::size_t i : order) {
      const TraceRequest& r = requests[i];
      const ScaledRequest& made = as_made[i];
      whole.add(r, r.bytes);
      counts_.lines_read.add(r.bytes);
      counts_[made.fate].add(made.fate == Fate::kept ? made.bytes : r.bytes);
      if (made.fate == Fate::outside_window || made.fate == Fate::other_ranks) continue;

      const std::uint32_t processor = r.rank % processors;
      computed[processor] += std::max(0.0, r.start - busy_until[processor]);
      busy_until[processor] = std::max(busy_until[processor], r.end);
      if (made.fate != Fate::kept) continue;
      check_limits(trace, r, made);
      counts_[Fate::cut_out].bytes += r.bytes - made.bytes;
      kept.add(r, made.bytes);
      end = std::max(end, r.end);
      thought[processor] += computed[processor];
      if (number[r.file] == UINT32_MAX) {
        number[r.file] = static_cast<std::uint32_t>(files_.size());
        files_.push_back({trace.files[r.file], 0, false, false});
      }
      FileSpec& file = files_[number[r.file]];
      file.bytes = std::max(file.bytes, made.offset + made.bytes);
      (r.operation == Operation::read ? file.read : file.written) = true;

      Access access;
      access.file = number[r.file];
      access.operation = r.operation;
      access.offset = made.offset;
      access.bytes = made.bytes;
      if (pacing == Pacing::open_loop && r.start - origin > seconds(horizon))
        throw ConfigError(
            trace.path, ": a request starts ", r.start - origin,
            " s after the first; at most 4611686 s can be replayed in an open loop (is the unit of the times right?).");
      if (pacing == Pacing::think_times && computed[processor] > seconds(longest_duration))
        throw ConfigError(trace.path, ": a rank computes for ", computed[processor],
                          " s before a request; at most 1152921 s can be replayed (is the unit of the times right?).");
      if (pacing == Pacing::think_times) access.think = from_seconds(computed[processor]);
      if (pacing == Pacing::open_loop) access.not_before = Duration{std::llround((r.start - origin) * 1e12)};
      computed[processor] = 0;
      calls.push_back({processor, r.rank, access});
    }
    shape_ = whole.shape(), kept_shape_ = kept.shape();
    pacing_ = pacing, recorded_ = end - origin, think_ = std::ranges::max(thought);
    if (calls.empty())
      throw ConfigError(trace.path, ": none of the ", counts_.lines_read.requests, " requests can be replayed (",
                        counts_[Fate::filtered].requests, " filtered by name, ", counts_[Fate::zero_length].requests,
                        " of length 0, ", counts_[Fate::outside_window].requests, " outside the window of time, ",
                        counts_[Fate::cut_out].requests, " cut out); at least one must be left.");
    memory_ = std::make_shared<std::vector<std::uint64_t>>(processors, 0);
    return calls;
  }

  // Forms and orders the collectives and gives each call its place in memory.
  void form_collectives(std::vector<Call>& calls) {
    std::vector<std::vector<CallRun>> streams;  // of each rank
    std::vector<Group> groups;
    std::map<std::uint32_t, std::size_t> stream_of_rank;
    std::unordered_map<std::uint64_t, std::size_t> runs_so_far;             // of a rank, file and operation
    std::map<std::pair<std::uint64_t, std::size_t>, std::size_t> group_of;  // (file and operation, run number)
    for (std::size_t c = 0; c < calls.size(); ++c) {
      const Access& access = calls[c].access;
      const auto [known, is_new] = stream_of_rank.try_emplace(calls[c].rank, streams.size());
      if (is_new) streams.emplace_back();
      auto& stream = streams[known->second];
      if (stream.empty() || calls[stream.back().calls.back()].access.file != access.file ||
          calls[stream.back().calls.back()].access.operation != access.operation) {
        const std::size_t run = runs_so_far[stream_key(calls[c].rank, access.file, access.operation)]++;
        const auto [group, first] =
            group_of.try_emplace({stream_key(0, access.file, access.operation), run}, groups.size());
        if (first) groups.emplace_back();
        ++groups[group->second].members;
        groups[group->second].first_call = std::min(groups[group->second].first_call, c);
        stream.push_back({group->second, {}});
      }
      stream.back().calls.push_back(c);
    }

    std::vector<std::vector<std::size_t>> merged;
    for (auto& next : order_runs(streams, groups)) {
      const auto same = [&](const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
        return calls[a[0]].access.file == calls[b[0]].access.file &&
               calls[a[0]].access.operation == calls[b[0]].access.operation;
      };
      if (!merged.empty() && same(merged.back(), next))
        merged.back().insert(merged.back().end(), next.begin(), next.end());
      else merged.push_back(std::move(next));
    }

    std::vector<std::vector<requests::Piece>> runs(merged.size());
    for (std::size_t i = 0; i < merged.size(); ++i) {
      auto& members = merged[i];
      std::ranges::sort(members, {}, [&](std::size_t c) { return std::pair(calls[c].access.offset, c); });
      Collective collective;
      collective.file = calls[members[0]].access.file;
      collective.operation = calls[members[0]].access.operation;
      std::map<std::uint32_t, Duration> think, arrival;  // by processor, by rank
      for (std::size_t c : members) {
        Call& call = calls[c];
        std::uint64_t& memory = (*memory_)[call.processor];
        call.access.memory = memory;
        memory += (call.access.bytes + 7) / 8 * 8;
        runs[i].push_back({call.processor, call.access.offset, call.access.memory, call.access.bytes});
        Duration& all = think[call.processor];
        all = std::min(all + call.access.think, horizon - Time{});
        const auto [rank, first] = arrival.try_emplace(call.rank, call.access.not_before);
        if (!first) rank->second = std::min(rank->second, call.access.not_before);
      }
      for (const auto& entry : think) collective.think = std::max(collective.think, entry.second);
      for (const auto& entry : arrival) collective.not_before = std::max(collective.not_before, entry.second);
      collectives_.push_back(std::move(collective));
    }
    // Only now do the buffers have their final sizes.
    for (std::size_t i = 0; i < merged.size(); ++i) {
      Collective& collective = collectives_[i];
      const bool reads = collective.operation == Operation::read;
      const auto mapping = std::make_shared<requests::ListMapping>(
          files_[collective.file].bytes, memory_, std::move(runs[i]),
          reads ? requests::ListMapping::Holders::every : requests::ListMapping::Holders::one);
      counts_.written_twice += mapping->requested_bytes() - mapping->held_bytes();
      collective.mapping = mapping;
    }
  }

  TraceCounts counts_;
  TraceShape shape_, kept_shape_;  // of the whole trace, and of what the run keeps
  Pacing pacing_ = Pacing::back_to_back;
  double recorded_ = 0, think_ = 0;  // of the kept requests: all their time, and a processor's most think time
  std::shared_ptr<std::vector<std::uint64_t>> memory_;
  std::vector<std::vector<Access>> calls_;  // by processor
};

}  // namespace

std::unique_ptr<Workload> make(const TraceParams& params, const MachineSizes& machine) {
  return std::make_unique<TraceWorkload>(params, machine.processors);
}

}  // namespace sunstar::workload
