// SPDX-License-Identifier: MIT
#include "models/core/content/content.h"
#include "models/core/random.h"
#include "sw/requests/distributions/hpf_mapping.h"
#include "sw/workload/records/params.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {
namespace {

/// The oracle looks at all records before the run.
constexpr std::uint64_t most_records = 1 << 26;

std::string bytes(std::uint64_t n) { return std::to_string(n) + (n == 1 ? " byte" : " bytes"); }

/// The keys that divide a sample of the file's records evenly among the processors.
std::vector<std::uint64_t> boundaries_of_sample(const RecordsParams& params, const Selection& s, std::uint32_t number) {
  const std::uint64_t records = params.file_size.count / params.record_size.count;
  RandomStream random(records, "sample of records");
  std::vector<std::byte> record(s.record_bytes);
  std::vector<std::uint64_t> keys;
  for (std::uint32_t i = 0; i < params.sample; ++i) {
    content::fill(number, 0, random.below(records) * s.record_bytes, std::span(record));
    keys.push_back(s.key.read(record.data()));
  }
  std::ranges::sort(keys);
  std::vector<std::uint64_t> boundaries;
  for (std::uint64_t p = 1; p < s.processors; ++p) boundaries.push_back(keys[keys.size() * p / s.processors]);
  return boundaries;
}

/// One collective that reads a file and distributes its records by their bytes. There are no calls of single
/// processors: which bytes a processor gets is known only when they have been read.
class RecordsWorkload final : public Workload {
 public:
  RecordsWorkload(const RecordsParams& params, std::uint32_t processors, std::uint32_t number)
      : selection_(std::make_shared<Selection>()), kept_(processors), named_(processors) {
    Selection& s = *selection_;
    s.function = params.function;
    s.processors = processors;
    s.record_bytes = static_cast<std::uint32_t>(params.record_size.count);
    s.key = {static_cast<std::uint32_t>(params.key_offset.count), static_cast<std::uint32_t>(params.key_size.count)};
    s.filter_offset = static_cast<std::uint32_t>(params.filter_offset.count);
    s.discarded_below = static_cast<std::uint64_t>(std::llround(params.discard * 0x1p32));
    if (s.function == Selection::Function::range) {
      s.boundaries = params.boundaries.empty() ? boundaries_of_sample(params, s, number) : params.boundaries;
      if (s.boundaries.size() != processors - 1)
        throw ConfigError("workload.boundaries: their number is ", s.boundaries.size(), "; it must be ", processors - 1,
                          ", the first key of each compute processor but the first.");
    }
    std::vector<std::byte> data(std::max<std::uint64_t>(s.record_bytes, (64 << 10) / s.record_bytes * s.record_bytes));
    const std::uint64_t file = params.file_size.count;
    for (std::uint64_t at = 0; at < file; at += data.size()) {
      const auto part = std::span(data).first(std::min<std::uint64_t>(data.size(), file - at));
      content::fill(number, 0, at, part);
      for (std::uint64_t i = 0; i < part.size(); i += s.record_bytes) {
        const std::uint32_t p = s.processor((at + i) / s.record_bytes, &part[i]);
        ++named_[p];
        if (s.keeps(&part[i])) kept_[p].push_back(at + i);
      }
    }
    files_.push_back({"file", file, true, false, true});
    // The function of the bytes decides; the mapping only says that the whole file is wanted.
    const requests::ArrayShape shape{file / s.record_bytes, 1};
    collectives_.push_back(
        {{0, Operation::read,
          std::make_shared<requests::HpfMapping>(shape, params.record_size, requests::Distribution::cyclic, processors),
          selection_}});
  }

  std::uint32_t processors() const override { return selection_->processors; }
  /// Room for the processor's records, with those that the filter discards, and for one more.
  std::uint64_t memory_bytes(std::uint32_t processor) const override {
    return (named_[processor] + 1) * selection_->record_bytes;
  }
  std::uint64_t bytes_moved() const override { return files_.front().bytes; }
  std::uint64_t access_count() const override { return 0; }
  std::unique_ptr<Oracle> oracle() const override;
  void add_figures(NamedFigures& sections) const override {
    std::uint64_t kept = 0, most = 0;
    for (const auto& records : kept_) {
      kept += records.size();
      most = std::max<std::uint64_t>(most, records.size());
    }
    NamedFigures& section = sections.section("records");
    section.add("examined", files_.front().bytes / selection_->record_bytes);
    section.add("delivered", kept);
    section.add("most_at_one_processor", most);
  }

  const Selection& selection() const { return *selection_; }
  /// By processor: the offsets of the records that it must get, in file order.
  const std::vector<std::vector<std::uint64_t>>& kept() const { return kept_; }

 private:
  std::shared_ptr<Selection> selection_;
  std::vector<std::vector<std::uint64_t>> kept_;
  std::vector<std::uint64_t> named_;  // by processor: its records before the filter
};

class RecordsOracle final : public Oracle {
 public:
  explicit RecordsOracle(const RecordsWorkload& workload) : workload_(workload) {}
  void on_medium(std::uint32_t file, const std::function<void(const ExpectedBytes&)>& visit) const override {
    visit({file, 0, workload_.files()[file].bytes, Version::before});
  }
  void in_memory(std::uint32_t processor, const std::function<void(const InMemory&)>& visit) const override {
    visit(RecordsInMemory{0, workload_.selection().record_bytes, 0, workload_.kept()[processor], Version::before});
  }

 private:
  const RecordsWorkload& workload_;
};

std::unique_ptr<Oracle> RecordsWorkload::oracle() const { return std::make_unique<RecordsOracle>(*this); }

}  // namespace

void check(const RecordsParams& params, const std::string& path, Problems& problems) {
  const std::uint64_t record = params.record_size.count;
  if (params.file_size.count % record != 0)
    problems.add(json_path(path, "file_size"), "is ", bytes(params.file_size.count),
                 "; it must be a multiple of record_size, ", bytes(record));
  if (params.function != RecordFunction::cyclic && params.key_offset.count + params.key_size.count > record)
    problems.add(json_path(path, "key_offset"), "is ", bytes(params.key_offset.count), "; a key of ",
                 bytes(params.key_size.count), " must lie within a record of ", bytes(record),
                 ": choose a smaller key_offset or key_size, or larger records");
  if (record > 0 && params.file_size.count / record > most_records)
    problems.add(json_path(path, "file_size"), "is ", bytes(params.file_size.count), ", which are ",
                 params.file_size.count / record, " records; at most ", most_records, " can be distributed");
  if (params.discard > 0 && record < Selection::filter_bytes)
    problems.add(json_path(path, "discard"), "needs a field of 4 bytes in each record to filter by; records have ",
                 bytes(record), " (record_size): take larger ones, or leave discard out");
  else if (params.discard > 0 && params.filter_offset.count + Selection::filter_bytes > record)
    problems.add(json_path(path, "filter_offset"), "is ", bytes(params.filter_offset.count),
                 "; the field of 4 bytes must lie within a record of ", bytes(record));
  if (std::ranges::adjacent_find(params.boundaries, std::greater_equal<>{}) != params.boundaries.end())
    problems.add(json_path(path, "boundaries"), "are not in ascending order, each greater than the one before");
  const std::uint64_t bits = 8 * params.key_size.count;
  if (bits < 64 && !params.boundaries.empty() && params.boundaries.back() >> bits != 0)
    problems.add(json_path(path, "boundaries"), "end with ", params.boundaries.back(), "; a key of ",
                 bytes(params.key_size.count), " is below ", std::uint64_t{1} << bits);
}

std::unique_ptr<Workload> make(const RecordsParams& params, const MachineSizes& machine, std::uint32_t file) {
  return std::make_unique<RecordsWorkload>(params, machine.processors, file);
}

}  // namespace sunstar::workload
