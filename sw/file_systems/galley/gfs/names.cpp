// SPDX-License-Identifier: MIT
// The calls of the run-time library on names and sizes.

#include "sw/file_systems/galley/gfs/gfs.h"

namespace sunstar::file_systems::galley {

using os::Cost;

const Gfs::OpenFile* Gfs::open_file(int file) const {
  return file >= 0 && static_cast<std::size_t>(file) < files_.size() ? &files_[static_cast<std::size_t>(file)]
                                                                     : nullptr;
}
const Gfs::OpenFork* Gfs::open_fork(int fid) const {
  return fid >= 0 && static_cast<std::size_t>(fid) < forks_.size() ? &forks_[static_cast<std::size_t>(fid)] : nullptr;
}
hal::NodeId Gfs::server_of(std::uint32_t disk) const {
  return nodes_.io[volume_.place(disk).io_processor].endpoint.id();
}
std::uint64_t Gfs::gfs_id(int file) const { return open_file(file) ? open_file(file)->id : 0; }
std::uint32_t Gfs::gfs_subfiles(int file) const { return open_file(file) ? open_file(file)->subfiles : 0; }

os::Task<NameAnswer> Gfs::call(std::uint32_t disk, const NameRequest& asked, const std::string& name,
                               std::vector<std::string>* names) {
  const auto guard = co_await calling_.lock();
  os_.charge(Cost::file_call);
  messages::ReplyAction replies(endpoint_);
  NameRequest request = asked;
  request.device = volume_.place(disk).unit;
  request.reply = replies.expect(server_of(disk), incoming_);
  const std::size_t length = std::min<std::size_t>(name.size(), params_.packet.count);
  std::memcpy(outgoing_, name.data(), length);
  co_await os_.send(messages_.name.message(server_of(disk), request, outgoing_, static_cast<std::uint32_t>(length)));
  while (replies.outstanding()) co_await replies.arrival();
  NameAnswer answer;
  if (const hal::Status status = replies.take_status(); status != hal::Status::ok) {
    answer.error = Error::io_error;
    answer.status = status;
    co_return answer;
  }
  std::memcpy(&answer, incoming_, sizeof answer);
  const std::byte* at = incoming_ + sizeof answer;
  for (std::uint32_t n = 0; names && n < answer.names; ++n) {
    const auto bytes = std::to_integer<std::size_t>(*at++);
    names->emplace_back(reinterpret_cast<const char*>(at), bytes);
    at += bytes;
  }
  co_return answer;
}

os::Task<Answer> Gfs::open_home(const std::string& name, const NameRequest& asked) {
  const NameAnswer answer = co_await call(home_disk(name, gfs_disks()), asked, name);
  if (answer.error != Error::none) co_return Answer{.error = answer.error, .status = answer.status};
  files_.push_back({answer.file, answer.subfiles, answer.first_disk});
  co_return Answer{.number = static_cast<int>(files_.size()) - 1};
}

os::Task<Answer> Gfs::gfs_create(const std::string& name, std::int64_t subfiles, std::uint32_t first_disk) {
  if (!is_name(name)) co_return Answer{Error::name_too_long};
  if (subfiles <= 0) co_return Answer{Error::bad_argument};
  if (subfiles > std::int64_t{gfs_disks()}) co_return Answer{Error::too_many_subfiles};
  const NameRequest asked{
      .call = Call::create_file, .number = static_cast<std::uint64_t>(subfiles), .other = first_disk};
  co_return co_await open_home(name, asked);
}

os::Task<Answer> Gfs::gfs_open(const std::string& name) {
  const NameRequest asked{.call = Call::open_file};
  co_return co_await open_home(name, asked);
}

os::Task<Answer> Gfs::gfs_delete(const std::string& name) {
  NameRequest asked{.call = Call::delete_file};
  const NameAnswer answer = co_await call(home_disk(name, gfs_disks()), asked, name);
  const OpenFile file{answer.file, answer.subfiles, answer.first_disk};
  asked = {.call = Call::delete_subfile, .file = file.id};
  Answer all{.error = answer.error, .status = answer.status};
  for (std::uint32_t s = 0; all.error == Error::none && s < file.subfiles; ++s) {
    const NameAnswer of_subfile = co_await call(disk_of(file, s), asked, {});
    all.error = of_subfile.error;
    all.status = of_subfile.status;
  }
  co_return all;
}

os::Task<Names> Gfs::gfs_list() {
  Names all;
  const NameRequest asked{.call = Call::list_files};
  for (std::uint32_t disk = 0; disk < volume_.units(); ++disk) {
    const NameAnswer answer = co_await call(disk, asked, {}, &all.names);
    if (answer.error != Error::none) all.error = answer.error;
  }
  co_return all;
}

os::Task<NameAnswer> Gfs::fork_call(Call which, int file, std::uint32_t subfile, const std::string& name,
                                    std::vector<std::string>* names) {
  const OpenFile* const open = open_file(file);
  if (!open) co_return NameAnswer{Error::not_open};
  if (subfile >= open->subfiles) co_return NameAnswer{Error::no_such_subfile};
  const NameRequest asked{.call = which, .file = open->id};
  co_return co_await call(disk_of(*open, subfile), asked, name, names);
}

Answer Gfs::add_fork(int file, std::uint32_t subfile, const NameAnswer& answer) {
  if (answer.error != Error::none) return {.error = answer.error, .status = answer.status};
  forks_.push_back({disk_of(*open_file(file), subfile), answer.entry});
  return {.number = static_cast<int>(forks_.size()) - 1, .bytes = answer.bytes};
}

os::Task<Answer> Gfs::gfs_create_fork(int file, std::uint32_t subfile, const std::string& name) {
  const NameAnswer created = co_await fork_call(Call::create_fork, file, subfile, name);
  if (created.error == Error::none) co_return co_await gfs_open_fork(file, subfile, name);
  co_return add_fork(file, subfile, created);
}

os::Task<Answer> Gfs::gfs_open_fork(int file, std::uint32_t subfile, const std::string& name) {
  const NameAnswer answer = co_await fork_call(Call::open_fork, file, subfile, name);
  co_return add_fork(file, subfile, answer);
}

os::Task<Answer> Gfs::gfs_delete_fork(int file, std::uint32_t subfile, const std::string& name) {
  const NameAnswer answer = co_await fork_call(Call::delete_fork, file, subfile, name);
  co_return Answer{.error = answer.error, .status = answer.status};
}

os::Task<Names> Gfs::gfs_list_forks(int file, std::uint32_t subfile) {
  Names all;
  const NameAnswer answer = co_await fork_call(Call::list_forks, file, subfile, {}, &all.names);
  all.error = answer.error;
  co_return all;
}

os::Task<Answer> Gfs::gfs_extend(int fid, std::int64_t bytes) {
  const OpenFork* const open = open_fork(fid);
  if (!open) co_return Answer{Error::not_open};
  if (bytes < 0) co_return Answer{Error::bad_argument};
  const NameRequest asked{.call = Call::extend, .number = static_cast<std::uint64_t>(bytes), .other = open->entry};
  const NameAnswer answer = co_await call(open->disk, asked, {});
  co_return Answer{.error = answer.error, .bytes = answer.bytes, .status = answer.status};
}

// The I/O processors work at the same time.
os::Task<Answer> Gfs::gfs_sync() {
  const auto guard = co_await calling_.lock();
  os_.charge(Cost::file_call);
  messages::ReplyAction replies(endpoint_);
  NameRequest asked{.call = Call::sync};
  for (const io::IoNode& io : nodes_.io) {
    asked.reply = replies.expect(io.endpoint.id(), incoming_);
    co_await os_.send(messages_.name.message(io.endpoint.id(), asked));
  }
  while (replies.outstanding()) co_await replies.arrival();
  Answer answer;
  answer.status = replies.take_status();
  if (answer.status != hal::Status::ok) answer.error = Error::io_error;
  co_return answer;
}

}  // namespace sunstar::file_systems::galley
