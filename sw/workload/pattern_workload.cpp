// SPDX-License-Identifier: MIT
#include "sw/workload/pattern_workload.h"

#include <algorithm>
#include <charconv>

#include "models/core/error.h"
#include "sw/text.h"

namespace sunstar::workload {
namespace {

using file::ArrayShape;
using file::Distribution;

Distribution distribution(char letter) {
  switch (letter) {
    case 'a': return Distribution::all;
    case 'b': return Distribution::block;
    case 'c': return Distribution::cyclic;
    default: return Distribution::none;
  }
}

// One number of a shape; moves `text` past it.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return n;
}

ArrayShape parse_shape(const PatternParams& params, bool matrix, std::uint64_t records) {
  if (params.shape.empty()) return matrix ? file::square_shape(records) : ArrayShape{records, 1};
  std::string_view rest = params.shape;
  const std::string wanted = matrix ? "\"ROWSxCOLS\", such as \"1280x1024\"" : "\"ROWS\", such as \"1280\"";
  const auto bad = [&] {
    return ConfigError("workload.shape: \"" + params.shape + "\" is no shape for pattern \"" + params.pattern +
                       "\"; it must read " + wanted + ".");
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
    throw ConfigError("workload.shape: \"" + params.shape + "\" does not hold the " + std::to_string(records) +
                      " records of workload.file_size (" + std::to_string(params.file_size.count) +
                      " bytes) at workload.record_size (" + std::to_string(params.record_size.count) +
                      " bytes); its numbers must multiply to that.");
  return shape;
}

class ChunkSource : public AccessSource {
 public:
  ChunkSource(std::shared_ptr<const file::Mapping> mapping, std::uint32_t processor, Operation operation)
      : mapping_(std::move(mapping)), processor_(processor), operation_(operation) {}

  bool next(Access& next) override {
    const auto chunk = mapping_->chunk(processor_, at_);
    if (!chunk) return false;
    at_ = chunk->memory_offset + chunk->bytes;
    next = {};
    next.operation = operation_;
    next.offset = chunk->file_offset;
    next.memory = chunk->memory_offset;
    next.bytes = chunk->bytes;
    return true;
  }

 private:
  std::shared_ptr<const file::Mapping> mapping_;
  std::uint32_t processor_;
  Operation operation_;
  std::uint64_t at_ = 0;
};

}  // namespace

const std::vector<std::string>& pattern_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = {"ra"};
    for (const char* operation : {"r", "w"}) {
      for (const char* how : {"n", "b", "c", "nn", "nb", "nc", "bn", "bb", "bc", "cn", "cb", "cc"})
        all.push_back(std::string(operation) + how);
    }
    return all;
  }();
  return names;
}

Pattern parse_pattern(const std::string& name) {
  const auto& names = pattern_names();
  if (name == "wa")
    throw ConfigError("workload.pattern: there is no pattern \"wa\", since processors cannot all write the same bytes; "
                      "allowed are " + text::list(names) + ".");
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw ConfigError("workload.pattern: there is no pattern \"" + name + "\"; " + text::allowed(name, names) + ".");
  Pattern pattern;
  pattern.operation = name[0] == 'w' ? Operation::write : Operation::read;
  pattern.rows = distribution(name[1]);
  if (name.size() == 3) pattern.cols = distribution(name[2]);
  return pattern;
}

PatternWorkload::PatternWorkload(const PatternParams& params, std::uint32_t processors) {
  const Pattern pattern = parse_pattern(params.pattern);
  if (params.record_size.count == 0)
    throw ConfigError("workload.record_size: 0 bytes is no record; at least 1 byte is needed.");
  if (params.file_size.count == 0 || params.file_size.count % params.record_size.count != 0)
    throw ConfigError("workload.file_size: " + std::to_string(params.file_size.count) +
                      " bytes is not allowed; it must be a positive multiple of workload.record_size, " +
                      std::to_string(params.record_size.count) + " bytes.");
  shape_ = parse_shape(params, pattern.cols.has_value(), params.file_size.count / params.record_size.count);
  mapping_ = std::make_shared<file::HpfMapping>(shape_, params.record_size, pattern.rows,
                                                pattern.cols.value_or(Distribution::none), processors);
  const bool reads = pattern.operation == Operation::read;
  files_.push_back({"file", params.file_size.count, reads, !reads});
  collectives_.push_back({0, pattern.operation, mapping_, {}, {}});
  for (std::uint32_t p = 0; p < processors; ++p) {
    bytes_ += mapping_->memory_bytes(p);
    accesses_ += mapping_->chunk_count(p);
  }
}

std::unique_ptr<AccessSource> PatternWorkload::accesses(std::uint32_t processor) const {
  return std::make_unique<ChunkSource>(mapping_, processor, collectives_.front().operation);
}

}  // namespace sunstar::workload
