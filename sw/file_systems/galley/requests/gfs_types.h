// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

// What an application says of the bytes it wants, under the names of the paper (Nieuwejaar and Kotz, The Galley
// parallel file system, section 5). All numbers are bytes or counts. The paper has 32 bits for them, here they have 64.
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

}  // namespace sunstar::file_systems::galley
