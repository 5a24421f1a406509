// SPDX-License-Identifier: MIT
#include "sw/file_systems/disk_directed/server.h"

#include "sw/file_systems/disk_directed/mover.h"
#include "sw/file_systems/disk_directed/record_mover.h"

namespace sunstar::file_systems::disk_directed {

using os::Cost;

Server::Server(System& system, const Messages& messages, const Params& params, std::uint32_t io_processor,
               io::BlockGuard* guard)
    : system_(system),
      endpoint_(system.nodes.io[io_processor].endpoint),
      io_processor_(io_processor),
      params_(params),
      transfers_(system.nodes.io[io_processor], system.volume, params, system.job.record, guard),
      lists_(system, messages.list, endpoint_) {
  messages.collective.starts_thread(endpoint_.os, "collective request", [this](hal::Message& m) { return serve(m); });
}

os::Task<> Server::serve(hal::Message& request) {
  endpoint_.os.charge<Cost::collective_setup>();
  const auto asked = messages::Kind<CollectiveRequest>::header(request);
  workload::Collective collective = system_.job.workload->collectives()[asked.collective];
  const io::Volume& volume = system_.volume;
  if (collective.mapping->listed()) collective.mapping = co_await lists_.receive(collective, asked.collective);
  // The blocks of the request that this node serves.
  auto lists = transfers_.lists();
  for (std::uint32_t u = 0; u < volume.units(); ++u) {
    if (volume.place(u).io_processor != io_processor_) continue;
    const os::Counted<Cost::block_list_entry> mark;
    io::BlockTransfers::List& list = lists[volume.place(u).unit];
    std::uint64_t block = volume.first_on(u);
    for (const std::uint64_t sector : volume.sectors_on(u, collective.file)) {
      if (collective.mapping->touches(block * volume.block_bytes(), volume.bytes_in_block(collective.file, block)))
        list.push_back({collective.file, block, sector, 0});
      block = volume.next_on_unit(block);
    }
  }
  transfers_.put_in_order(lists);
  io::BlockTransfers::Transfer transfer(endpoint_.os);
  if (collective.selection) {
    RecordMover mover(system_, io_processor_, *collective.selection, params_, spare_);
    transfers_.begin(transfer, std::move(lists), collective.operation, mover);
    co_await transfer.completed();
  } else {
    Mover mover(system_, io_processor_, collective, params_.gather, spare_);
    transfers_.begin(transfer, std::move(lists), collective.operation, mover);
    co_await transfer.completed();
  }
  co_await endpoint_.answer(request, asked.reply);
}

}  // namespace sunstar::file_systems::disk_directed
