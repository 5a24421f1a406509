// SPDX-License-Identifier: MIT
#include "sw/requests/distributions/list_mapping.h"
#include "sw/workload/subset/params.h"
#include "sw/workload/trace/csv.h"
#include "sw/workload/trace/trace.h"

namespace sunstar::workload {
namespace {

constexpr std::uint64_t most_chunks = std::uint64_t{1} << 27;  // a terabyte of 8 KiB
constexpr std::uint64_t most_chosen = std::uint64_t{1} << 24;  // a list of 512 MiB

std::uint64_t chunks_of(const SubsetParams& params) {
  return (params.file_size.count + params.chunk_size.count - 1) / params.chunk_size.count;
}

std::uint64_t chosen_of(const SubsetParams& params) {
  const auto share = std::llround(params.share * static_cast<double>(chunks_of(params)));
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share));
}

/// Calls visit(i) for `wanted` of the numbers below `of`, in ascending order; each choice is equally likely (Knuth, The
/// Art of Computer Programming, 3.4.2, algorithm S).
template <class Visit>
void draw(RandomStream& random, std::uint64_t wanted, std::uint64_t of, Visit visit) {
  for (std::uint64_t i = 0; wanted > 0; ++i)
    if (random.below(of - i) < wanted) {
      visit(i);
      --wanted;
    }
}

/// The numbers of the chosen chunks, ascending.
std::vector<std::uint64_t> chosen_chunks(const SubsetParams& params) {
  const std::uint64_t chunks = chunks_of(params), classes = std::min<std::uint64_t>(params.balance, chunks);
  const std::uint64_t wanted = chosen_of(params);
  // Classes whose last chunk would lie beyond the file have one chunk less.
  const std::uint64_t smallest = chunks / classes, longer = chunks % classes;
  std::vector<std::uint64_t> of_class(classes, wanted / classes);
  RandomStream random(params.draw, "subset");
  // When every class gives as much as the smallest has, only the larger ones have one chunk more.
  draw(random, wanted % classes, of_class.front() == smallest ? longer : classes,
       [&](std::uint64_t c) { ++of_class[c]; });
  std::vector<std::uint64_t> chosen;
  chosen.reserve(wanted);
  for (std::uint64_t c = 0; c < classes; ++c)
    draw(random, of_class[c], smallest + (c < longer), [&](std::uint64_t i) { chosen.push_back(i * classes + c); });
  std::ranges::sort(chosen);
  return chosen;
}

std::vector<Piece> random_pieces(const SubsetParams& params, std::uint32_t processors) {
  const std::uint64_t size = params.chunk_size.count;
  std::vector<Piece> pieces;
  for (const std::uint64_t chunk : chosen_chunks(params))
    pieces.push_back({static_cast<std::uint32_t>(chunk % processors), chunk * size, 0,
                      std::min(size, params.file_size.count - chunk * size)});
  return pieces;
}

/// Reads the pieces of a CSV file with the columns processor, offset and length, in the order of its lines. Throws a
/// ConfigError with file, line and value for anything that cannot be used, and for a list without a piece.
std::vector<Piece> read_piece_list(const std::string& path, std::uint32_t processors) {
  enum { processor, offset, length };
  CsvReader csv(path, {"processor", "offset", "length"});
  std::vector<Piece> pieces;
  while (csv.next()) {
    Piece piece;
    piece.processor = static_cast<std::uint32_t>(csv.integer(processor, processors - 1));
    piece.file_offset = csv.integer(offset, most_file_bytes);
    piece.bytes = csv.integer(length, most_request_bytes);
    if (piece.bytes == 0) csv.refuse(length, "a whole number from 1 to ", most_request_bytes);
    if (piece.file_offset + piece.bytes > most_file_bytes)
      csv.refuse(length, "small enough for the piece, which begins at ", piece.file_offset, ", to end by ",
                 most_file_bytes);
    pieces.push_back(piece);
  }
  if (pieces.empty()) throw ConfigError(path, ": the list has no piece; below its header it must have at least one.");
  return pieces;
}

/// The pieces of one file that the processors read or write: one call each and, as a collective, one list. Of the n
/// random chunks, share * n are chosen, rounded and at least one; docs/workloads.md, "Irregular subsets", says how.
///
/// A processor's pieces are taken in file order, and lie so in its buffer, one behind the other. If pieces overlap,
/// every reader gets a copy, and of several writers a collective takes the one whose piece begins first (ListMapping).
class SubsetWorkload final : public Workload {
 public:
  /// Throws ConfigError if the list cannot be used.
  SubsetWorkload(const SubsetParams& params, std::uint32_t processors)
      : operation_(params.operation),
        pieces_(processors),
        memory_(std::make_shared<std::vector<std::uint64_t>>(processors, 0)) {
    std::vector<Piece> all =
        params.list.empty() ? random_pieces(params, processors) : read_piece_list(params.list.string(), processors);
    std::ranges::stable_sort(all, {}, &Piece::file_offset);
    std::uint64_t end = params.file_size.count;
    for (Piece& piece : all) {
      std::uint64_t& memory = (*memory_)[piece.processor];
      piece.memory_offset = memory;
      memory += piece.bytes;
      bytes_ += piece.bytes;
      end = std::max(end, piece.file_offset + piece.bytes);
      pieces_[piece.processor].push_back(piece);
    }
    count_ = all.size();
    const bool reads = operation_ == Operation::read;
    files_.push_back({"file", end, reads, !reads, false});
    const auto mapping = std::make_shared<requests::ListMapping>(
        end, memory_, std::move(all),
        reads ? requests::ListMapping::Holders::every : requests::ListMapping::Holders::one);
    collective_bytes_ = mapping->held_bytes();
    collectives_.push_back({{0, operation_, mapping}});
  }

  std::uint32_t processors() const override { return static_cast<std::uint32_t>(pieces_.size()); }
  std::uint64_t memory_bytes(std::uint32_t processor) const override { return (*memory_)[processor]; }
  std::unique_ptr<AccessSource> accesses(std::uint32_t processor) const override {
    return requests::source_of([this, &pieces = pieces_[processor], at = std::size_t{0}](Access& next) mutable {
      if (at == pieces.size()) return false;
      const Piece& piece = pieces[at++];
      next = {0, operation_, piece.file_offset, piece.memory_offset, piece.bytes, {}, {}};
      return true;
    });
  }

  std::uint64_t bytes_moved() const override { return bytes_; }
  std::uint64_t access_count() const override { return count_; }
  std::uint64_t collective_bytes() const override { return collective_bytes_; }
  /// The section "subset": how many pieces there are, and how long.
  void add_figures(NamedFigures& sections) const override {
    std::vector<std::uint64_t> lengths;
    lengths.reserve(count_);
    std::uint64_t most = 0;
    for (const auto& pieces : pieces_) {
      most = std::max<std::uint64_t>(most, pieces.size());
      for (const Piece& piece : pieces) lengths.push_back(piece.bytes);
    }
    std::ranges::sort(lengths);
    NamedFigures& section = sections.section("subset");
    section.add("pieces", count_);
    section.add("bytes", bytes_);
    section.add("share", static_cast<double>(bytes_) / static_cast<double>(files_.front().bytes));
    section.add("shortest_piece", lengths.front());
    section.add("median_piece", lengths[lengths.size() / 2]);
    section.add("longest_piece", lengths.back());
    section.add("most_at_one_processor", most);
  }

 private:
  Operation operation_;
  std::vector<std::vector<Piece>> pieces_;  // by processor, in file order
  std::shared_ptr<std::vector<std::uint64_t>> memory_;
  std::uint64_t bytes_ = 0, count_ = 0, collective_bytes_ = 0;
};

}  // namespace

void check(const SubsetParams& params, const std::string& path, Problems& problems) {
  if (!params.list.empty()) return;
  if (chunks_of(params) > most_chunks)
    problems.add(json_path(path, "chunk_size"), "makes ", chunks_of(params),
                 " chunks of the file; there may be at most ", most_chunks,
                 ": choose a larger chunk_size or a smaller file_size");
  else if (chosen_of(params) > most_chosen)
    problems.add(json_path(path, "share"), "chooses ", chosen_of(params), " chunks; it may choose at most ",
                 most_chosen, ": choose a smaller share or a larger chunk_size");
}

std::unique_ptr<Workload> make(const SubsetParams& params, const MachineSizes& machine) {
  return std::make_unique<SubsetWorkload>(params, machine.processors);
}

}  // namespace sunstar::workload
