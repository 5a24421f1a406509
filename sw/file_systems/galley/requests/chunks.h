// SPDX-License-Identifier: MIT
#pragma once
#include <span>

#include "sw/file_systems/galley/requests/error.h"
#include "sw/file_systems/galley/requests/extents.h"

// How an application describes the bytes it wants, under the names of the paper (Nieuwejaar and Kotz, The Galley
// parallel file system, section 5). All numbers are bytes or counts. The paper has 32 bits for them, here they have 64.
// Galley's requests, expanded to chunks: runs of bytes that lie contiguously in the fork and in memory, as the request
// names them. A compute processor does this once a request ("the list of data chunks is precomputed on the CP", section
// 4.2.1). A request means the same as its records read or written one by one in the order of the list; where chunks
// overlap, that order decides.
//
// All functions check the whole description before they store the first chunk, and take every number: a wrong one is
// answered with an Error. If several apply, the first one is answered: wrong sizes, counts and depth of the description
// come first, then wrong places in the order of the list, and their number as soon as it passes the limit. Sizes and
// counts of zero give no chunks, so none is outside.
namespace sunstar::file_systems::galley {

/// One level of a nested-strided request (section 5.2): what it repeats, and how far apart.
struct stride {
  std::int64_t f_stride = 0;  ///< bytes in the fork from the beginning of one repetition to that of the next; any sign
  std::int64_t m_stride = 0;  ///< bytes in memory, likewise
  std::int64_t quant = 1;     ///< repetitions, from 0
  bool operator==(const stride&) const = default;
};

/// One element of a nested-batched request (section 5.3, figure 4): a record, or a vector of elements, that is repeated
/// at equal distances. Vectors may lie in vectors. The file system only reads them, and only during the call.
///
/// A relative offset counts from the initial offset of the element before it in the vector, that is from where the
/// first repetition of that element begins, in the same repetition of the vector. The first element's counts from where
/// the current repetition of the vector begins. (The paper says "the offset of the previous element"; the initial
/// offset is the only one that does not depend on how often that element is repeated.)
///
/// An absolute offset inside a repeated vector is the same place in each repetition: the strides of the vectors around
/// it do not move it, nor the elements behind it whose offsets are relative to it. The offset into the fork may be
/// absolute while that into memory is relative, and the other way round. Only records must lie in the fork and in the
/// buffer; the places of vectors may lie outside.
struct gfs_batch {
  std::int64_t f_off = 0;             ///< offset of the first repetition into the fork, bytes; any sign
  std::int64_t m_off = 0;             ///< offset of the first repetition into the buffer, bytes; any sign
  bool f_absolute = false;            ///< f_off counts from the beginning of the fork
  bool m_absolute = false;            ///< m_off counts from the beginning of the buffer of the request
  bool sub_vector = false;            ///< repeats a vector, `subvec`, instead of a record of `size` bytes
  std::int64_t quant = 1;             ///< repetitions, from 0; a vector repeated zero times is not looked at
  std::int64_t f_stride = 0;          ///< bytes in the fork from one repetition to the next; any sign
  std::int64_t m_stride = 0;          ///< bytes in memory from one repetition to the next; any sign
  std::int64_t subvec_len = 0;        ///< elements of `subvec`, from 0; of no meaning without sub_vector
  std::int64_t size = 0;              ///< bytes of the record, from 0; of no meaning with sub_vector
  const gfs_batch* subvec = nullptr;  ///< the first of subvec_len elements; of no meaning without sub_vector
};

/// One piece of a list request (section 5.4).
struct gfs_list_entry {
  std::int64_t f_off = 0;  ///< offset into the fork, bytes, from 0
  std::int64_t m_off = 0;  ///< offset into the buffer, bytes, from 0
  std::int64_t size = 0;   ///< bytes, from 0
  bool operator==(const gfs_list_entry&) const = default;
};

/// Most chunks of a request.
inline constexpr std::uint64_t most_chunks = std::uint64_t{1} << 26;
/// Most elements that a batched request describes, each counted as often as a vector names it.
inline constexpr std::uint64_t most_elements = std::uint64_t{1} << 24;
/// Most elements of a batched request that are carried out; a repeated vector's elements count once for each
/// repetition, even if they transfer nothing. This bounds the work for descriptions that say much and transfer little.
inline constexpr std::uint64_t most_steps = 2 * most_chunks;
/// Most vectors of a batched request that lie in one another, the outermost included.
inline constexpr unsigned most_levels = 64;

struct Bounds {
  std::uint64_t fork_bytes = 0;    ///< the fork's end for reads, the largest size it may get for writes
  std::uint64_t memory_bytes = 0;  ///< the size of the application's buffer
};

/// A request, expanded: the number of its chunks, and the two ends of the stream of bytes that they form in turn. The
/// I/O processor sees where the stream lies in the fork, the compute processor where it lies in memory; at each end,
/// chunks that touch there are one extent.
struct Expansion {
  Error error = Error::none;  ///< if there is one, all else is empty
  std::uint64_t chunks = 0;
  Extents fork{}, memory{};  ///< offsets into the fork and into the application's buffer

  std::uint64_t bytes() const { return fork.bytes(); }
};

// In these functions `offset` is that of the first record into the fork, and `memory` into the application's buffer, in
// bytes.

/// A plain read or write of `bytes` contiguous bytes.
/// Errors: bad_argument (negative bytes), overflow, out_of_file, out_of_memory.
Expansion expand_plain(std::int64_t offset, std::int64_t memory, std::int64_t bytes, const Bounds& bounds);

/// A simple-strided request (section 5.1): `quant` records of `rec_size` bytes, whose beginnings are f_stride bytes
/// apart in the fork and m_stride bytes in memory; both may have any sign. With m_stride == rec_size it gathers records
/// into contiguous memory, with f_stride == rec_size it scatters contiguous bytes of the fork. Errors: bad_argument
/// (negative rec_size or quant), overflow, out_of_file, out_of_memory, too_many_chunks.
Expansion expand_strided(std::int64_t offset, std::int64_t memory, std::int64_t rec_size, std::int64_t f_stride,
                         std::int64_t m_stride, std::int64_t quant, const Bounds& bounds);

/// A nested-strided request (section 5.2): a record of `rec_size` bytes, repeated as vec[0] says, all of that repeated
/// as vec[1] says, and so on: the innermost level comes first. Any number of levels; without any it is a plain request.
/// Errors: bad_argument (negative rec_size or quant), overflow, out_of_file, out_of_memory, too_many_chunks.
Expansion expand_nested(std::int64_t offset, std::int64_t memory, std::int64_t rec_size, std::span<const stride> vec,
                        const Bounds& bounds);

/// A nested-batched request (section 5.3): the elements of the vector, one after the other. gfs_batch explains them.
/// Absolute offsets into memory, and the first element's, count from `memory`; the first element's offset into the fork
/// counts from the fork's beginning. The caller vouches that each subvec points to subvec_len elements; the vectors may
/// share elements or hold themselves (which is too_deep). Errors: bad_argument (negative size, quant or subvec_len, a
/// null subvec of some elements), overflow, out_of_file, out_of_memory, too_deep, too_many_chunks.
Expansion expand_batched(std::span<const gfs_batch> vec, std::int64_t memory, const Bounds& bounds);

/// A list request (section 5.4): the pieces of the list, one after the other.
/// Errors: bad_argument (negative size), overflow, out_of_file, out_of_memory, too_many_chunks.
Expansion expand_list(std::span<const gfs_list_entry> list, const Bounds& bounds);

}  // namespace sunstar::file_systems::galley
