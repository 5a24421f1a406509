// SPDX-License-Identifier: MIT
#include "sw/workload/trace/trace.h"

#include <set>
#include <unordered_map>

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

/// The formats that only the Python package reads.
void refuse_other_formats(const std::string& path) {
  constexpr std::array suffixes{".parquet", ".darshan", ".pfw", ".pfw.gz"};
  if (std::ranges::any_of(suffixes, [&](std::string_view suffix) { return path.ends_with(suffix); }))
    throw ConfigError(path, ": a run reads traces as CSV only; convert this one by `sunstar trace import ", path,
                      " --output ", path.substr(0, path.rfind('.')), ".csv`.");
}

/// The unit that a column's name gives: that of start_ms is ms.
TimeUnit unit_of(std::string_view column, TimeUnit otherwise) {
  if (column.ends_with("_ns")) return TimeUnit::ns;
  if (column.ends_with("_us")) return TimeUnit::us;
  if (column.ends_with("_ms")) return TimeUnit::ms;
  return column.ends_with("_s") ? TimeUnit::s : otherwise;
}

class KeptTimes {
 public:
  KeptTimes(const Trace& trace, const ScaleParams& scale) : from_(seconds(scale.from)), to_(seconds(scale.to)) {
    for (const TraceRequest& r : trace.requests) first_ = std::min(first_, r.start);
  }
  bool hold(const TraceRequest& r) const {
    const double at = r.start - first_;
    return at >= from_ && (to_ == 0 || at < to_);
  }

 private:
  double first_ = HUGE_VAL, from_, to_;
};

/// Changes kept requests for which `leaves` holds.
template <class Leaves>
void leave_out(const Trace& trace, std::vector<ScaledRequest>& all, Fate fate, Leaves&& leaves) {
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].fate == Fate::kept && leaves(trace.requests[i])) all[i].fate = fate;
}

void keep_ranks(const Trace& trace, std::vector<ScaledRequest>& all, std::uint32_t ranks) {
  std::set<std::uint32_t> found;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].fate == Fate::kept) found.insert(trace.requests[i].rank);
  if (found.size() <= ranks) return;
  const std::uint32_t end = *std::next(found.begin(), ranks);
  leave_out(trace, all, Fate::other_ranks, [&](const TraceRequest& r) { return r.rank >= end; });
}

void keep_files(const Trace& trace, std::vector<ScaledRequest>& all, std::uint32_t files) {
  if (trace.files.size() <= files) return;
  std::vector<double> bytes(trace.files.size(), 0);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].fate == Fate::kept) bytes[trace.requests[i].file] += static_cast<double>(trace.requests[i].bytes);
  std::vector<std::size_t> order(bytes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return bytes[a] > bytes[b]; });
  std::vector<char> chosen(bytes.size(), 0);
  for (std::uint32_t i = 0; i < files; ++i) chosen[order[i]] = 1;
  leave_out(trace, all, Fate::other_files, [&](const TraceRequest& r) { return !chosen[r.file]; });
}

}  // namespace

Trace read_trace(const std::string& path, TimeUnit time_unit) {
  refuse_other_formats(path);
  enum { rank, op, file, offset, length, start, end };
  CsvReader csv(path, {"rank",
                       "op",
                       "file",
                       "offset",
                       "length",
                       {"start_s", "start_ms", "start_us", "start_ns", "start"},
                       {"end_s", "end_ms", "end_us", "end_ns", "end"}});
  const double start_unit = seconds_in(unit_of(csv.name(start), time_unit)),
               end_unit = seconds_in(unit_of(csv.name(end), time_unit));
  Trace trace{path, {}, {}};
  std::unordered_map<std::string, std::uint32_t> numbers;
  while (csv.next()) {
    TraceRequest request;
    request.line = csv.line();
    request.rank = static_cast<std::uint32_t>(csv.integer(rank, UINT32_MAX));
    const auto operation_ = operation(csv.field(op));
    if (!operation_) csv.refuse(op, "r, w, read or write");
    request.operation = *operation_;
    const auto [known, is_new] = numbers.try_emplace(std::string(csv.field(file)), trace.files.size());
    if (is_new) {
      if (csv.field(file).empty()) csv.refuse(file, "a file's name");
      if (csv.field(file).size() > longest_name)
        csv.refuse(file, "a file's name of at most ", longest_name, " characters");
      trace.files.push_back(known->first);
    }
    request.file = known->second;
    request.offset = csv.integer(offset);
    request.bytes = csv.integer(length);
    request.start = csv.time(start) * start_unit;
    request.end = csv.time(end) * end_unit;
    if (request.end < request.start)
      csv.refuse(end, "no earlier than ", csv.name(start), ", which is ", csv.field(start));
    trace.requests.push_back(request);
  }
  return trace;
}

// Block b stays if the product rises to a new whole number from b to b + 1.
std::uint64_t Shrink::stay_below(std::uint64_t block) const {
  // 1e-12: 0.1 * 30 is a little more than 3 in binary.
  return static_cast<std::uint64_t>(std::ceil(lengths_ * static_cast<double>(block) * (1 - 1e-12)));
}

std::uint64_t Shrink::place(std::uint64_t offset) const {
  if (lengths_ == 1) return offset;
  const std::uint64_t block = offset / block_bytes_, before = stay_below(block);
  const bool stays = stay_below(block + 1) > before;
  return before * block_bytes_ + (stays ? offset % block_bytes_ : 0);
}

std::vector<ScaledRequest> scaled(const Trace& trace, const std::vector<char>& wanted, const ScaleParams& scale) {
  std::vector<ScaledRequest> all(trace.requests.size());
  const KeptTimes times(trace, scale);
  leave_out(trace, all, Fate::filtered, [&](const TraceRequest& r) { return !wanted[r.file]; });
  leave_out(trace, all, Fate::zero_length, [](const TraceRequest& r) { return r.bytes == 0; });
  leave_out(trace, all, Fate::outside_window, [&](const TraceRequest& r) { return !times.hold(r); });
  if (scale.ranks != 0) keep_ranks(trace, all, scale.ranks);
  if (scale.files != 0) keep_files(trace, all, scale.files);
  const Shrink shrink(scale.lengths, scale.block_size.count);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].fate != Fate::kept) continue;
    const TraceRequest& r = trace.requests[i];
    all[i].offset = shrink.place(r.offset);
    all[i].bytes = shrink.place(r.offset + r.bytes) - all[i].offset;
    if (all[i].bytes == 0) all[i].fate = Fate::cut_out;
  }
  return all;
}

}  // namespace sunstar::workload
