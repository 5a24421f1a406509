// SPDX-License-Identifier: MIT
#include "sw/workload/trace/trace.h"

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
    throw ConfigError(path + ": a run reads traces as CSV only; convert this one by `sunstar trace import " + path +
                      " --output " + path.substr(0, path.rfind('.')) + ".csv`.");
}

/// The unit that a column's name gives: that of start_ms is ms.
TimeUnit unit_of(std::string_view column, TimeUnit otherwise) {
  if (column.ends_with("_ns")) return TimeUnit::ns;
  if (column.ends_with("_us")) return TimeUnit::us;
  if (column.ends_with("_ms")) return TimeUnit::ms;
  return column.ends_with("_s") ? TimeUnit::s : otherwise;
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
        csv.refuse(file, "a file's name of at most " + std::to_string(longest_name) + " characters");
      trace.files.push_back(known->first);
    }
    request.file = known->second;
    request.offset = csv.integer(offset);
    request.bytes = csv.integer(length);
    request.start = csv.time(start) * start_unit;
    request.end = csv.time(end) * end_unit;
    if (request.end < request.start)
      csv.refuse(end,
                 "no earlier than " + std::string(csv.name(start)) + ", which is " + std::string(csv.field(start)));
    trace.requests.push_back(request);
  }
  return trace;
}

}  // namespace sunstar::workload
