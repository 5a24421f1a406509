// SPDX-License-Identifier: MIT
#include "sw/file_systems/galley/libraries/linear_file.h"

namespace sunstar::file_systems::galley {

namespace {
constexpr std::uint64_t largest = INT64_MAX;
}

os::Task<Error> LinearFile::create(const std::string& name, std::uint32_t first_disk) {
  const Answer file = co_await gfs_.gfs_create(name, declustering_.subfiles, first_disk);
  co_return co_await take_forks(file, create_forks);
}

os::Task<Error> LinearFile::open(const std::string& name) {
  const Answer file = co_await gfs_.gfs_open(name);
  co_return co_await take_forks(file, open_forks);
}

os::Task<Error> LinearFile::take_forks(Answer file, os::Task<ForkSet> (*forks_of)(Gfs&, int, const std::string&)) {
  status_ = file.status;
  if (file.error != Error::none) co_return file.error;
  number_ = file.number;
  if (gfs_.gfs_subfiles(number_) != declustering_.subfiles) co_return Error::bad_argument;
  const std::string fork = fork_name;
  ForkSet set = co_await forks_of(gfs_, number_, fork);
  status_ = set.status;
  forks_ = std::move(set.numbers);
  bytes_ = 0;
  for (std::uint32_t s = 0; s < set.bytes.size(); ++s) bytes_ = std::max(bytes_, declustering_.end_of(s, set.bytes[s]));
  co_return set.error;
}

os::Task<Answer> LinearFile::read(std::uint64_t memory, std::uint64_t offset, std::uint64_t bytes,
                                  std::vector<Extent>* missing) {
  return move(Gfs::Direction::read, memory, offset, bytes, missing);
}

os::Task<Answer> LinearFile::write(std::uint64_t memory, std::uint64_t offset, std::uint64_t bytes,
                                   std::vector<Extent>* missing) {
  const Answer answer = co_await move(Gfs::Direction::write, memory, offset, bytes, missing);
  if (answer.error == Error::none && bytes > 0) bytes_ = std::max(bytes_, offset + bytes);
  co_return answer;
}

os::Task<Error> LinearFile::extend(std::uint64_t bytes) {
  if (forks_.empty()) co_return Error::not_open;
  if (bytes > largest) co_return Error::overflow;
  for (std::uint32_t s = 0; s < forks_.size(); ++s) {
    const auto share = static_cast<std::int64_t>(declustering_.bytes_in(s, bytes));
    const Answer answer = co_await gfs_.gfs_extend(forks_[s], share);
    if (answer.error != Error::none) co_return answer.error;
  }
  bytes_ = std::max(bytes_, bytes);
  co_return Error::none;
}

os::Task<Answer> LinearFile::move(Gfs::Direction direction, std::uint64_t memory, std::uint64_t offset,
                                  std::uint64_t bytes, std::vector<Extent>* missing) {
  if (forks_.empty()) co_return Answer{Error::not_open};
  if (offset > largest || bytes > largest - offset) co_return Answer{Error::overflow};
  if (!in_buffer(gfs_, memory, bytes)) co_return Answer{Error::out_of_memory};
  PieceLists pieces(forks_.size());
  for (std::uint64_t done = 0; done < bytes;) {
    const Declustering::Place place = declustering_.place(offset + done);
    const std::uint64_t some = std::min(place.bytes, bytes - done);
    pieces.add(place.subfile, place.offset, memory + done, some);
    done += some;
  }
  const Answer answer = co_await pieces.move(gfs_, direction, forks_, missing);
  if (answer.error != Error::none && missing)
    for (Extent& part : *missing) part.offset = offset + (part.offset - memory);
  co_return answer;
}

}  // namespace sunstar::file_systems::galley
