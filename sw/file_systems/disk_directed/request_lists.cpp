// SPDX-License-Identifier: MIT
#include "sw/file_systems/disk_directed/request_lists.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "sw/workload/distributions/list_mapping.h"

namespace sunstar::file_systems::disk_directed {

using os::Cost;

ListSender::ListSender(System& system, const messages::Kind<ListPart>& part, std::uint32_t processor)
    : system_(system), part_(part), processor_(processor), endpoint_(*system.nodes.compute[processor]) {}

std::vector<ListSender::List> ListSender::by_io_processor(const workload::Mapping& mapping) {
  const os::Counted<Cost::block_list_entry> mark;
  const io::Volume& volume = system_.volume;
  std::vector<List> lists(system_.nodes.io.size());
  std::uint64_t at = 0;
  while (const auto piece = mapping.chunk(processor_, at)) {
    at = piece->memory_offset + piece->bytes;
    const std::uint64_t first = piece->file_offset / volume.block_bytes();
    const std::uint64_t last = (piece->file_offset + piece->bytes - 1) / volume.block_bytes();
    // The blocks go round the disks: as many as there are disks concern all of them.
    for (std::uint64_t block = first; block <= last && block < first + volume.disk_count(); ++block) {
      List& list = lists[volume.place_of(block).io_processor];
      if (list.empty() || list.back().memory != piece->memory_offset)
        list.push_back({piece->file_offset, piece->bytes, piece->memory_offset});
    }
  }
  return lists;
}

os::Task<> ListSender::send(const workload::Collective& collective, std::uint32_t number) {
  const std::vector<List> lists = by_io_processor(*collective.mapping);
  for (const List& list : lists) endpoint_.os.charge(Cost::block_list_entry, static_cast<double>(list.size()));
  if (!buffer_) buffer_ = endpoint_.os.node().allocate(system_.volume.block_bytes());
  const std::size_t in_a_message = system_.volume.block_bytes() / sizeof(ListEntry);
  // Each compute processor begins with a different I/O processor, so that they do not all turn to the same one first.
  std::size_t next = lists.size() * processor_ / system_.nodes.compute.size();
  for (std::size_t left = lists.size(); left > 0; --left) {
    os::counted_from_here<Cost::block_list_entry>();
    std::span<const ListEntry> list = lists[next];
    const hal::NodeId to = system_.nodes.io[next].endpoint.id();
    if (++next == lists.size()) next = 0;
    const auto parts =
        static_cast<std::uint32_t>(std::max<std::size_t>(1, (list.size() + in_a_message - 1) / in_a_message));
    for (std::uint32_t part = 0; part < parts; ++part) {
      const auto now = list.first(std::min(list.size(), in_a_message));
      list = list.subspan(now.size());
      const auto bytes = static_cast<std::uint32_t>(now.size_bytes());
      if (bytes > 0) std::memcpy(buffer_, now.data(), bytes);
      endpoint_.count_list(bytes);
      // The interface copies the data at once, so the next part may use the buffer.
      co_await endpoint_.os.send(part_.message(to, {number, processor_, parts, static_cast<std::uint32_t>(now.size())},
                                               bytes > 0 ? buffer_ : nullptr, bytes));
      co_await endpoint_.os.give_way();
    }
  }
}

ListReceiver::ListReceiver(System& system, const messages::Kind<ListPart>& part, std::uint32_t io_processor)
    : system_(system),
      endpoint_(system.nodes.io[io_processor].endpoint),
      arrival_(endpoint_.os, "the lists of a collective request") {
  part.on_arrival(endpoint_.os, {}, [this](hal::Message& m) {
    endpoint_.os.after(endpoint_.os.take(m), [this, &m] {
      arrived_.push_back(&m);
      arrival_.wake_all();
    });
  });
}

os::Task<std::shared_ptr<const workload::Mapping>> ListReceiver::receive(const workload::Collective& collective,
                                                                         std::uint32_t number) {
  const std::size_t processors = system_.nodes.compute.size();
  const std::uint32_t senders = system_.job.workload->teams()[collective.team].processors;
  std::vector<workload::Piece> pieces;
  std::vector<std::uint32_t> parts(processors, 0);  // that have come, by compute processor
  for (std::uint32_t complete = 0; complete < senders;) {
    // Meanwhile, lists of other applications may come.
    const auto of_this = [number](const hal::Message* m) {
      return messages::Kind<ListPart>::header(*m).collective == number;
    };
    auto next = std::ranges::find_if(arrived_, of_this);
    while (next == arrived_.end()) {
      co_await arrival_.wait();
      next = std::ranges::find_if(arrived_, of_this);
    }
    os::counted_from_here<Cost::block_list_entry>();
    hal::Message& m = **next;
    arrived_.erase(next);
    const ListPart part = messages::Kind<ListPart>::header(m);
    {
      const os::Counted<Cost::block_list_entry> mark;
      for (std::uint32_t i = 0; i < part.entries; ++i) {
        ListEntry entry;
        std::memcpy(&entry, m.data + i * sizeof entry, sizeof entry);
        pieces.push_back({part.processor, entry.offset, entry.memory, entry.bytes});
      }
    }
    endpoint_.os.charge(Cost::block_list_entry, part.entries);
    endpoint_.os.node().network().release(m);
    if (++parts[part.processor] == part.parts) ++complete;
  }
  const os::Counted<Cost::block_list_entry> mark;
  auto memory = std::make_shared<std::vector<std::uint64_t>>();
  for (std::uint32_t p = 0; p < processors; ++p) memory->push_back(system_.job.memory[p].bytes);
  // What several processors want to write has one holder already: the others have not listed it.
  co_return std::make_shared<const workload::ListMapping>(collective.mapping->file_bytes(), std::move(memory),
                                                          std::move(pieces), workload::ListMapping::Holders::every);
}

}  // namespace sunstar::file_systems::disk_directed
