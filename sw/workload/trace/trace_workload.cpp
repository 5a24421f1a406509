// SPDX-License-Identifier: MIT
#include "sw/workload/trace/trace_workload.h"

#include <re2/re2.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>

#include "models/core/error.h"
#include "models/core/words.h"
#include "sw/workload/trace/csv.h"

namespace sunstar::workload {
namespace {

constexpr std::size_t longest_name = 4096;  // as long as paths are on Linux

std::optional<Operation> operation(std::string_view name) {
  std::string lower(name);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (lower == "r" || lower == "read") return Operation::read;
  if (lower == "w" || lower == "write") return Operation::write;
  return std::nullopt;
}

/// Names of files by a pattern, in time that grows with the name's length alone, whatever the pattern.
std::unique_ptr<RE2> expression(const std::string& key, const std::string& pattern) {
  if (pattern.empty()) return nullptr;
  auto compiled = std::make_unique<RE2>(pattern, RE2::Quiet);
  if (!compiled->ok())
    throw ConfigError("workload." + key + ": " + in_quotes(pattern) + " is not a regular expression (" +
                      in_quotes(compiled->error()) + "); it must be one in RE2's syntax.");
  return compiled;
}

std::uint64_t stream_key(std::uint32_t rank, std::uint32_t file, Operation op) {
  return static_cast<std::uint64_t>(rank) << 32 | file << 1 | (op == Operation::write ? 1u : 0u);
}

// Decides which requests the scale keeps (see TraceWorkload). Requests to unwanted files or of length 0 are not among
// them.
std::vector<char> lead(const std::vector<TraceRequest>& requests, const std::vector<std::size_t>& order,
                       const std::vector<char>& wanted, double scale) {
  struct Candidate {
    std::uint64_t target;  // file and operation
    std::uint32_t rank;
    std::uint64_t turn, turns;  // the turn-th of this rank's `turns` requests of that kind
    std::size_t request;
  };
  std::unordered_map<std::uint64_t, std::uint64_t> turns;
  std::vector<Candidate> candidates;
  for (std::size_t i : order) {
    const TraceRequest& r = requests[i];
    if (!wanted[r.file] || r.bytes == 0) continue;
    const std::uint64_t turn = turns[stream_key(r.rank, r.file, r.operation)]++;
    candidates.push_back({stream_key(0, r.file, r.operation), r.rank, turn, 0, i});
  }
  for (Candidate& c : candidates) c.turns = turns[c.target | static_cast<std::uint64_t>(c.rank) << 32];
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    if (a.target != b.target) return a.target < b.target;
    const std::uint64_t x = a.turn * b.turns, y = b.turn * a.turns;  // a.turn / a.turns against b.turn / b.turns
    return x != y ? x < y : a.rank < b.rank;
  });
  std::vector<char> kept(requests.size(), 0);
  for (std::size_t begin = 0; begin < candidates.size();) {
    std::size_t end = begin;
    while (end < candidates.size() && candidates[end].target == candidates[begin].target) ++end;
    // 1e-12: 0.1 * 30 is a little more than 3 in binary.
    const auto stay = static_cast<std::size_t>(std::ceil(scale * static_cast<double>(end - begin) * (1 - 1e-12)));
    for (std::size_t i = begin; i < begin + stay; ++i) kept[candidates[i].request] = 1;
    begin = end;
  }
  return kept;
}

class CallSource : public AccessSource {
 public:
  explicit CallSource(const std::vector<Access>& calls) : calls_(calls) {}
  bool next(Access& next) override {
    if (at_ == calls_.size()) return false;
    next = calls_[at_++];
    return true;
  }

 private:
  const std::vector<Access>& calls_;
  std::size_t at_ = 0;
};

// Calls of one rank with the same file and operation, one after the other.
struct Run {
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
std::vector<std::vector<std::size_t>> order_runs(const std::vector<std::vector<Run>>& streams,
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
      const Run& run = streams[stream][head[stream]++];
      calls.insert(calls.end(), run.calls.begin(), run.calls.end());
    }
    for (std::size_t stream : going) arrive(stream);
  }
  return ordered;
}

}  // namespace

Trace read_trace(const std::string& path, TimeUnit time_unit) {
  enum { rank, op, file, offset, length, start, end };
  const double unit = seconds_in(time_unit);
  CsvReader csv(path, {"rank", "op", "file", "offset", "length", "start", "end"});
  Trace trace;
  std::unordered_map<std::string, std::uint32_t> numbers;
  while (csv.next()) {
    TraceRequest request;
    request.rank = static_cast<std::uint32_t>(csv.integer(rank, UINT32_MAX));
    const auto operation_ = operation(csv.field(op));
    if (!operation_) csv.refuse(op, "r, w, read or write");
    request.operation = *operation_;
    const auto [known, is_new] = numbers.try_emplace(std::string(csv.field(file)), trace.files.size());
    if (is_new) {
      if (csv.field(file).empty()) csv.refuse(file, "a file's name");
      if (csv.field(file).size() > longest_name)
        csv.refuse(file, "a file's name of at most " + std::to_string(longest_name) + " characters");
      trace.files.push_back(known->first);
    }
    request.file = known->second;
    request.offset = csv.integer(offset, most_file_bytes);
    request.bytes = csv.integer(length, most_request_bytes);
    if (request.offset + request.bytes > most_file_bytes)
      csv.refuse(length, "such that the request, which begins at " + std::to_string(request.offset) + ", ends by " +
                             std::to_string(most_file_bytes));
    request.start = csv.time(start) * unit;
    request.end = csv.time(end) * unit;
    if (request.end < request.start)
      csv.refuse(end, "no earlier than start, which is " + std::string(csv.field(start)));
    trace.requests.push_back(request);
  }
  return trace;
}

std::unique_ptr<Workload> make(const TraceParams& params, std::uint32_t processors) {
  return std::make_unique<TraceWorkload>(params, processors);
}

TraceWorkload::TraceWorkload(const TraceParams& params, std::uint32_t processors)
    : TraceWorkload(read_trace(params.trace.string(), params.time_unit), params, processors) {}

TraceWorkload::TraceWorkload(const Trace& trace, const TraceParams& params, std::uint32_t processors) {
  if (processors == 0) throw ConfigError("A trace cannot be replayed by 0 compute processors; at least 1 is needed.");
  std::vector<Call> calls = keep(trace, params, processors);
  form_collectives(calls);
  calls_.resize(processors);
  for (const Call& call : calls) calls_[call.processor].push_back(call.access);
}

// Filters, scales and paces. The calls come in order of start time, then rank, then line.
std::vector<TraceWorkload::Call> TraceWorkload::keep(const Trace& trace, const TraceParams& params,
                                                     std::uint32_t processors) {
  const Pacing pacing = params.pacing;
  if (!(params.scale > 0 && params.scale <= 1))
    throw ConfigError("workload.scale: " + std::to_string(params.scale) +
                      " is not allowed; it must be above 0 and at most 1.");
  const auto include = expression("include", params.include), exclude = expression("exclude", params.exclude);
  std::vector<char> wanted;
  for (const std::string& name : trace.files)
    wanted.push_back((!include || RE2::PartialMatch(name, *include)) &&
                     !(exclude && RE2::PartialMatch(name, *exclude)));

  const auto& requests = trace.requests;
  std::vector<std::size_t> order(requests.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return requests[a].start != requests[b].start ? requests[a].start < requests[b].start
                                                  : requests[a].rank < requests[b].rank;
  });

  const std::vector<char> within_scale = lead(requests, order, wanted, params.scale);
  double origin = 0;  // start of the first kept request
  for (std::size_t i : order)
    if (within_scale[i]) {
      origin = requests[i].start;
      break;
    }

  std::vector<std::uint32_t> number(trace.files.size(), UINT32_MAX);  // by file: its number among the kept files
  std::vector<double> busy_until(processors, origin), computed(processors, 0);
  std::vector<Call> calls;
  for (std::size_t i : order) {
    const TraceRequest& r = requests[i];
    const std::uint32_t processor = r.rank % processors;
    const double gap = std::max(0.0, r.start - busy_until[processor]);
    busy_until[processor] = std::max(busy_until[processor], r.end);
    const auto count = [&](TraceCounts::Count& in) {
      ++in.requests;
      in.bytes += r.bytes;
    };
    count(counts_.lines_read);
    if (!wanted[r.file]) {
      count(counts_.filtered);
      computed[processor] += gap;
      continue;
    }
    if (r.bytes == 0) {
      count(counts_.zero_length);
      computed[processor] += gap;
      continue;
    }
    if (!within_scale[i]) {
      count(counts_.scaled_out);
      continue;
    }
    count(counts_.kept);
    if (number[r.file] == UINT32_MAX) {
      number[r.file] = static_cast<std::uint32_t>(files_.size());
      files_.push_back({trace.files[r.file], 0, false, false});
    }
    FileSpec& file = files_[number[r.file]];
    file.bytes = std::max(file.bytes, r.offset + r.bytes);
    (r.operation == Operation::read ? file.read : file.written) = true;

    Access access;
    access.file = number[r.file];
    access.operation = r.operation;
    access.offset = r.offset;
    access.bytes = r.bytes;
    if (pacing == Pacing::open_loop && r.start - origin > seconds(horizon))
      throw ConfigError(params.trace.string() + ": a request starts " + std::to_string(r.start - origin) +
                        " s after the first; at most 4611686 s can be replayed in an open loop (is workload.time_unit "
                        "right?).");
    if (pacing == Pacing::think_times && computed[processor] + gap > seconds(longest_duration))
      throw ConfigError(params.trace.string() + ": a rank computes for " + std::to_string(computed[processor] + gap) +
                        " s before a request; at most 1152921 s can be replayed (is workload.time_unit right?).");
    if (pacing == Pacing::think_times) access.think = from_seconds(computed[processor] + gap);
    if (pacing == Pacing::open_loop) access.not_before = Duration{std::llround((r.start - origin) * 1e12)};
    computed[processor] = 0;
    calls.push_back({processor, r.rank, access});
  }
  if (calls.empty())
    throw ConfigError(params.trace.string() + ": none of the " + std::to_string(counts_.lines_read.requests) +
                      " requests can be replayed (" + std::to_string(counts_.filtered.requests) +
                      " filtered by name, " + std::to_string(counts_.zero_length.requests) +
                      " of length 0); at least one must be left.");
  memory_ = std::make_shared<std::vector<std::uint64_t>>(processors, 0);
  return calls;
}

// Forms and orders the collectives and gives each call its place in memory.
void TraceWorkload::form_collectives(std::vector<Call>& calls) {
  std::vector<std::vector<Run>> streams;  // of each rank
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

  std::vector<std::vector<workload::Piece>> runs(merged.size());
  for (std::size_t i = 0; i < merged.size(); ++i) {
    auto& members = merged[i];
    std::sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
      const Access &x = calls[a].access, &y = calls[b].access;
      return x.offset != y.offset ? x.offset < y.offset : a < b;
    });
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
      think[call.processor] += call.access.think;
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
    const auto mapping = std::make_shared<workload::ListMapping>(
        files_[collective.file].bytes, memory_, std::move(runs[i]),
        reads ? workload::ListMapping::Holders::every : workload::ListMapping::Holders::one);
    counts_.written_twice += mapping->requested_bytes() - mapping->held_bytes();
    collective.mapping = mapping;
  }
}

std::unique_ptr<AccessSource> TraceWorkload::accesses(std::uint32_t processor) const {
  return std::make_unique<CallSource>(calls_[processor]);
}

void TraceWorkload::add_figures(NamedFigures& figures) const {
  NamedFigures& all = figures.section("trace");
  const auto add = [&](const char* name, const TraceCounts::Count& n) {
    NamedFigures& section = all.section(name);
    section.add("requests", n.requests);
    section.add("bytes", n.bytes);
  };
  add("lines_read", counts_.lines_read);
  add("filtered", counts_.filtered);
  add("zero_length", counts_.zero_length);
  add("scaled_out", counts_.scaled_out);
  add("kept", counts_.kept);
}

}  // namespace sunstar::workload
