// SPDX-License-Identifier: MIT
#include "sw/requests/distributions/mapping.h"

#include "sw/requests/distributions/hpf_mapping.h"
#include "sw/requests/distributions/list_mapping.h"
#include "sw/requests/distributions/placed_mapping.h"
#include "sw/requests/distributions/segmented_mapping.h"

namespace sunstar::requests {

namespace {

class Reader {
 public:
  explicit Reader(std::span<const std::uint64_t> words) : words_(words) {}
  bool at_end() const { return words_.empty(); }
  template <class T>
  T next() {
    assert(!words_.empty());
    const auto value = static_cast<T>(words_.front());
    words_ = words_.subspan(1);
    return value;
  }
  /// Reads them one after the other.
  template <class... T>
  void read(T&... values) {
    ((values = next<T>()), ...);
  }

 private:
  std::span<const std::uint64_t> words_;
};

std::shared_ptr<const Mapping> mapping_of(Reader& in) {
  const auto form = in.next<Mapping::Form>();
  if (form == Mapping::Form::list) {
    const auto file_bytes = in.next<std::uint64_t>();
    return std::make_shared<ListMapping>(file_bytes, std::make_shared<const std::vector<std::uint64_t>>(),
                                         std::vector<Piece>{}, ListMapping::Holders::every);
  }
  if (form == Mapping::Form::placed) {
    const auto first = in.next<std::uint32_t>(), processors = in.next<std::uint32_t>();
    std::vector<PlacedMapping::Base> bases(in.next<std::size_t>());
    for (PlacedMapping::Base& base : bases) in.read(base.from, base.bytes);
    return std::make_shared<PlacedMapping>(mapping_of(in), first, processors, std::move(bases));
  }
  if (form == Mapping::Form::segmented) {
    Segments file;
    std::uint64_t from = 0, to = 0;
    in.read(file.transfer_bytes, file.transfers, file.segments, file.processors, file.shift, from, to);
    return std::make_shared<SegmentedMapping>(file, from, to);
  }
  ArrayShape shape;
  Bytes record;
  auto rows = Distribution::none, cols = Distribution::none;
  std::uint32_t processors = 0;
  in.read(shape.rows, shape.cols, record.count, rows, cols, processors);
  return std::make_shared<HpfMapping>(shape, record, rows, cols, processors);
}

void describe(const Selection& s, Words& out) {
  out.insert(out.end(), {static_cast<std::uint64_t>(s.function), s.first, s.processors, s.record_bytes, s.key.offset,
                         s.key.bytes, s.filter_offset, s.discarded_below, s.boundaries.size()});
  out.insert(out.end(), s.boundaries.begin(), s.boundaries.end());
}

std::shared_ptr<const Selection> selection_of(Reader& in) {
  auto s = std::make_shared<Selection>();
  in.read(s->function, s->first, s->processors, s->record_bytes, s->key.offset, s->key.bytes, s->filter_offset,
          s->discarded_below);
  s->boundaries.resize(in.next<std::size_t>());
  for (std::uint64_t& boundary : s->boundaries) in.read(boundary);
  return s;
}

}  // namespace

Words Transfer::words() const {
  Words out{file, static_cast<std::uint64_t>(operation)};
  mapping->describe(out);
  if (selection) describe(*selection, out);
  return out;
}

Transfer Transfer::of(std::span<const std::uint64_t> words) {
  Reader in(words);
  Transfer transfer;
  in.read(transfer.file, transfer.operation);
  transfer.mapping = mapping_of(in);
  if (!in.at_end()) transfer.selection = selection_of(in);
  return transfer;
}

}  // namespace sunstar::requests
