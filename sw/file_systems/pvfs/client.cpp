// SPDX-License-Identifier: MIT
#include "sw/file_systems/pvfs/client.h"

namespace sunstar::file_systems::pvfs {

os::Task<> Client::run(workload::Team& team) {
  co_await workload::make_calls(job_, os_, team, process_,
                                [this](const workload::Access& access) { return call(access); });
}

os::Task<> Client::call(const workload::Access& access) {
  if (!library_.is_open(access.file)) co_await library_.open(access.file, job_.workload->files()[access.file].name);
  const Time start = os_.now();
  job_.record.begin(start, process_);
  os_.charge(os::Cost::file_call);
  std::byte* const memory = job_.memory[process_].base + access.memory;
  const FileRange run{access.file, access.offset, access.bytes};
  if (access.operation == workload::Operation::read) co_await library_.read(run, memory);
  else co_await library_.write(run, memory, access.coherent);
  co_await os_.settle();
  job_.record.moved(access.bytes);
  job_.record.progress(access.bytes);
  job_.record.end({process_, start, os_.now(), 1, access.bytes, &access});
  co_await os_.give_way();  // a process whose requests all hit waits for nothing, and its node's iod waits for it
}

}  // namespace sunstar::file_systems::pvfs
