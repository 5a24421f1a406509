// SPDX-License-Identifier: MIT
#include "sw/file_systems/galley/requests/chunks.h"

namespace sunstar::file_systems::galley {

namespace {

/// Offsets into fork and memory. They may leave both on the way to a record.
struct Place {
  std::int64_t file = 0, memory = 0;
};

/// Moves the place; false if it does not fit into 63 bits then.
bool shift(Place& place, std::int64_t file, std::int64_t memory) {
  return !__builtin_add_overflow(place.file, file, &place.file) &&
         !__builtin_add_overflow(place.memory, memory, &place.memory);
}

/// Records at equal distances: what all requests consist of. No number of it is negative but for places and strides.
struct Records {
  Place first;
  std::int64_t bytes, quant, f_stride, m_stride;
};

/// Whether records of `bytes`, at least one, lie in [0, end). Since they lie at equal distances, the first and the last
/// tell.
Error check(std::int64_t first, std::int64_t stride, const Records& records, std::uint64_t end, Error outside) {
  std::int64_t way, last, behind;
  if (__builtin_mul_overflow(records.quant - 1, stride, &way) || __builtin_add_overflow(first, way, &last) ||
      __builtin_add_overflow(std::max(first, last), records.bytes, &behind))
    return Error::overflow;
  return std::min(first, last) < 0 || static_cast<std::uint64_t>(behind) > end ? outside : Error::none;
}

struct Sum {
  std::int64_t chunks = 0, bytes = 0;
};

Error add(Sum& sum, const Records& records, const Bounds& bounds) {
  if (__builtin_add_overflow(sum.chunks, records.quant, &sum.chunks) ||
      sum.chunks > static_cast<std::int64_t>(most_chunks))
    return Error::too_many_chunks;
  if (const Error error = check(records.first.file, records.f_stride, records, bounds.fork_bytes, Error::out_of_file);
      error != Error::none)
    return error;
  if (const Error error =
          check(records.first.memory, records.m_stride, records, bounds.memory_bytes, Error::out_of_memory);
      error != Error::none)
    return error;
  std::int64_t bytes;
  if (__builtin_mul_overflow(records.quant, records.bytes, &bytes) ||
      __builtin_add_overflow(sum.bytes, bytes, &sum.bytes))
    return Error::overflow;
  return Error::none;
}

/// `walk(visit)` calls visit(Records) for all records of a request, in order, until visit returns an error, and returns
/// that or one of its own. It is called twice: nothing is stored before all is checked.
template <class Walk>
Expansion expand(const Bounds& bounds, const Walk& walk) {
  Sum sum;
  const Error error = walk([&](const Records& records) {
    return records.bytes == 0 || records.quant == 0 ? Error::none : add(sum, records, bounds);
  });
  if (error != Error::none) return {error};
  Expansion expansion{.chunks = static_cast<std::uint64_t>(sum.chunks)};
  walk([&](const Records& records) {
    if (records.bytes == 0 || records.quant == 0) return Error::none;
    const auto append = [&](Extents& end, std::int64_t first, std::int64_t stride) {
      end.append({static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(records.bytes)},
                 static_cast<std::uint64_t>(stride), static_cast<std::uint64_t>(records.quant));
    };
    append(expansion.fork, records.first.file, records.f_stride);
    append(expansion.memory, records.first.memory, records.m_stride);
    return Error::none;
  });
  return expansion;
}

/// Walks the levels of a nested-strided request, the last one outermost. The innermost is one visit.
template <class Visit>
Error walk_levels(std::span<const stride> levels, Place place, std::int64_t bytes, const Visit& visit) {
  if (levels.empty()) return visit(Records{place, bytes, 1, 0, 0});
  const stride& outer = levels.back();
  if (levels.size() == 1) return visit(Records{place, bytes, outer.quant, outer.f_stride, outer.m_stride});
  for (std::int64_t i = 0; i < outer.quant; ++i) {
    if (i > 0 && !shift(place, outer.f_stride, outer.m_stride)) return Error::overflow;
    if (const Error error = walk_levels(levels.first(levels.size() - 1), place, bytes, visit); error != Error::none)
      return error;
  }
  return Error::none;
}

/// Checks the vectors of a batched request before anything is repeated.
class Survey {
 public:
  struct Result {
    std::uint64_t steps = 0;  ///< to walk through the vector once
    bool transfers = false;   ///< at least one chunk
  };

  Error vector(std::span<const gfs_batch> vec, unsigned level, Result& result) {
    if (level > most_levels) return Error::too_deep;
    if (vec.size() > most_elements - looked_at_) return Error::too_many_chunks;
    looked_at_ += vec.size();
    result.steps += vec.size();
    for (const gfs_batch& element : vec) {
      if (element.quant < 0) return Error::bad_argument;
      if (!element.sub_vector) {
        if (element.size < 0) return Error::bad_argument;
        result.transfers |= element.size > 0 && element.quant > 0;
        continue;
      }
      if (element.subvec_len < 0 || (element.subvec_len > 0 && !element.subvec)) return Error::bad_argument;
      if (element.quant == 0) continue;
      Result sub;
      if (const Error error = vector({element.subvec, static_cast<std::size_t>(element.subvec_len)}, level + 1, sub);
          error != Error::none)
        return error;
      // A vector that transfers nothing is walked through only once, however often it is repeated.
      if (sub.transfers && __builtin_mul_overflow(sub.steps, element.quant, &sub.steps)) return Error::too_many_chunks;
      if (sub.steps > most_steps - result.steps) return Error::too_many_chunks;
      result.steps += sub.steps;
      result.transfers |= sub.transfers;
    }
    return Error::none;
  }

 private:
  std::uint64_t looked_at_ = 0;  ///< elements, each as often as a vector names it
};

/// Walks through the vectors of a batched request that the survey has passed.
template <class Visit>
class Batches {
 public:
  Batches(std::int64_t memory, const Visit& visit) : memory_(memory), visit_(visit) {}

  Error vector(std::span<const gfs_batch> vec, Place begin) {
    Place place = begin;
    for (const gfs_batch& element : vec) {
      if (element.f_absolute) place.file = 0;
      if (element.m_absolute) place.memory = memory_;
      if (!shift(place, element.f_off, element.m_off)) return Error::overflow;
      const Error error = element.sub_vector ? repeat(element, place) : records(element, place);
      if (error != Error::none) return error;
    }
    return Error::none;
  }

 private:
  Error records(const gfs_batch& element, Place place) {
    if (element.size == 0 || element.quant == 0) return Error::none;
    ++visits_;
    return visit_(Records{place, element.size, element.quant, element.f_stride, element.m_stride});
  }
  Error repeat(const gfs_batch& element, Place place) {
    const std::uint64_t before = visits_;
    for (std::int64_t i = 0; i < element.quant; ++i) {
      if (i > 0 && !shift(place, element.f_stride, element.m_stride)) return Error::overflow;
      if (const Error error = vector({element.subvec, static_cast<std::size_t>(element.subvec_len)}, place);
          error != Error::none)
        return error;
      if (visits_ == before) break;
    }
    return Error::none;
  }

  std::int64_t memory_;
  const Visit& visit_;
  std::uint64_t visits_ = 0;
};

}  // namespace

Expansion expand_plain(std::int64_t offset, std::int64_t memory, std::int64_t bytes, const Bounds& bounds) {
  return expand_strided(offset, memory, bytes, 0, 0, 1, bounds);
}

Expansion expand_strided(std::int64_t offset, std::int64_t memory, std::int64_t rec_size, std::int64_t f_stride,
                         std::int64_t m_stride, std::int64_t quant, const Bounds& bounds) {
  if (rec_size < 0 || quant < 0) return {Error::bad_argument};
  return expand(bounds, [&](const auto& visit) {
    return visit(Records{{offset, memory}, rec_size, quant, f_stride, m_stride});
  });
}

Expansion expand_nested(std::int64_t offset, std::int64_t memory, std::int64_t rec_size, std::span<const stride> vec,
                        const Bounds& bounds) {
  const auto is_negative = [](const stride& level) { return level.quant < 0; };
  const auto is_none = [](const stride& level) { return level.quant == 0; };
  if (rec_size < 0 || std::ranges::any_of(vec, is_negative)) return {Error::bad_argument};
  if (rec_size == 0 || std::ranges::any_of(vec, is_none)) return {};
  std::vector<stride> levels;  // only the levels that repeat anything: few enough for recursion
  std::int64_t chunks = 1;
  for (const stride& level : vec) {
    if (level.quant == 1) continue;
    if (__builtin_mul_overflow(chunks, level.quant, &chunks) || chunks > static_cast<std::int64_t>(most_chunks))
      return {Error::too_many_chunks};
    levels.push_back(level);
  }
  return expand(bounds, [&](const auto& visit) { return walk_levels(levels, {offset, memory}, rec_size, visit); });
}

Expansion expand_batched(std::span<const gfs_batch> vec, std::int64_t memory, const Bounds& bounds) {
  Survey::Result result;
  if (const Error error = Survey().vector(vec, 1, result); error != Error::none) return {error};
  return expand(bounds, [&](const auto& visit) { return Batches(memory, visit).vector(vec, {0, memory}); });
}

Expansion expand_list(std::span<const gfs_list_entry> list, const Bounds& bounds) {
  if (std::ranges::any_of(list, [](const gfs_list_entry& entry) { return entry.size < 0; }))
    return {Error::bad_argument};
  return expand(bounds, [&](const auto& visit) {
    for (const gfs_list_entry& entry : list)
      if (const Error error = visit(Records{{entry.f_off, entry.m_off}, entry.size, 1, 0, 0}); error != Error::none)
        return error;
    return Error::none;
  });
}

}  // namespace sunstar::file_systems::galley
