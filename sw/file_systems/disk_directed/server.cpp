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
  messages.collective.on_arrival(endpoint_.os, {}, [this](hal::Message& m) {
    const os::Counted<Cost::thread_create> mark;
    endpoint_.os.spawn_at(endpoint_.os.take(m), serve(m), "collective request");
  });
}

os::Task<> Server::serve(hal::Message& request) {
  os::counted_from_here<Cost::collective_setup>();
  const auto asked = messages::Kind<CollectiveRequest>::header(request);
  workload::Collective collective = system_.job.workload->collectives()[asked.collective];
  const io::Volume& volume = system_.volume;
  endpoint_.os.charge(Cost::collective_setup);
  if (collective.mapping->listed()) collective.mapping = co_await lists_.receive(collective, asked.collective);
  // The blocks of the request that this node serves.
  auto lists = transfers_.lists();
  for (std::uint32_t u = 0; u < volume.units(); ++u) {
    if (volume.place(u).io_processor != io_processor_) continue;
    for (std::uint64_t block = volume.first_on(u); block < volume.blocks(collective.file);
         block = volume.next_on_unit(block)) {
      const os::Counted<Cost::block_list_entry> mark;
      if (collective.mapping->touches(block * volume.block_bytes(), volume.bytes_in_block(collective.file, block)))
        transfers_.add(lists, collective.file, block);
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
  os::counted_from_here<Cost::collective_setup>();
  const hal::Message reply = endpoint_.reply(request.source, asked.reply);
  endpoint_.os.node().network().release(request);
  co_await endpoint_.os.send(reply);
}

}  // namespace sunstar::file_systems::disk_directed
