// SPDX-License-Identifier: MIT
#include "examples/galley/chunked_array.h"

#include <algorithm>
#include <boost/endian/arithmetic.hpp>
#include <cstddef>
#include <cstring>
#include <utility>

#include "examples/galley/crc.h"
#include "examples/galley/run_length.h"

namespace sunstar::file_systems::galley {

namespace {

/// An entry of the index fork. All bytes are zero if the chunk was never written.
struct StoredEntry {
  boost::endian::little_uint64_t offset{0};
  boost::endian::little_uint32_t stored{0}, raw{0}, checksum{0}, own_checksum{0};

  std::uint32_t sum() const {
    return crc32(std::as_bytes(std::span(this, 1)).first(offsetof(StoredEntry, own_checksum)));
  }
};
static_assert(sizeof(StoredEntry) == ChunkedArray::entry_bytes);

std::int64_t number(std::uint64_t n) { return static_cast<std::int64_t>(n); }

}  // namespace

ChunkedArray::Entry ChunkedArray::decode(std::span<const std::byte> bytes) {
  Entry entry;
  if (std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; })) return entry;
  StoredEntry from;
  std::memcpy(&from, bytes.data(), sizeof from);
  entry.offset = from.offset;
  entry.stored = from.stored;
  entry.raw = from.raw;
  entry.checksum = from.checksum;
  const bool sound = from.own_checksum == from.sum() && entry.stored <= entry.raw &&
                     entry.offset <= static_cast<std::uint64_t>(INT64_MAX) - entry.stored;
  entry.state = sound ? Entry::State::written : Entry::State::damaged;
  return entry;
}

void ChunkedArray::encode(const Entry& entry, std::span<std::byte> bytes) {
  StoredEntry to;
  to.offset = entry.offset;
  to.stored = entry.stored;
  to.raw = entry.raw;
  to.checksum = entry.checksum;
  to.own_checksum = to.sum();
  std::memcpy(bytes.data(), &to, sizeof to);
}

os::Task<Error> ChunkedArray::create(const std::string& name, std::uint64_t chunks, std::uint32_t subfiles,
                                     std::uint32_t first_disk) {
  if (chunks == 0 || subfiles == 0 || chunks > static_cast<std::uint64_t>(INT64_MAX) / entry_bytes)
    co_return Error::bad_argument;
  if (scratch_.bytes < entry_bytes || !in_buffer(gfs_, scratch_.memory, scratch_.bytes)) co_return Error::out_of_memory;
  const Answer file = co_await gfs_.gfs_create(name, subfiles, first_disk);
  if (file.error != Error::none) co_return file.error;
  const std::string name_of_data = data_name, name_of_index = index_name;
  ForkSet data = co_await create_forks(gfs_, file.number, name_of_data);
  if (data.error != Error::none) co_return data.error;
  ForkSet index = co_await create_forks(gfs_, file.number, name_of_index);
  if (index.error != Error::none) co_return index.error;
  for (std::uint32_t s = 0; s < subfiles; ++s) {
    const std::uint64_t bytes = entries(chunks, subfiles, s) * entry_bytes;
    const Answer extended = co_await gfs_.gfs_extend(index.numbers[s], number(bytes));
    if (extended.error != Error::none) co_return extended.error;
  }
  data_ = std::move(data.numbers);
  data_bytes_ = std::move(data.bytes);
  index_forks_ = std::move(index.numbers);
  index_.assign(chunks, {});
  co_return Error::none;
}

os::Task<Error> ChunkedArray::open(const std::string& name) {
  if (!in_buffer(gfs_, scratch_.memory, scratch_.bytes)) co_return Error::out_of_memory;
  const Answer file = co_await gfs_.gfs_open(name);
  if (file.error != Error::none) co_return file.error;
  const std::string name_of_data = data_name, name_of_index = index_name;
  ForkSet data = co_await open_forks(gfs_, file.number, name_of_data);
  if (data.error != Error::none) co_return data.error;
  ForkSet index = co_await open_forks(gfs_, file.number, name_of_index);
  if (index.error != Error::none) co_return index.error;
  const std::uint64_t subfiles = index.numbers.size();
  if (scratch_.bytes < subfiles * entry_bytes) co_return Error::out_of_memory;
  std::uint64_t chunks = 0;
  for (const std::uint64_t bytes : index.bytes) chunks += bytes / entry_bytes;
  for (std::uint64_t s = 0; s < subfiles; ++s)
    if (index.bytes[s] != entries(chunks, subfiles, s) * entry_bytes) co_return Error::damaged;
  data_ = std::move(data.numbers);
  data_bytes_ = std::move(data.bytes);
  index_forks_ = std::move(index.numbers);
  index_.assign(chunks, {});
  const Error error = co_await read_index();
  if (error != Error::none) data_.clear();
  co_return error;
}

// Reads as many entries of all subfiles at a time as scratch holds.
os::Task<Error> ChunkedArray::read_index() {
  const std::uint64_t subfiles = data_.size(), most = scratch_.bytes / subfiles / entry_bytes;
  for (std::uint64_t first = 0; first < entries(index_.size(), subfiles, 0); first += most) {
    const auto some_of = [&](std::uint64_t subfile) {
      const std::uint64_t all = entries(index_.size(), subfiles, subfile);
      return all > first ? std::min(most, all - first) : 0;
    };
    PieceLists pieces(subfiles);
    for (std::uint32_t s = 0; s < subfiles; ++s)
      if (some_of(s) > 0)
        pieces.add(s, first * entry_bytes, scratch_.memory + s * most * entry_bytes, some_of(s) * entry_bytes);
    const Answer read = co_await pieces.move(gfs_, Gfs::Direction::read, index_forks_);
    if (read.error != Error::none) co_return read.error;
    for (std::uint64_t s = 0; s < subfiles; ++s)
      for (std::uint64_t e = 0; e < some_of(s); ++e)
        index_[(first + e) * subfiles + s] =
            decode(buffer(scratch_.memory + (s * most + e) * entry_bytes, entry_bytes));
  }
  co_return Error::none;
}

os::Task<Answer> ChunkedArray::write(std::uint64_t chunk, std::uint64_t memory, std::uint64_t bytes) {
  Answer answer;
  if (data_.empty()) answer.error = Error::not_open;
  else if (chunk >= index_.size() || bytes > UINT32_MAX) answer.error = Error::bad_argument;
  else if (!in_buffer(gfs_, memory, bytes)) answer.error = Error::out_of_memory;
  if (answer.error != Error::none) co_return answer;
  const std::uint32_t subfile = subfile_of(chunk);
  gfs_.os().compute(cost_.compress * static_cast<double>(bytes));
  const std::span<std::byte> raw = buffer(memory, bytes);
  const auto code = run_length_encode(
      raw, buffer(scratch_.memory, std::min<std::uint64_t>(scratch_.bytes, bytes > 0 ? bytes - 1 : 0)));
  Entry entry;
  entry.state = Entry::State::written;
  entry.raw = static_cast<std::uint32_t>(bytes);
  entry.stored = static_cast<std::uint32_t>(code.value_or(bytes));
  entry.offset = data_bytes_[subfile];
  const std::uint64_t from = entry.compressed() ? scratch_.memory : memory;
  entry.checksum = crc32(buffer(from, entry.stored));
  answer = co_await gfs_.gfs_write(data_[subfile], number(from), number(entry.offset), entry.stored);
  if (answer.error != Error::none) co_return answer;
  data_bytes_[subfile] += entry.stored;
  encode(entry, buffer(scratch_.memory, entry_bytes));
  const Answer indexed = co_await gfs_.gfs_write(index_forks_[subfile], number(scratch_.memory),
                                                 number(chunk / data_.size() * entry_bytes), number(entry_bytes));
  answer.error = indexed.error;
  if (indexed.error == Error::none) index_[chunk] = entry;
  co_return answer;
}

Error ChunkedArray::why_unreadable(std::uint64_t chunk) const {
  if (index_[chunk].state == Entry::State::empty) return Error::out_of_file;
  if (index_[chunk].state == Entry::State::damaged) return Error::damaged;
  if (index_[chunk].compressed() && index_[chunk].stored > scratch_.bytes) return Error::out_of_memory;
  return Error::none;
}

os::Task<Answer> ChunkedArray::read(std::uint64_t chunk, std::uint64_t memory) {
  Answer answer;
  if (data_.empty()) answer.error = Error::not_open;
  else if (chunk >= index_.size()) answer.error = Error::bad_argument;
  else answer.error = why_unreadable(chunk);
  if (answer.error != Error::none) co_return answer;
  if (!in_buffer(gfs_, memory, index_[chunk].raw)) answer.error = Error::out_of_memory;
  else answer = co_await read_chunks(chunk, chunk + 1, memory);
  co_return answer;
}

os::Task<Answer> ChunkedArray::read_all(std::uint64_t memory) {
  Answer answer;
  if (data_.empty()) answer.error = Error::not_open;
  std::uint64_t raw = 0;
  for (std::uint64_t c = 0; c < index_.size() && answer.error == Error::none; ++c) {
    answer.error = why_unreadable(c);
    raw += index_[c].raw;
    if (answer.error == Error::none && !in_buffer(gfs_, memory, raw)) answer.error = Error::out_of_memory;
  }
  if (answer.error != Error::none) co_return answer;
  for (std::uint64_t first = 0; first < index_.size();) {
    std::uint64_t end = first, packed = 0;
    for (; end < index_.size(); ++end) {
      if (index_[end].compressed()) packed += index_[end].stored;
      if (packed > scratch_.bytes) break;
    }
    const Answer some = co_await read_chunks(first, end, memory + answer.bytes);
    answer.bytes += some.bytes;
    answer.error = some.error;
    if (some.error != Error::none) break;
    first = end;
  }
  co_return answer;
}

// Chunks that are compressed go through scratch, which holds them all; the others straight to their place.
os::Task<Answer> ChunkedArray::read_chunks(std::uint64_t first, std::uint64_t end, std::uint64_t memory) {
  PieceLists pieces(data_.size());
  std::uint64_t packed = scratch_.memory, place = memory;
  for (std::uint64_t c = first; c < end; ++c) {
    const Entry& entry = index_[c];
    std::uint64_t& to = entry.compressed() ? packed : place;
    pieces.add(subfile_of(c), entry.offset, to, entry.stored);
    if (entry.compressed()) packed += entry.stored;
    place += entry.raw;
  }
  Answer answer = co_await pieces.move(gfs_, Gfs::Direction::read, data_);
  answer.bytes = 0;
  // The index names bytes that the data fork does not have.
  if (answer.error == Error::out_of_file) answer.error = Error::damaged;
  packed = scratch_.memory;
  for (std::uint64_t c = first; c < end && answer.error == Error::none; ++c) {
    const Entry& entry = index_[c];
    gfs_.os().compute(cost_.decompress * static_cast<double>(entry.raw));
    const std::span<std::byte> to = buffer(memory + answer.bytes, entry.raw);
    const std::span<std::byte> stored = entry.compressed() ? buffer(packed, entry.stored) : to;
    if (crc32(stored) != entry.checksum || (entry.compressed() && !run_length_decode(stored, to))) {
      answer.error = Error::damaged;
      break;
    }
    if (entry.compressed()) packed += entry.stored;
    answer.bytes += entry.raw;
  }
  co_await gfs_.os().settle();
  co_return answer;
}

}  // namespace sunstar::file_systems::galley
