// SPDX-License-Identifier: MIT
#include "sw/file_systems/pvfs/libpvfs.h"

#include <cassert>
#include <cstring>

#include "models/core/error.h"
#include "sw/file_systems/pvfs/protocol/port.h"

namespace sunstar::file_systems::pvfs {

using os::Cost;

namespace {

/// Data that go to a run of the process's memory.
class ToMemory final : public Incoming {
 public:
  ToMemory(Port& port, const FileRange& run, std::byte* memory)
      : Incoming(port, run.bytes), os_(port.os()), file_(run.file), offset_(run.offset), memory_(memory) {}
  std::vector<requests::Failed> missing;

 private:
  Time place(hal::Message& m, std::uint64_t offset) override { return os_.take(m, memory_ + (offset - offset_)); }
  void failed(std::uint64_t offset, std::uint32_t bytes, hal::Status status) override {
    missing.push_back({file_, requests::Operation::read, offset, bytes, status});
  }
  os::Os& os_;
  const std::uint32_t file_;
  const std::uint64_t offset_;
  std::byte* const memory_;
};

}  // namespace

Libpvfs::Libpvfs(System& system, const Messages& messages, Port& port, CacheModule* module)
    : system_(system),
      messages_(messages),
      port_(port),
      os_(port.os()),
      module_(module),
      buffer_(os_.node().allocate(longest_name + sizeof(Attributes))) {}

os::Task<hal::Status> Libpvfs::open(std::uint32_t file, const std::string& name) {
  os_.charge(Cost::file_call);
  const auto length = static_cast<std::uint32_t>(name.size());
  assert(length <= longest_name);
  std::memcpy(buffer_, name.data(), length);
  messages::ReplyAction answer(port_.endpoint());
  const hal::NodeId manager = system_.nodes.io.front().endpoint.id();
  co_await os_.send(messages_.open.message(manager, {answer.expect(manager, buffer_ + longest_name)}, buffer_, length));
  while (answer.outstanding()) co_await answer.arrival();
  if (const hal::Status status = answer.take_status(); status != hal::Status::ok) co_return status;
  Attributes attributes;
  std::memcpy(&attributes, buffer_ + longest_name, sizeof attributes);
  if (attributes.data_nodes == 0) throw SimulationError("PVFS's manager does not know file '" + name + "'");
  if (open_.size() <= file) open_.resize(file + 1);
  open_[file] = attributes;
  co_return hal::Status::ok;
}

os::Task<> Libpvfs::read(const FileRange& run, std::byte* memory, std::vector<requests::Failed>& failed) {
  if (module_) {
    co_await module_->read(run, memory, failed);
    co_return;
  }
  ToMemory data(port_, run, memory);
  messages::ReplyAction acknowledgements(port_.endpoint());
  data.watch(system_, run);
  co_await ask_iods(system_, messages_, port_, run, data.number(), 0, acknowledgements);
  while (acknowledgements.outstanding()) co_await acknowledgements.arrival();
  co_await data.all();
  failed.insert(failed.end(), data.missing.begin(), data.missing.end());
}

os::Task<hal::Status> Libpvfs::write(const FileRange& run, std::byte* memory, bool coherent) {
  hal::Status status = hal::Status::ok;
  if (module_) status = co_await module_->write(run, memory, coherent);
  else status = co_await write_through(system_, messages_, port_, run, memory, coherent ? Request::coherent : 0);
  co_return status;
}

}  // namespace sunstar::file_systems::pvfs
