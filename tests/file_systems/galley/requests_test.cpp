// SPDX-License-Identifier: MIT
#include <algorithm>
#include <boost/describe.hpp>
#include <boost/mp11/algorithm.hpp>
#include <deque>
#include <limits>
#include <set>
#include <string>

#include "models/core/random.h"
#include "sw/file_systems/galley/requests/chunks.h"
#include "sw/file_systems/galley/requests/error.h"
#include "sw/file_systems/galley/requests/extents.h"
#include "tests/support/catch.h"
#include "tests/support/galley_chunks.h"

namespace sunstar::file_systems::galley {
namespace {

using test::Chunk;
using test::chunks_of;
using ChunkList = std::vector<Chunk>;
using Batch = std::vector<gfs_batch>;

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr Bounds roomy{1000, 1000};

/// The chunks of an expansion that must have succeeded.
ChunkList good(const Expansion& expansion) {
  CHECK(expansion.error == Error::none);
  CHECK(expansion.fork.bytes() == expansion.memory.bytes());
  const ChunkList chunks = chunks_of(expansion);
  CHECK(chunks.size() <= expansion.chunks);
  return chunks;
}

/// The error of an expansion, which leaves nothing else.
Error error_of(const Expansion& expansion) {
  CHECK(expansion.chunks == 0);
  CHECK(expansion.fork.runs() + expansion.memory.runs() == 0);
  return expansion.error;
}

gfs_batch record(std::int64_t f_off, std::int64_t m_off, std::int64_t size) {
  gfs_batch element;
  element.f_off = f_off;
  element.m_off = m_off;
  element.size = size;
  return element;
}

gfs_batch vector_of(std::int64_t f_off, std::int64_t m_off, const Batch& vec) {
  gfs_batch element = record(f_off, m_off, 0);
  element.sub_vector = true;
  element.subvec = vec.data();
  element.subvec_len = static_cast<std::int64_t>(vec.size());
  return element;
}

gfs_batch repeated(gfs_batch element, std::int64_t quant, std::int64_t f_stride, std::int64_t m_stride) {
  element.quant = quant;
  element.f_stride = f_stride;
  element.m_stride = m_stride;
  return element;
}

gfs_batch absolute(gfs_batch element, bool file, bool memory) {
  element.f_absolute = file;
  element.m_absolute = memory;
  return element;
}

}  // namespace

TEST_CASE("a plain request is one chunk, and none if it has no bytes") {
  CHECK(good(expand_plain(40, 8, 100, roomy)) == ChunkList{{40, 8, 100}});
  CHECK(good(expand_plain(900, 900, 100, roomy)) == ChunkList{{900, 900, 100}});
  CHECK(good(expand_plain(40, 8, 0, roomy)).empty());
  CHECK(good(expand_plain(-1, 5000, 0, roomy)).empty());  // it touches nothing
}

TEST_CASE("a memory stride of the record's size gathers records into contiguous memory") {
  CHECK(good(expand_strided(20, 0, 8, 100, 8, 4, roomy)) ==
        ChunkList{{20, 0, 8}, {120, 8, 8}, {220, 16, 8}, {320, 24, 8}});
}

TEST_CASE("a file stride of the record's size scatters contiguous bytes of the fork") {
  CHECK(good(expand_strided(20, 4, 8, 8, 50, 3, roomy)) == ChunkList{{20, 4, 8}, {28, 54, 8}, {36, 104, 8}});
}

TEST_CASE("the strides of fork and memory may both differ from the record's size, be smaller, zero or negative") {
  CHECK(good(expand_strided(0, 0, 10, 30, 20, 2, roomy)) == ChunkList{{0, 0, 10}, {30, 20, 10}});
  CHECK(good(expand_strided(0, 0, 10, 4, 0, 3, roomy)) == ChunkList{{0, 0, 10}, {4, 0, 10}, {8, 0, 10}});
  // Backwards through the fork to its very beginning, which turns the order of the records around.
  CHECK(good(expand_strided(40, 0, 10, -20, 10, 3, roomy)) == ChunkList{{40, 0, 10}, {20, 10, 10}, {0, 20, 10}});
  CHECK(good(expand_strided(0, 990, 10, 10, -495, 3, roomy)) == ChunkList{{0, 990, 10}, {10, 495, 10}, {20, 0, 10}});
}

TEST_CASE("the interleaved pattern of 16 processors with records of 512 bytes skips 8192 bytes between beginnings") {
  // Section 6.2; processor 3, four records.
  CHECK(good(expand_strided(3 * 512, 0, 512, 8192, 512, 4, {32768, 2048})) ==
        ChunkList{{1536, 0, 512}, {9728, 512, 512}, {17920, 1024, 512}, {26112, 1536, 512}});
}

TEST_CASE("no records and records of no bytes give no chunks, however many and wherever they are") {
  CHECK(good(expand_strided(0, 0, 10, 10, 10, 0, roomy)).empty());
  CHECK(good(expand_strided(most, least, 0, most, least, most, roomy)).empty());
  CHECK(good(expand_nested(0, 0, 10, std::vector<stride>{{10, 10, most}, {10, 10, 0}, {10, 10, most}}, roomy)).empty());
  CHECK(good(expand_nested(0, 0, 0, std::vector<stride>{{10, 10, most}}, roomy)).empty());
  CHECK(good(expand_list(std::vector<gfs_list_entry>{{-5, 2000, 0}}, roomy)).empty());
  CHECK(good(expand_list({}, roomy)).empty());
  CHECK(good(expand_batched({}, 0, roomy)).empty());
  const Batch empty{repeated(record(0, 0, 0), most, 1, 1), repeated(record(0, 0, 5), 0, 1, 1)};
  CHECK(good(expand_batched(empty, 0, roomy)).empty());
  const Batch often{repeated(vector_of(0, 0, empty), most, 1, 1), record(7, 9, 1)};
  CHECK(good(expand_batched(often, 0, roomy)) == ChunkList{{7, 9, 1}});
  const Batch more_often{repeated(vector_of(0, 0, often), 2, 100, 100)};
  CHECK(good(expand_batched(more_often, 0, roomy)) == ChunkList{{7, 9, 1}, {107, 109, 1}});
}

TEST_CASE("a nested-strided request lists its innermost level first") {
  // Columns 1 and 3 of rows 0 and 1 of a matrix with rows of 40 bytes and elements of 8, packed into memory.
  const std::vector<stride> vec{{16, 8, 2}, {40, 16, 2}};
  CHECK(good(expand_nested(8, 0, 8, vec, roomy)) == ChunkList{{8, 0, 8}, {24, 8, 8}, {48, 16, 8}, {64, 24, 8}});
  // Three levels, the middle one backwards in the fork, the outermost backwards in memory.
  const std::vector<stride> deep{{2, 1, 2}, {-10, 5, 2}, {100, -50, 2}};
  CHECK(
      good(expand_nested(50, 60, 1, deep, roomy)) ==
      ChunkList{
          {50, 60, 1}, {52, 61, 1}, {40, 65, 1}, {42, 66, 1}, {150, 10, 1}, {152, 11, 1}, {140, 15, 1}, {142, 16, 1}});
}

TEST_CASE("a nested-strided request may have no level, or very many") {
  CHECK(good(expand_nested(8, 5, 8, {}, roomy)) == ChunkList{{8, 5, 8}});
  std::vector<stride> vec(100000, stride{most, least, 1});  // not repeated, so the strides are of no meaning
  vec[70] = {10, 1, 2};
  vec[99999] = {100, 2, 2};
  CHECK(good(expand_nested(8, 5, 1, vec, roomy)) == ChunkList{{8, 5, 1}, {18, 6, 1}, {108, 7, 1}, {118, 8, 1}});
}

TEST_CASE("offsets of a batch are relative to the element before, where its first repetition begins") {
  const Batch vec{record(10, 0, 4), repeated(record(20, 4, 4), 3, 100, 4), record(5, 12, 4), record(-30, -16, 2)};
  //  10; 10 + 20 and so on; (10 + 20) + 5, not 230 + 5; 35 - 30
  CHECK(good(expand_batched(vec, 100, roomy)) ==
        ChunkList{{10, 100, 4}, {30, 104, 4}, {130, 108, 4}, {230, 112, 4}, {35, 116, 4}, {5, 100, 2}});
}

TEST_CASE("the first element of a vector is relative to its parent's repetition, the others follow it") {
  const Batch pair{record(1, 2, 1), record(3, 4, 1)};
  const Batch vec{repeated(vector_of(100, 10, pair), 2, 50, 20), record(1, 1, 1)};
  //  parent at 100, 150: 101 and 104, 151 and 154; the last one is relative to 100, the parent's initial offset
  CHECK(good(expand_batched(vec, 0, roomy)) ==
        ChunkList{{101, 12, 1}, {104, 16, 1}, {151, 32, 1}, {154, 36, 1}, {101, 11, 1}});
}

TEST_CASE("an absolute offset in a repeated vector stays where it is, and takes those behind it along") {
  const Batch inner{absolute(record(500, 0, 1), true, false), record(8, 1, 1), absolute(record(0, 7, 1), false, true)};
  const Batch vec{repeated(vector_of(100, 10, inner), 2, 50, 20)};
  CHECK(good(expand_batched(vec, 200, roomy)) == ChunkList{{500, 210, 1},  // memory: 200 + 10
                                                           {508, 211, 1},  // follows in both
                                                           {508, 207, 1},  // absolute in memory: 200 + 7
                                                           {500, 230, 1},  // only memory has moved
                                                           {508, 231, 1},
                                                           {508, 207, 1}});
}

TEST_CASE("an element that transfers nothing still is the one before the next") {
  const Batch vec{record(10, 10, 0), repeated(record(10, 10, 5), 0, 0, 0), record(1, 2, 3)};
  CHECK(good(expand_batched(vec, 0, roomy)) == ChunkList{{21, 22, 3}});
}

TEST_CASE("places on the way to a record may lie outside the fork and the buffer") {
  const Batch inner{record(150, 80, 5)};
  const Batch vec{vector_of(-100, -50, inner)};
  CHECK(good(expand_batched(vec, 0, roomy)) == ChunkList{{50, 30, 5}});
}

TEST_CASE("a vector of two trees is two nested-strided requests") {
  const Batch first{repeated(record(0, 0, 2), 3, 10, 2)}, second{repeated(record(0, 0, 4), 2, -8, 4)};
  const Batch vec{repeated(vector_of(5, 0, first), 2, 100, 6),
                  absolute(repeated(vector_of(400, 12, second), 2, 50, 8), true, true)};
  ChunkList expected = good(expand_nested(5, 0, 2, std::vector<stride>{{10, 2, 3}, {100, 6, 2}}, roomy));
  for (const Chunk& chunk : good(expand_nested(400, 12, 4, std::vector<stride>{{-8, 4, 2}, {50, 8, 2}}, roomy)))
    expected.push_back(chunk);
  CHECK(expected.size() == 10);
  CHECK(good(expand_batched(vec, 0, roomy)) == expected);
}

TEST_CASE("a list keeps its order, also where its pieces overlap or touch") {
  const std::vector<gfs_list_entry> list{{50, 0, 10}, {0, 5, 10}, {10, 15, 3}, {50, 0, 0}, {50, 90, 10}};
  CHECK(good(expand_list(list, roomy)) == ChunkList{{50, 0, 10}, {0, 5, 13}, {50, 90, 10}});
  CHECK(expand_list(list, roomy).chunks == 4);
}

TEST_CASE("negative sizes and counts and missing vectors are bad arguments") {
  CHECK(error_of(expand_plain(0, 0, -1, roomy)) == Error::bad_argument);
  CHECK(error_of(expand_strided(0, 0, -1, 0, 0, 0, roomy)) == Error::bad_argument);
  CHECK(error_of(expand_strided(0, 0, 1, 0, 0, -1, roomy)) == Error::bad_argument);
  CHECK(error_of(expand_nested(0, 0, -1, {}, roomy)) == Error::bad_argument);
  CHECK(error_of(expand_nested(0, 0, 1, std::vector<stride>{{1, 1, 0}, {1, 1, -2}}, roomy)) == Error::bad_argument);
  CHECK(error_of(expand_list(std::vector<gfs_list_entry>{{0, 0, 1}, {0, 0, -1}}, roomy)) == Error::bad_argument);
  CHECK(error_of(expand_batched(Batch{record(0, 0, 1), record(0, 0, -1)}, 0, roomy)) == Error::bad_argument);
  CHECK(error_of(expand_batched(Batch{repeated(record(0, 0, 1), -1, 0, 0)}, 0, roomy)) == Error::bad_argument);
  gfs_batch vec = vector_of(0, 0, {});
  vec.subvec = nullptr;
  vec.subvec_len = 1;
  CHECK(error_of(expand_batched(Batch{vec}, 0, roomy)) == Error::bad_argument);
  const Batch inner{record(0, 0, 1)};
  vec = vector_of(0, 0, inner);
  vec.subvec_len = -1;
  CHECK(error_of(expand_batched(Batch{vec}, 0, roomy)) == Error::bad_argument);
}

TEST_CASE("a byte before the fork's beginning or behind its end is out of the file") {
  CHECK(error_of(expand_plain(-1, 0, 1, roomy)) == Error::out_of_file);
  CHECK(error_of(expand_plain(991, 0, 10, roomy)) == Error::out_of_file);
  CHECK(error_of(expand_plain(0, 0, 1, {0, 1000})) == Error::out_of_file);
  CHECK(error_of(expand_strided(0, 0, 10, 495, 10, 4, roomy)) == Error::out_of_file);
  CHECK(error_of(expand_strided(20, 0, 10, -11, 10, 3, roomy)) == Error::out_of_file);
  CHECK(error_of(expand_nested(0, 0, 10, std::vector<stride>{{10, 10, 10}, {100, 0, 11}}, roomy)) ==
        Error::out_of_file);
  CHECK(error_of(expand_batched(Batch{record(10, 0, 1), record(-11, 0, 1)}, 0, roomy)) == Error::out_of_file);
  CHECK(error_of(expand_list(std::vector<gfs_list_entry>{{0, 0, 1}, {1000, 0, 1}}, roomy)) == Error::out_of_file);
}

TEST_CASE("a byte outside the buffer is out of memory") {
  CHECK(error_of(expand_plain(0, -1, 1, roomy)) == Error::out_of_memory);
  CHECK(error_of(expand_plain(0, 991, 10, roomy)) == Error::out_of_memory);
  CHECK(error_of(expand_strided(0, 20, 10, 10, -11, 3, roomy)) == Error::out_of_memory);
  CHECK(error_of(expand_nested(0, 0, 10, std::vector<stride>{{0, 10, 10}, {0, 100, 11}}, roomy)) ==
        Error::out_of_memory);
  CHECK(error_of(expand_batched(Batch{record(0, 1, 1)}, -2, roomy)) == Error::out_of_memory);
  CHECK(error_of(expand_list(std::vector<gfs_list_entry>{{0, 1000, 1}}, roomy)) == Error::out_of_memory);
}

TEST_CASE("places and sums that do not fit into 63 bits overflow") {
  const Bounds endless{std::numeric_limits<std::uint64_t>::max(), std::numeric_limits<std::uint64_t>::max()};
  CHECK(good(expand_plain(most - 10, most - 10, 10, endless)).size() == 1);
  CHECK(error_of(expand_plain(most - 10, 0, 11, endless)) == Error::overflow);
  CHECK(error_of(expand_plain(0, most - 10, 11, endless)) == Error::overflow);
  CHECK(good(expand_strided(1, 0, 1, most - 2, 0, 2, endless)).size() == 2);
  CHECK(error_of(expand_strided(1, 0, 1, most - 1, 0, 2, endless)) == Error::overflow);
  CHECK(error_of(expand_strided(0, 0, 1, most, 0, 3, endless)) == Error::overflow);
  CHECK(error_of(expand_strided(-1, 0, 1, least, 0, 2, endless)) == Error::overflow);
  // Each record fits; together they are more than 2^63 - 1 bytes.
  CHECK(error_of(expand_strided(0, 0, most / 2 + 1, 0, 0, 2, endless)) == Error::overflow);
  CHECK(error_of(expand_list(std::vector<gfs_list_entry>{{0, 0, most}, {0, 0, 1}}, endless)) == Error::overflow);
  CHECK(error_of(expand_nested(0, 0, 1, std::vector<stride>{{0, 0, 2}, {most, 0, 3}}, endless)) == Error::overflow);
  CHECK(error_of(expand_batched(Batch{record(most, 0, 0), record(1, 0, 0)}, 0, endless)) == Error::overflow);
  CHECK(error_of(expand_batched(Batch{record(0, 1, 1)}, most, endless)) == Error::overflow);
  const Batch inner{record(0, 0, 1)};
  CHECK(error_of(expand_batched(Batch{repeated(vector_of(0, 0, inner), 3, most, 0)}, 0, endless)) == Error::overflow);
}

TEST_CASE("vectors may lie 64 deep in one another, and one that holds itself is too deep") {
  std::deque<Batch> levels{{record(1, 0, 1)}};
  while (levels.size() < most_levels) levels.push_back({vector_of(1, 0, levels.back())});
  CHECK(good(expand_batched(levels.back(), 0, roomy)) == ChunkList{{64, 0, 1}});
  levels.push_back({vector_of(1, 0, levels.back())});
  CHECK(error_of(expand_batched(levels.back(), 0, roomy)) == Error::too_deep);
  Batch snake{record(0, 0, 1), vector_of(0, 0, levels.back()), record(0, 0, 1)};
  snake[1].subvec = snake.data();
  snake[1].subvec_len = 3;
  CHECK(error_of(expand_batched(snake, 0, roomy)) == Error::too_deep);
}

TEST_CASE("too many chunks are refused before any is stored") {
  const std::int64_t limit = most_chunks;
  const Bounds byte{1, 1};
  CHECK(error_of(expand_strided(0, 0, 1, 0, 0, limit + 1, byte)) == Error::too_many_chunks);
  CHECK(error_of(expand_strided(0, 0, 1, 0, 0, most, byte)) == Error::too_many_chunks);
  CHECK(error_of(expand_strided(0, 0, 2, 0, 0, limit, byte)) == Error::out_of_file);  // not too many, but too large
  const std::vector<stride> over{{0, 0, 1 << 20}, {0, 0, (1 << 6) + 1}}, most_of_all{{0, 0, most}, {0, 0, most}};
  const std::vector<stride> just{{0, 0, 1 << 20}, {0, 0, 1 << 6}};
  CHECK(error_of(expand_nested(0, 0, 1, over, byte)) == Error::too_many_chunks);
  CHECK(error_of(expand_nested(0, 0, 1, most_of_all, byte)) == Error::too_many_chunks);
  CHECK(error_of(expand_nested(0, 0, 2, just, byte)) == Error::out_of_file);
  const Batch run{repeated(record(0, 0, 1), 1 << 20, 0, 0)};
  CHECK(error_of(expand_batched(Batch{repeated(vector_of(0, 0, run), (1 << 6) + 1, 0, 0)}, 0, byte)) ==
        Error::too_many_chunks);
  CHECK(error_of(expand_batched(Batch{repeated(vector_of(0, 0, run), most, 0, 0)}, 0, byte)) == Error::too_many_chunks);
}

TEST_CASE("descriptions that are long to walk through are refused, even if they transfer nothing") {
  // One byte and a thousand elements without any, a million times.
  Batch mostly_empty(1000, record(0, 0, 0));
  mostly_empty.push_back(record(0, 0, 1));
  CHECK(error_of(expand_batched(Batch{repeated(vector_of(0, 0, mostly_empty), 1000000, 0, 0)}, 0, roomy)) ==
        Error::too_many_chunks);
  // 2^60 ways through 60 vectors, whose two elements both are the next vector, to nothing.
  std::deque<Batch> levels{{record(0, 0, 0)}};
  while (levels.size() < 60) levels.push_back({vector_of(0, 0, levels.back()), vector_of(0, 0, levels.back())});
  CHECK(error_of(expand_batched(levels.back(), 0, roomy)) == Error::too_many_chunks);
  // A length that cannot be is refused before the elements are read.
  gfs_batch endless = vector_of(0, 0, mostly_empty);
  endless.subvec_len = most;
  CHECK(error_of(expand_batched(Batch{endless}, 0, roomy)) == Error::too_many_chunks);
}

TEST_CASE("a vector repeated zero times is not looked at") {
  const Batch bad{record(0, 0, -1)};
  const gfs_batch nowhere = repeated(vector_of(0, 0, bad), 0, 1, 1);
  CHECK(good(expand_batched(Batch{nowhere, record(1, 1, 1)}, 0, roomy)) == ChunkList{{1, 1, 1}});
}

TEST_CASE("every error has a sentence of its own") {
  std::set<std::string> sentences;
  std::size_t errors = 0;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<Error>>([&](auto error) {
    ++errors;
    const std::string sentence = what(error.value);
    INFO(error.name);
    CHECK(sentence.ends_with("."));
    CHECK(sentence.size() > 15);
    sentences.insert(sentence);
  });
  CHECK(errors == 17);
  CHECK(sentences.size() == errors);
  CHECK_FALSE(sentences.contains(what(static_cast<Error>(100))));
}

namespace {

/// Carries out requests as the words say, byte by byte, as a long list of plain reads or writes.
struct NaiveFileSystem {
  std::vector<std::uint8_t> fork, memory;
  bool writing = false;
  bool outside = false;  ///< a byte was named that is not there

  NaiveFileSystem(std::size_t fork_bytes, std::size_t memory_bytes, bool write) : writing(write) {
    for (std::size_t i = 0; i < fork_bytes; ++i) fork.push_back(static_cast<std::uint8_t>(mix64(i)));
    for (std::size_t i = 0; i < memory_bytes; ++i) memory.push_back(static_cast<std::uint8_t>(mix64(~i)));
  }

  void transfer(std::int64_t f, std::int64_t m, std::int64_t size) {
    for (std::int64_t b = 0; b < size; ++b) {
      const auto from = static_cast<std::size_t>(f + b), to = static_cast<std::size_t>(m + b);
      if (from >= fork.size() || to >= memory.size()) {  // negative ones are very large
        outside = true;
        return;
      }
      (writing ? fork[from] : memory[to]) = writing ? memory[to] : fork[from];
    }
  }

  /// Element `index` of a vector begins where, if the vector begins at `f` and `m`?
  static std::int64_t file_of(const gfs_batch* vec, std::int64_t index, std::int64_t f) {
    if (vec[index].f_absolute) return vec[index].f_off;
    return vec[index].f_off + (index == 0 ? f : file_of(vec, index - 1, f));
  }
  static std::int64_t memory_of(const gfs_batch* vec, std::int64_t index, std::int64_t m, std::int64_t base) {
    if (vec[index].m_absolute) return base + vec[index].m_off;
    return vec[index].m_off + (index == 0 ? m : memory_of(vec, index - 1, m, base));
  }
  void batched(const gfs_batch* vec, std::int64_t elements, std::int64_t f, std::int64_t m, std::int64_t base) {
    for (std::int64_t e = 0; e < elements; ++e)
      for (std::int64_t i = 0; i < vec[e].quant; ++i) {
        const std::int64_t at_f = file_of(vec, e, f) + i * vec[e].f_stride;
        const std::int64_t at_m = memory_of(vec, e, m, base) + i * vec[e].m_stride;
        if (vec[e].sub_vector) batched(vec[e].subvec, vec[e].subvec_len, at_f, at_m, base);
        else transfer(at_f, at_m, vec[e].size);
      }
  }

  void chunks(const ChunkList& list) {
    for (const Chunk& chunk : list)
      transfer(static_cast<std::int64_t>(chunk.offset), static_cast<std::int64_t>(chunk.memory),
               static_cast<std::int64_t>(chunk.bytes));
  }
};

/// Random batches: the vectors of each lie in one store.
class RandomBatches {
 public:
  explicit RandomBatches(RandomStream& random) : random_(random) {}

  const Batch& batch(unsigned depth, std::int64_t fork_bytes, std::int64_t memory_bytes) {
    Batch vec(random_.below(5));
    for (std::size_t i = 0; i < vec.size(); ++i) {
      gfs_batch& element = vec[i];
      element.f_absolute = random_.below(4) == 0;
      element.m_absolute = random_.below(4) == 0;
      element.f_off = element.f_absolute ? between(fork_bytes / 4, 3 * fork_bytes / 4) : between(-30, 30);
      element.m_off = element.m_absolute ? between(0, memory_bytes / 4) : between(-30, 30);
      element.quant = between(0, 4);
      element.f_stride = between(-30, 30);
      element.m_stride = between(-30, 30);
      element.sub_vector = depth > 1 && random_.below(2) == 0;
      element.size = between(0, 20);
      if (!element.sub_vector) continue;
      const Batch& sub = batch(depth - 1, fork_bytes, memory_bytes);
      element.subvec = sub.data();
      element.subvec_len = static_cast<std::int64_t>(sub.size());
    }
    store_.push_back(std::move(vec));
    return store_.back();
  }
  std::int64_t between(std::int64_t from, std::int64_t to) {
    return from + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(to - from + 1)));
  }

 private:
  RandomStream& random_;
  std::deque<Batch> store_;
};

}  // namespace

TEST_CASE("a random batch moves, byte for byte, what the plain reads and writes do that it stands for") {
  RandomStream random(7, "galley batches");
  int carried_out = 0, refused = 0, overlapping = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    RandomBatches batches(random);
    const std::int64_t fork = batches.between(300, 1200), memory = batches.between(300, 1200);
    Batch vec = batches.batch(1 + static_cast<unsigned>(random.below(4)), fork, memory);
    if (!vec.empty()) vec.front().f_off += fork / 2;  // most of it lies inside
    const std::int64_t base = memory / 2;
    const bool writes = random.below(2) == 0;
    NaiveFileSystem meant(static_cast<std::size_t>(fork), static_cast<std::size_t>(memory), writes);
    NaiveFileSystem done = meant;
    meant.batched(vec.data(), static_cast<std::int64_t>(vec.size()), 0, base, base);
    const Expansion expansion =
        expand_batched(vec, base, {static_cast<std::uint64_t>(fork), static_cast<std::uint64_t>(memory)});
    CAPTURE(trial, what(expansion.error));
    REQUIRE(meant.outside == (expansion.error != Error::none));
    if (meant.outside) {
      REQUIRE((expansion.error == Error::out_of_file || expansion.error == Error::out_of_memory));
      ++refused;
      continue;
    }
    const ChunkList chunks = good(expansion);
    done.chunks(chunks);
    REQUIRE(!done.outside);
    REQUIRE((done.memory == meant.memory));  // not to be printed: these are any bytes
    REQUIRE((done.fork == meant.fork));
    REQUIRE(std::ranges::none_of(chunks, [](const Chunk& chunk) { return chunk.bytes == 0; }));
    if (chunks.empty()) continue;
    ++carried_out;
    NaiveFileSystem backwards(static_cast<std::size_t>(fork), static_cast<std::size_t>(memory), writes);
    backwards.chunks({chunks.rbegin(), chunks.rend()});
    overlapping += backwards.memory != meant.memory || backwards.fork != meant.fork;
  }
  CHECK(carried_out > 1000);
  CHECK(refused > 300);
  CHECK(overlapping > 300);  // so the order of the list has been seen to matter
}

TEST_CASE("a random nested-strided request is its loops, and the tree of batches that says the same") {
  RandomStream random(8, "galley nests");
  const Bounds bounds{4000, 4000};
  int carried_out = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    RandomBatches numbers(random);
    std::vector<stride> vec;
    for (std::int64_t level = numbers.between(0, 4); level > 0; --level)
      vec.push_back({numbers.between(-80, 80), numbers.between(-80, 80), numbers.between(trial % 10 == 0 ? 0 : 1, 4)});
    const std::int64_t offset = numbers.between(0, 4000), memory = numbers.between(0, 4000);
    const std::int64_t size = numbers.between(trial % 10 == 1 ? 0 : 1, 30);

    // The repetitions, counted in a number whose digits are those of the levels.
    Expansion meant;
    bool outside = false;
    std::int64_t count = 1;
    for (const stride& level : vec) count *= level.quant;
    for (std::int64_t i = 0; i < count && size > 0; ++i) {
      std::int64_t f = offset, m = memory, rest = i;
      for (const stride& level : vec) {
        f += rest % level.quant * level.f_stride;
        m += rest % level.quant * level.m_stride;
        rest /= level.quant;
      }
      outside |= f < 0 || f + size > 4000 || m < 0 || m + size > 4000;
      meant.fork.append({static_cast<std::uint64_t>(f), static_cast<std::uint64_t>(size)});
      meant.memory.append({static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(size)});
      ++meant.chunks;
    }
    if (outside) meant = {};

    std::deque<Batch> tree;
    for (const stride& level : vec)
      tree.push_back({repeated(tree.empty() ? record(0, 0, size) : vector_of(0, 0, tree.back()), level.quant,
                               level.f_stride, level.m_stride)});
    if (tree.empty()) tree.push_back({record(0, 0, size)});
    tree.back().front().f_off = offset;
    tree.back().front().m_off = memory;

    const Expansion nested = expand_nested(offset, memory, size, vec, bounds);
    const Expansion batched = expand_batched(tree.back(), 0, bounds);
    REQUIRE((nested.error != Error::none) == outside);
    REQUIRE(nested.error == batched.error);
    REQUIRE(nested.chunks == meant.chunks);
    REQUIRE(batched.chunks == meant.chunks);
    REQUIRE(chunks_of(nested) == chunks_of(meant));
    REQUIRE(chunks_of(batched) == chunks_of(meant));
    carried_out += meant.chunks > 0;
    if (vec.size() == 1) {
      const Expansion strided =
          expand_strided(offset, memory, size, vec[0].f_stride, vec[0].m_stride, vec[0].quant, bounds);
      REQUIRE(strided.error == nested.error);
      REQUIRE(strided.chunks == meant.chunks);
      REQUIRE(chunks_of(strided) == chunks_of(meant));
    }
  }
  CHECK(carried_out > 800);
}

TEST_CASE("no numbers are so bad that an expansion crashes, hangs or takes much memory") {
  RandomStream random(9, "galley hostile");
  const std::vector<std::int64_t> numbers{
      least, least + 1, -most / 2, -(std::int64_t{1} << 31), -100,     -1,       0,   0, 1, 1, 2,
      3,     100,       1000,      std::int64_t{1} << 31,    most / 2, most - 1, most};
  const auto any = [&] { return numbers[random.below(numbers.size())]; };
  const auto mostly_small = [&] { return random.below(3) == 0 ? any() : static_cast<std::int64_t>(random.below(30)); };
  std::set<Error> seen;
  for (int trial = 0; trial < 20000; ++trial) {
    const Bounds bounds{static_cast<std::uint64_t>(any()), static_cast<std::uint64_t>(any())};
    std::vector<stride> vec(random.below(5));
    for (stride& level : vec) level = {mostly_small(), mostly_small(), mostly_small()};
    std::vector<gfs_list_entry> list(random.below(5));
    for (gfs_list_entry& entry : list) entry = {mostly_small(), mostly_small(), mostly_small()};
    Batch leaves(random.below(4)), middle(random.below(4)), top(random.below(4));
    for (Batch* vector : {&leaves, &middle, &top})
      for (gfs_batch& element : *vector) {
        element = absolute(repeated(record(mostly_small(), mostly_small(), mostly_small()), mostly_small(),
                                    mostly_small(), mostly_small()),
                           random.below(2) == 0, random.below(2) == 0);
        element.sub_vector = random.below(3) > 0;
        // A length that is too large must not be one that would be believed.
        const Batch& sub = vector == &top ? middle : leaves;
        element.subvec = random.below(10) == 0 ? nullptr : sub.data();
        element.subvec_len = random.below(8) == 0   ? most - static_cast<std::int64_t>(random.below(5))
                             : random.below(8) == 0 ? -1
                                                    : static_cast<std::int64_t>(sub.size());
      }
    for (const Expansion& expansion :
         {expand_plain(any(), any(), any(), bounds), expand_strided(any(), any(), any(), any(), any(), any(), bounds),
          expand_nested(mostly_small(), mostly_small(), mostly_small(), vec, bounds), expand_list(list, bounds),
          expand_batched(top, mostly_small(), bounds)}) {
      seen.insert(expansion.error);
      REQUIRE(expansion.chunks <= most_chunks);
      REQUIRE(std::ranges::all_of(chunks_of(expansion), [&](const Chunk& chunk) {
        return chunk.bytes > 0 && chunk.offset + chunk.bytes <= bounds.fork_bytes &&
               chunk.memory + chunk.bytes <= bounds.memory_bytes;
      }));
    }
  }
  CHECK(seen == std::set<Error>{Error::none, Error::bad_argument, Error::overflow, Error::out_of_file,
                                Error::out_of_memory, Error::too_deep, Error::too_many_chunks});
}

namespace {

using Piece = Extents::Piece;

Extents in_turn(const std::vector<Extent>& list) {
  Extents extents;
  for (const Extent& extent : list) extents.append(extent);
  return extents;
}

std::vector<Piece> pieces(const Extents& extents, std::uint64_t position, std::uint64_t bytes) {
  std::vector<Piece> all;
  for (const Piece& piece : extents.pieces(position, bytes)) all.push_back(piece);
  return all;
}
std::vector<Piece> pieces(const Extents& extents) { return pieces(extents, 0, extents.bytes()); }

}  // namespace

TEST_CASE("extents that continue each other are one, in the order of the list") {
  const Extents extents = in_turn({{100, 10}, {110, 5}, {115, 1}, {0, 100}, {100, 3}, {103, 4}, {90, 13}});
  CHECK(extents.size() == 3);
  CHECK(extents.bytes() == 136);
  CHECK(pieces(extents) == std::vector<Piece>{{{100, 16}, 0}, {{0, 107}, 16}, {{90, 13}, 123}});
  CHECK(pieces(Extents()).empty());
  // An overlap or a repetition is no continuation, and nothing is brought into order.
  CHECK(pieces(in_turn({{10, 5}, {14, 5}, {14, 5}, {5, 5}})) ==
        std::vector<Piece>{{{10, 5}, 0}, {{14, 5}, 5}, {{14, 5}, 10}, {{5, 5}, 15}});
}

TEST_CASE("a range of the stream begins and ends inside extents") {
  //  stream   0..14 at 500, 14..20 at 300, 20..30 at 0, 30..33 at 5 (overlaps)
  const Extents extents = in_turn({{500, 10}, {510, 4}, {300, 6}, {0, 10}, {5, 3}});
  CHECK(pieces(extents) == std::vector<Piece>{{{500, 14}, 0}, {{300, 6}, 14}, {{0, 10}, 20}, {{5, 3}, 30}});
  CHECK(pieces(extents, 8, 4) == std::vector<Piece>{{{508, 4}, 8}});
  CHECK(pieces(extents, 10, 5) == std::vector<Piece>{{{510, 4}, 10}, {{300, 1}, 14}});
  CHECK(pieces(extents, 15, 2) == std::vector<Piece>{{{301, 2}, 15}});
  CHECK(pieces(extents, 32, 1) == std::vector<Piece>{{{7, 1}, 32}});
  CHECK(pieces(extents, 12, 0).empty());
  CHECK(pieces(extents, 33, 0).empty());
}

TEST_CASE("records at equal distances are one run, however many, and however they are named") {
  constexpr std::int64_t many = most_chunks;
  const Bounds large{std::uint64_t{1} << 40, std::uint64_t{1} << 40};
  const Expansion strided = expand_strided(192, 0, 64, 1024, 64, many, large);
  CHECK(strided.chunks == many);
  CHECK(strided.fork.size() == many);
  CHECK(strided.fork.runs() == 1);
  CHECK(strided.memory.size() == 1);
  CHECK(pieces(strided.fork, 64 * (many - 1) + 60, 4) ==
        std::vector<Piece>{{{192 + 1024 * (many - 1) + 60, 4}, 64 * (many - 1) + 60}});
  const std::vector<stride> two_levels{{1024, 64, 16}, {16 * 1024, 16 * 64, 16}};
  CHECK(expand_nested(192, 0, 64, two_levels, large).fork.runs() == 1);
  std::vector<gfs_list_entry> list;
  for (std::int64_t i = 0; i < 256; ++i) list.push_back({(256 - i) * 1024, i * 64, 64});
  CHECK(expand_list(list, large).fork.size() == 256);
  CHECK(expand_list(list, large).fork.runs() == 1);
}

TEST_CASE("extents overlap if any two share a byte, also where runs lie in one another") {
  Extents comb;
  comb.append({0, 10}, 30, 4);
  comb.append({10, 10}, 30, 4);
  CHECK(comb.apart());
  Extents backwards = comb;
  backwards.append({110, 10}, static_cast<std::uint64_t>(-30), 4);
  CHECK(backwards.apart());
  backwards.append({59, 2});
  CHECK_FALSE(backwards.apart());
  Extents dense;
  dense.append({0, 10}, 9, 2);
  CHECK_FALSE(dense.apart());
  Extents repeated;
  repeated.append({40, 10}, 0, 2);
  CHECK_FALSE(repeated.apart());
}

TEST_CASE("random extents are those of a walk over every byte, whichever way they are appended") {
  RandomStream random(10, "galley streams");
  int apart = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    Extents extents, rest;
    std::vector<std::uint64_t> at;  // where each byte of the stream lies
    for (std::uint64_t runs = 1 + random.below(8); runs > 0; --runs) {
      const bool touches = !at.empty() && random.below(2) == 0;
      const Extent first{touches ? at.back() + 1 : 1000 + random.below(trial % 2 == 0 ? 100 : 1000),
                         1 + random.below(4)};
      const std::uint64_t count = 1 + random.below(4), stride = random.below(30) - 10;  // modulo 2^64
      (random.below(3) == 0 ? rest : extents).append(first, stride, count);
      if (rest.size() > 0) {
        extents.append(rest);
        rest = {};
      }
      for (std::uint64_t i = 0; i < count; ++i)
        for (std::uint64_t b = 0; b < first.bytes; ++b) at.push_back(first.offset + i * stride + b);
    }
    REQUIRE(extents.bytes() == at.size());
    const auto meant = [&](std::uint64_t position, std::uint64_t bytes) {
      std::vector<Piece> all;
      for (std::uint64_t b = position; b < position + bytes; ++b)
        if (b > position && at[b] == at[b - 1] + 1) ++all.back().bytes;
        else all.push_back({{at[b], 1}, b});
      return all;
    };
    REQUIRE(pieces(extents) == meant(0, at.size()));
    REQUIRE(extents.size() == meant(0, at.size()).size());
    const std::uint64_t position = random.below(at.size() + 1), bytes = random.below(at.size() - position + 1);
    REQUIRE(pieces(extents, position, bytes) == meant(position, bytes));
    const bool disjoint = std::set(at.begin(), at.end()).size() == at.size();
    REQUIRE(extents.apart() == disjoint);
    apart += disjoint;
  }
  CHECK(apart > 100);
  CHECK(apart < 900);
}

}  // namespace sunstar::file_systems::galley
