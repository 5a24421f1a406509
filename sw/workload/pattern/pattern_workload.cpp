// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>

#include "sw/os/counted.h"
#include "sw/requests/distributions/hpf_mapping.h"
#include "sw/requests/distributions/placed_mapping.h"
#include "sw/workload/pattern/params.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {
namespace {

using requests::ArrayShape;
using requests::Distribution;

struct ArrayPattern {
  Distribution rows = Distribution::none;
  std::optional<Distribution> cols;  ///< only of a matrix
};

/// An access pattern's name taken apart.
///
/// One array (TR94-226, Figure 3): r or w, then the distribution of a vector (n, b, c), or of a matrix (two of these
/// letters, rows first), or `a`, the whole file to every processor (reading only). `wss` is wnc, but before each chunk
/// the processors wait for one another.
///
/// Two matrices, each in a file of its own: wr or wp, then two letters for each. Under wr every processor writes a
/// chunk of one and a chunk of the other in turn; under wp the first half of the processors writes one file and the
/// second half the other. Purakayastha, Ellis and Kotz, "ENWRICH: a compute-processor write caching scheme for parallel
/// file systems", 1995, section 4.1.
struct Pattern {
  enum class Order { together, round_robin, partitions };
  Operation operation = Operation::read;
  std::vector<ArrayPattern> arrays;  ///< one or two
  Order order = Order::together;
  bool in_step = false;
};

Distribution distribution(char letter) {
  switch (letter) {
    case 'a': return Distribution::all;
    case 'b': return Distribution::block;
    case 'c': return Distribution::cyclic;
    default: return Distribution::none;
  }
}

// Reads one number of a shape and moves `text` past it.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return n;
}

ArrayShape parse_shape(const PatternParams& params, bool matrix, std::uint64_t records) {
  if (params.shape.empty()) return matrix ? requests::square_shape(records) : ArrayShape{records, 1};
  std::string_view rest = params.shape;
  const std::string wanted = matrix ? "\"ROWSxCOLS\", such as \"1280x1024\"" : "\"ROWS\", such as \"1280\"";
  const auto bad = [&] {
    return ConfigError("workload.shape: \"", params.shape, "\" is not a shape for pattern \"", params.pattern,
                       "\"; it must look like ", wanted, ".");
  };
  ArrayShape shape;
  const auto rows = take_number(rest);
  if (!rows) throw bad();
  shape.rows = *rows;
  if (matrix) {
    if (rest.empty() || rest.front() != 'x') throw bad();
    rest.remove_prefix(1);
    const auto cols = take_number(rest);
    if (!cols) throw bad();
    shape.cols = *cols;
  }
  if (!rest.empty()) throw bad();
  if (static_cast<unsigned __int128>(shape.rows) * shape.cols != records)
    throw ConfigError("workload.shape: \"", params.shape, "\" does not hold the ", records,
                      " records of workload.file_size (", params.file_size.count, " bytes) at workload.record_size (",
                      params.record_size.count, " bytes); rows times columns must be that number.");
  return shape;
}

// The chunks of one mapping, or of two in turn while both have chunks left.
class ChunkSource : public AccessSource {
 public:
  struct Array {
    std::uint32_t file;
    std::shared_ptr<const requests::Mapping> mapping;
    std::uint64_t at = 0;
  };
  ChunkSource(std::vector<Array> arrays, std::uint32_t processor, Operation operation,
              std::optional<std::uint64_t> steps)
      : arrays_(std::move(arrays)), processor_(processor), operation_(operation), steps_(steps) {}

  bool next(Access& next) override {
    const os::NotOnTheMachine mark;  // the application
    next = {};
    next.operation = operation_;
    if (steps_) {
      if (*steps_ == 0) return false;
      --*steps_;
      next.in_step = true;
    }
    for (std::size_t tried = 0; tried < arrays_.size(); ++tried) {
      Array& array = arrays_[turn_];
      if (++turn_ == arrays_.size()) turn_ = 0;
      const auto chunk = array.mapping->chunk(processor_, array.at);
      if (!chunk) continue;
      array.at = chunk->memory_offset + chunk->bytes;
      next.file = array.file;
      next.offset = chunk->file_offset;
      next.memory = chunk->memory_offset;
      next.bytes = chunk->bytes;
      return true;
    }
    return next.in_step;
  }

 private:
  std::vector<Array> arrays_;
  std::uint32_t processor_;
  Operation operation_;
  std::optional<std::uint64_t> steps_;
  std::size_t turn_ = 0;
};

std::optional<ArrayPattern> parse_array(std::string_view letters) {
  if (letters.empty() || letters.size() > 2 || letters.find_first_not_of("nbc") != std::string_view::npos)
    return std::nullopt;
  ArrayPattern array{distribution(letters[0]), {}};
  if (letters.size() == 2) array.cols = distribution(letters[1]);
  return array;
}

/// The names of all patterns of one array: ra rn rb rc rnn ... rcc, wn wb ... wcc, wss.
std::vector<std::string> pattern_names() {
  std::vector<std::string> all = {"ra"};
  for (const char* operation : {"r", "w"})
    for (const char* how : {"n", "b", "c", "nn", "nb", "nc", "bn", "bb", "bc", "cn", "cb", "cc"})
      all.push_back(std::string(operation) + how);
  all.emplace_back("wss");
  return all;
}

/// Throws a ConfigError that suggests the nearest name and lists all names.
Pattern parse_pattern(const std::string& name) {
  const std::vector<std::string> names = pattern_names();
  if (name == "wa")
    throw ConfigError("workload.pattern is \"wa\", but processors cannot all write the same bytes; allowed are ",
                      listed(names, "and", false), ".");
  Pattern pattern;
  pattern.operation = name.starts_with('w') ? Operation::write : Operation::read;
  if (name == "wss") {
    pattern.arrays = {*parse_array("nc")};
    pattern.in_step = true;
    return pattern;
  }
  if (name == "ra") {
    pattern.arrays = {{Distribution::all, {}}};
    return pattern;
  }
  if (name.size() == 6 && (name.starts_with("wr") || name.starts_with("wp"))) {
    const auto first = parse_array(name.substr(2, 2)), second = parse_array(name.substr(4));
    if (first && second) {
      pattern.arrays = {*first, *second};
      pattern.order = name[1] == 'r' ? Pattern::Order::round_robin : Pattern::Order::partitions;
      return pattern;
    }
  }
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw ConfigError("workload.pattern is \"", name,
                      "\"; for two arrays a pattern is wr or wp and two of the letters n, b and c for each, such as "
                      "\"wrnnbb\"; for one ",
                      must_be_one_of(name, names));
  pattern.arrays = {*parse_array(std::string_view(name).substr(1))};
  return pattern;
}

/// All processors read or write one or two files in an HPF distribution. Each file is one collective. Without
/// collectives, each processor makes one call for each contiguous chunk, in file order.
class PatternWorkload final : public Workload {
 public:
  /// Throws ConfigError if a name, a size or a shape cannot be used.
  PatternWorkload(const PatternParams& params, std::uint32_t processors)
      : pattern_(parse_pattern(params.pattern)), processors_(processors), memory_(processors) {
    const std::size_t files = pattern_.arrays.size();
    if (params.record_size.count == 0)
      throw ConfigError("workload.record_size: a record cannot have 0 bytes; at least 1 byte is needed.");
    if (params.file_size.count == 0 || params.file_size.count % (files * params.record_size.count) != 0)
      throw ConfigError("workload.file_size: ", params.file_size.count,
                        " bytes is not allowed; it must be a positive multiple of ", files > 1 ? "twice " : "",
                        "workload.record_size, ", params.record_size.count, " bytes",
                        files > 1 ? ", because the two files share it." : ".");
    const bool partitions = pattern_.order == Pattern::Order::partitions;
    if (partitions && processors < 2)
      throw ConfigError("workload.pattern: \"", params.pattern,
                        "\" needs at least 2 compute processors, half of them for each file; there ",
                        processors == 1 ? "is 1." : "are " + std::to_string(processors) + ".");
    const std::uint64_t file_bytes = params.file_size.count / files;
    const ArrayShape shape =
        parse_shape(params, pattern_.arrays.front().cols.has_value(), file_bytes / params.record_size.count);
    const bool reads = pattern_.operation == Operation::read;
    for (std::uint32_t f = 0; f < files; ++f) {
      const ArrayPattern& array = pattern_.arrays[f];
      const std::uint32_t half = processors / 2;
      const std::uint32_t first = partitions && f == 1 ? half : 0;
      const std::uint32_t holders = !partitions ? processors : f == 0 ? half : processors - half;
      const auto hpf = std::make_shared<requests::HpfMapping>(shape, params.record_size, array.rows,
                                                              array.cols.value_or(Distribution::none), holders);
      std::shared_ptr<const requests::Mapping> mapping = hpf;
      if (files > 1) {
        std::vector<std::uint64_t> base;
        for (std::uint32_t q = 0; q < holders; ++q) base.push_back((memory_[first + q] + 63) / 64 * 64);
        mapping = std::make_shared<requests::PlacedMapping>(hpf, first, processors, std::move(base));
      }
      for (std::uint32_t q = 0; q < holders; ++q) {
        const std::uint64_t bytes = hpf->memory_bytes(q);
        if (bytes > 0) memory_[first + q] = mapping->memory_bytes(first + q);
        bytes_ += bytes;
        accesses_ += hpf->chunk_count(q);
        steps_ = std::max(steps_, hpf->chunk_count(q));
      }
      files_.push_back({files > 1 ? "file" + std::to_string(f) : "file", file_bytes, reads, !reads, true});
      collectives_.push_back({{f, pattern_.operation, mapping}});
    }
  }

  std::uint32_t processors() const override { return processors_; }
  std::uint64_t memory_bytes(std::uint32_t processor) const override { return memory_[processor]; }
  std::unique_ptr<AccessSource> accesses(std::uint32_t processor) const override {
    auto arrays = mapped(collectives_, [](const Collective& c) { return ChunkSource::Array{c.file, c.mapping}; });
    return std::make_unique<ChunkSource>(std::move(arrays), processor, pattern_.operation,
                                         pattern_.in_step ? std::optional(steps_) : std::nullopt);
  }

  std::uint64_t bytes_moved() const override { return bytes_; }
  std::uint64_t access_count() const override { return accesses_; }

 private:
  Pattern pattern_;
  std::uint32_t processors_;
  std::vector<std::uint64_t> memory_;  // by processor: bytes of its buffer
  std::uint64_t steps_ = 0;            // in step: how often each processor waits
  std::uint64_t bytes_ = 0, accesses_ = 0;
};

}  // namespace

void check(const PatternParams& params, const std::string& path, Problems& problems) {
  try {
    parse_pattern(params.pattern);
  } catch (const ConfigError& error) {
    std::string_view what = error.what();
    what.remove_prefix(std::string_view("workload.pattern ").size());
    if (what.ends_with('.')) what.remove_suffix(1);
    problems.add(json_path(path, "pattern"), std::string(what));
  }
}

std::unique_ptr<Workload> make(const PatternParams& params, const MachineSizes& machine) {
  return std::make_unique<PatternWorkload>(params, machine.processors);
}

}  // namespace sunstar::workload
