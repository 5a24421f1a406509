// SPDX-License-Identifier: MIT
#include "sw/file_systems/galley/server/server.h"

namespace sunstar::file_systems::galley {

using os::Cost;

namespace {

std::vector<Catalogue::Disk> disks_of(const System& system, const Params& params, std::uint32_t io_processor) {
  const io::Volume& volume = system.volume;
  const io::StoreServer& store = system.nodes.io[io_processor].store;
  std::vector<Catalogue::Disk> disks(store.units());
  for (std::uint32_t d = 0; d < volume.units(); ++d) {
    const io::Place& place = volume.place(d);
    if (place.io_processor != io_processor) continue;
    disks[place.unit].number = d;
    disks[place.unit].form = form_of(store.sectors(place.unit), volume.sector_bytes(), volume.block_bytes(), params);
  }
  return disks;
}

BlockList listed(const Extents& extents, std::uint32_t block_bytes) {
  const os::Counted<Cost::extent> mark;
  return {extents, block_bytes};
}

}  // namespace

Server::Server(System& system, const Messages& messages, const Params& params, std::uint32_t io_processor)
    : messages_(messages),
      params_(params),
      volume_(system.volume),
      record_(system.record),
      block_bytes_(system.volume.block_bytes()),
      node_(system.nodes.io[io_processor]),
      os_(node_.endpoint.os),
      cache_(node_, params.cache_blocks, block_bytes_, system.volume.sectors_per_block(), params.replacement),
      catalogue_(os_, cache_, disks_of(system, params, io_processor), system.volume.units()),
      answering_(os_, "an answer to leave"),
      answer_(os_.node().allocate(answer_bytes(params))) {
  for (const messages::Endpoint* compute : system.nodes.compute) {
    Processor& cp = processors_.emplace_back();
    by_node_.emplace(compute->id(), &cp);
    for (std::uint32_t disk = 0; disk < node_.store.units(); ++disk) {
      std::byte* const packet = os_.node().allocate(std::max<std::uint64_t>(params.packet.count, 64));
      os_.spawn(thread(cp.threads.emplace_back(os_, compute->id(), packet)), "compute processor's thread",
                {.daemon = true});
    }
  }
  messages.transfer.on_arrival<Cost::request_decode>(os_, [this](hal::Message& m) { receive_request(m); });
  messages.more_extents.on_arrival(os_, [this](hal::Message& m) { receive_more(m); });
  messages.permit.on_arrival(os_, [this](hal::Message& m) {
    CpThread* const cp = by_node_.at(m.source)->serving(messages::Kind<Permission>::header(m).number);
    os_.node().network().release(m);
    if (!cp) return;
    cp->answered = true;
    cp->answer.wake_all();
  });
  messages.written.on_arrival(os_, [this](hal::Message& m) {
    const std::uint32_t number = messages::Kind<Written>::header(m).number;
    CpThread* const cp = by_node_.at(m.source)->serving(number);
    if (!cp || m.bytes == 0) [[unlikely]] {
      os_.receive(m);
      if (cp) cp->lost(cp->node);
      return;
    }
    const Time there = os_.take(m, cp->packet);
    os_.memory().write(cp->packet, *m.content);
    os_.node().network().release(m);
    os_.after(there, [cp, number] {
      if (cp->serving != number) return;
      cp->answered = true;
      cp->answer.wake_all();
    });
  });
  messages.name.on_arrival<Cost::request_decode>(os_, [this](hal::Message& m) { take_names(m); });
}

Server::CpThread* Server::Processor::serving(std::uint32_t request) {
  const auto found = std::ranges::find(threads, request, &CpThread::serving);
  return found == threads.end() ? nullptr : &*found;
}

// On some networks messages overtake one another.
Server::Request& Server::arriving(Processor& cp, std::uint32_t number) {
  const auto found = std::ranges::find(cp.arriving, number, [](const Request& r) { return r.asked.number; });
  if (found != cp.arriving.end()) return *found;
  cp.arriving.emplace_back();
  cp.arriving.back().asked.number = number;
  return cp.arriving.back();
}

void Server::receive_request(hal::Message& m) {
  Processor& cp = *by_node_.at(m.source);
  const TransferRequest asked = messages::Kind<TransferRequest>::header(m);
  Request& request = arriving(cp, asked.number);
  request.asked = asked;
  request.known = true;
  request.watched = m.request;
  add_extents(cp, request, 0, m, asked.selects ? take_selection(request, m) : 0);
}

// Returns the bytes that the selection takes in the message.
std::uint32_t Server::take_selection(Request& request, const hal::Message& m) {
  SentSelection& sent = request.selection;
  messages::copy_data(m, 0, &sent, sizeof sent);
  requests::Selection& selection = request.function;
  selection.function = sent.function;
  selection.first = sent.first;
  selection.processors = sent.processors;
  selection.record_bytes = sent.record_bytes;
  selection.key = sent.key;
  selection.filter_offset = sent.filter_offset;
  selection.discarded_below = sent.discarded_below;
  selection.boundaries.resize(sent.boundaries);
  const auto boundaries = std::as_writable_bytes(std::span(selection.boundaries));
  messages::copy_data(m, sizeof sent, boundaries.data(), boundaries.size());
  return static_cast<std::uint32_t>(sizeof sent + sent.boundaries * sizeof(std::uint64_t));
}

void Server::receive_more(hal::Message& m) {
  Processor& cp = *by_node_.at(m.source);
  const MoreExtents more = messages::Kind<MoreExtents>::header(m);
  add_extents(cp, arriving(cp, more.number), more.first, m, 0);
}

void Server::add_extents(Processor& cp, Request& request, std::uint32_t first, hal::Message& m, std::uint32_t from) {
  const auto count = static_cast<std::uint32_t>((m.bytes - from) / sizeof(SentExtent));
  Extents& list = request.lists[first];
  const os::Counted<Cost::extent> mark;
  for (std::uint32_t e = 0; e < count; ++e) {
    SentExtent sent;
    messages::copy_data(m, from + e * sizeof sent, &sent, sizeof sent);
    list.append(sent.extent());
  }
  request.arrived += count;
  request.there = std::max(request.there, os_.take(m));
  os_.node().network().release(m);
  if (!request.known || request.arrived < request.asked.extents) return;
  const auto place = cp.arriving.begin() + (&request - cp.arriving.data());
  auto complete = std::make_shared<Request>(std::move(request));
  cp.arriving.erase(place);
  os_.after(complete->there, [&thread = cp.threads[complete->asked.device], complete] {
    thread.requests.push_back(std::move(*complete));
    thread.work.wake_all();
  });
}

os::Task<> Server::thread(CpThread& cp) {
  for (;;) {
    while (cp.requests.empty()) co_await cp.work.wait();
    const Request request = take_first(cp.requests);
    cp.serving = request.asked.number;
    os_.serve(request.watched);
    co_await serve(cp, request);
  }
}

os::Task<> Server::serve(CpThread& cp, const Request& request) {
  Done done{.number = request.asked.number};
  Missing missing;
  Extents extents;
  for (const auto& [first, some] : request.lists) extents.append(some);
  const BlockList list = listed(extents, block_bytes_);
  Fork* const fork = catalogue_.opened(request.asked.device, request.asked.fork);
  cp.gone = !node_.endpoint.peers().watch(cp.node, cp);
  if (fork && !cp.gone) {
    ++fork->transfers;
    bool listed = false;
    done.error = co_await prepare(*fork, request, list, listed);
    if (done.error == Error::none && !list.uses.empty())
      done.bytes = co_await transfer(cp, request, *fork, list, listed, missing);
    if (!missing.parts.empty()) {
      done.error = Error::io_error;
      done.status = missing.status;
    } else if (done.error == Error::io_error) {
      done.status = cache_.error(request.asked.device);
    }
    if (--fork->transfers == 0) fork->unused.wake_all();
  } else {
    done.error = Error::no_such_fork;
  }
  node_.endpoint.peers().unwatch(cp.node, cp);
  if (cp.gone) [[unlikely]] {  // should it be there, it learns of it
    cp.serving = CpThread::none;
    co_await os_.send(messages_.done.message(
        cp.node, {.number = done.number, .error = Error::io_error, .status = hal::Status::no_answer}));
  } else if (!missing.parts.empty()) {
    const std::uint32_t bytes = list_missing(cp, missing);
    co_await os_.send(messages_.done.message(cp.node, done, cp.packet, bytes));
  } else {
    co_await os_.send(messages_.done.message(cp.node, done));
  }
}

bool Server::usable(const CpThread& cp, const Request& request, const Delivery::Arrived& arrived, const BlockUse& use,
                    Missing& missing) {
  if (!arrived.buffer) {
    missing.parts.push_back({use.position, use.bytes});
    missing.status = arrived.status;
  } else if (cp.gone) [[unlikely]] {
    if (request.asked.writes) cache_.give_up(*arrived.buffer);
    else cache_.give_back(*arrived.buffer);
  }
  return arrived.buffer && !cp.gone;
}

// If the parts are more than the buffer holds, the last one covers the rest.
std::uint32_t Server::list_missing(CpThread& cp, Missing& missing) {
  const os::NotOnTheMachine mark;
  std::vector<Extent>& parts = missing.parts;
  std::ranges::sort(parts, {}, &Extent::offset);
  std::size_t kept = 0;
  const std::size_t most = std::max<std::uint64_t>(params_.packet.count, 64) / sizeof(Extent);
  for (const Extent& part : parts) {
    Extent* const last = kept > 0 ? &parts[kept - 1] : nullptr;
    if (last && (last->offset + last->bytes >= part.offset || kept == most))
      last->bytes = part.offset + part.bytes - last->offset;
    else parts[kept++] = part;
  }
  const auto bytes = static_cast<std::uint32_t>(kept * sizeof(Extent));
  os_.memory().put(cp.packet, parts.data(), bytes);
  return bytes;
}

// Threads cannot be interrupted by other threads. So that the cache manager and the disks' drivers need not wait for
// one that has a long list, it works in slices.
os::Task<> Server::work_out(const BlockList& list, std::size_t& next) {
  std::uint64_t entries = 0;
  while (next < list.uses.size() && entries < params_.list_slice) entries += list.uses[next++].parts;
  os_.charge(Cost::extent, static_cast<double>(entries));
  co_await os_.settle();
  co_await os_.give_way();
}

// If a write lacks blocks, the thread goes through its whole list and assigns them under the fork's lock; the threads
// of other processors wait, and then find the blocks there (6.4).
os::Task<Error> Server::prepare(Fork& fork, const Request& request, const BlockList& list, bool& listed) {
  const auto lacks_blocks = [&] { return request.asked.writes && list.end > fork.blocks.size() * block_bytes_; };
  if (fork.lock.held() || lacks_blocks()) {
    const auto guard = co_await fork.lock.lock();
    if (lacks_blocks()) {
      for (std::size_t next = 0; next < list.uses.size();) co_await work_out(list, next);
      listed = true;
      const Error error = co_await catalogue_.extend(fork, list.end);
      co_return error;
    }
  }
  if (list.end <= fork.bytes) co_return Error::none;
  if (!request.asked.writes) co_return Error::out_of_file;
  fork.bytes = list.end;
  fork.changed = true;
  co_return Error::none;
}

os::Task<std::uint64_t> Server::transfer(CpThread& cp, const Request& request, const Fork& fork, const BlockList& list,
                                         bool listed, Missing& missing) {
  std::vector<Wish> wishes;
  wishes.reserve(list.uses.size());
  Delivery delivery(os_);
  for (std::size_t next = 0; next < list.uses.size();) {
    if (listed) next = list.uses.size();
    else co_await work_out(list, next);
    os::counted_from_here<Cost::extent>();
    while (wishes.size() < next) {
      const BlockUse& use = list.uses[wishes.size()];
      const DiskBlock block{request.asked.device, fork.blocks[use.block]};
      wishes.push_back({block, request.asked.writes && list.whole(use)});
    }
    cache_.want(wishes, delivery);
  }
  std::uint64_t moved = list.uses.back().position + list.uses.back().bytes;
  if (request.asked.writes) {
    co_await write(cp, request, list, delivery, missing);
  } else if (request.asked.selects) {
    co_await read_selected(cp, request, list, delivery, moved, missing);
    co_return moved;
  } else {
    co_await read(cp, request, list, delivery, missing);
  }
  for (const Extent& part : missing.parts) moved -= part.bytes;
  co_return moved;
}

// Looks at every record of the blocks and sends only the wanted ones, packed one behind the other.
os::Task<> Server::read_selected(CpThread& cp, const Request& request, const BlockList& list, Delivery& delivery,
                                 std::uint64_t& sent, Missing& missing) {
  const requests::Selection& selection = request.function;
  const std::uint32_t size = selection.record_bytes;
  const auto most = static_cast<std::uint32_t>(params_.packet.count);
  Packet packet;
  sent = 0;
  for (std::size_t left = list.uses.size(); left > 0; --left) {
    const Delivery::Arrived arrived = co_await delivery.next();
    const BlockUse& use = list.uses[arrived.item];
    if (!usable(cp, request, arrived, use, missing)) continue;
    for (const BlockList::Part part : list.parts_of(use)) {
      if (selection.filters()) selection.charge_filter(os_, part.bytes / size);
      for (std::uint32_t at = part.offset; at < part.offset + part.bytes; at += size) {
        const std::byte* const record = arrived.buffer->bytes() + at;
        const std::byte* const bytes = os_.memory().look(record, size, looked_at_);
        if (selection.filters() && !selection.keeps(bytes)) continue;
        if (selection.processor(os_, request.selection.number(use.block * block_bytes_ + at), bytes) !=
            request.selection.wanted)
          continue;
        if (packet.bytes + size > most) co_await send(cp, request, packet, cp.packet);
        node_.endpoint.charge_for_pieces(1, size);
        os_.memory().copy(cp.packet + packet.bytes, record, size);
        packet.bytes += size;
        sent += size;
      }
    }
    cache_.give_back(*arrived.buffer);
    co_await os_.give_way();
  }
  if (packet.bytes > 0) co_await send(cp, request, packet, cp.packet);
}

os::Task<> Server::read(CpThread& cp, const Request& request, const BlockList& list, Delivery& delivery,
                        Missing& missing) {
  const auto most = static_cast<std::uint32_t>(params_.packet.count);
  Packet packet;
  for (std::size_t left = list.uses.size(); left > 0; --left) {
    const Delivery::Arrived arrived = co_await delivery.next();
    const BlockUse& use = list.uses[arrived.item];
    if (!usable(cp, request, arrived, use, missing)) continue;
    // A packet holds chunks in the order of the list only.
    if (packet.bytes > 0 && use.position != packet.position + packet.bytes) {
      ++flushed_early_;
      co_await send(cp, request, packet, cp.packet);
    }
    std::uint32_t sent = 0;
    for (const BlockList::Part part : list.parts_of(use))
      for (std::uint32_t done = 0; done < part.bytes;) {
        const std::uint32_t some = std::min(part.bytes - done, most - packet.bytes);
        std::byte* const from = arrived.buffer->bytes() + part.offset + done;
        if (packet.bytes == 0) packet.position = use.position + sent;
        packet.bytes += some;
        if (some == most) {
          co_await send(cp, request, packet, from);  // no need to copy it
        } else {
          node_.endpoint.charge_for_pieces(1, some);
          os_.memory().copy(cp.packet + packet.bytes - some, from, some);
          if (packet.bytes == most) co_await send(cp, request, packet, cp.packet);
        }
        done += some;
        sent += some;
      }
    cache_.give_back(*arrived.buffer);
  }
  if (packet.bytes > 0) co_await send(cp, request, packet, cp.packet);
}

// The compute processor does not know the order of the blocks, so the I/O processor announces each packet. It sends the
// data when it has permission, or at once if there is no flow control (4.2.1, 6.3).
os::Task<> Server::send(CpThread& cp, const Request& request, Packet& packet, std::byte* data) {
  const Range range{request.asked.number, packet.bytes, packet.position};
  ++packets_;
  cp.answered = params_.permissions == 0;
  if (!cp.gone) co_await os_.send(messages_.announce.message(cp.node, range));
  while (!cp.answered && !cp.gone) co_await cp.answer.wait();
  if (!cp.gone) co_await os_.send(messages_.data.message(cp.node, range, data, packet.bytes));
  packet.bytes = 0;
}

os::Task<> Server::write(CpThread& cp, const Request& request, const BlockList& list, Delivery& delivery,
                         Missing& missing) {
  const auto most = static_cast<std::uint32_t>(params_.packet.count);
  std::vector<Part> parts;
  std::uint64_t end = 0;
  std::uint32_t bytes = 0;
  for (std::size_t left = list.uses.size(); left > 0; --left) {
    bool soon = true;
    if (!parts.empty()) soon = co_await delivery.comes_soon();
    if (!soon) {
      co_await ask(cp, request, list, parts);
      bytes = 0;
    }
    const Delivery::Arrived arrived = co_await delivery.next();
    const BlockUse& use = list.uses[arrived.item];
    if (!usable(cp, request, arrived, use, missing)) continue;
    if (!parts.empty() && (use.position != end || bytes + use.bytes > most)) {
      flushed_early_ += use.position != end;
      co_await ask(cp, request, list, parts);
      bytes = 0;
    }
    parts.push_back({arrived.buffer, arrived.item});
    end = use.position + use.bytes;
    bytes += use.bytes;
  }
  if (!parts.empty()) co_await ask(cp, request, list, parts);
}

// Asks for the bytes of the parts, which follow one another in the stream, in packets, and puts them into the buffers.
os::Task<> Server::ask(CpThread& cp, const Request& request, const BlockList& list, std::vector<Part>& parts) {
  const BlockUse& first = list.uses[parts.front().use];
  const BlockUse& last = list.uses[parts.back().use];
  const std::uint64_t end = last.position + last.bytes;
  std::size_t p = 0;
  for (std::uint64_t at = first.position; at < end;) {
    const auto most = static_cast<std::uint32_t>(std::min<std::uint64_t>(end - at, params_.packet.count));
    const Range range{request.asked.number, most, at};
    ++packets_;
    cp.answered = false;
    co_await os_.send(messages_.ask.message(cp.node, range));
    while (!cp.answered && !cp.gone) co_await cp.answer.wait();
    if (cp.gone) [[unlikely]]
      break;
    for (std::uint32_t done = 0; done < range.bytes;) {
      const BlockUse& use = list.uses[parts[p].use];
      const auto from = static_cast<std::uint32_t>(at + done - use.position);
      const std::uint32_t some = std::min(use.bytes - from, range.bytes - done);
      std::byte* const block = parts[p].buffer->bytes();
      const std::byte* packet = cp.packet + done;
      for (const BlockList::Part part : list.parts_of(use, from, some)) {
        node_.endpoint.charge_for_pieces(1, part.bytes);
        os_.memory().copy(block + part.offset, packet, part.bytes);
        packet += part.bytes;
      }
      done += some;
      if (from + some == use.bytes) ++p;
    }
    at += range.bytes;
  }
  for (; p < parts.size(); parts.pop_back()) cache_.give_up(*parts.back().buffer);
  for (const Part& part : parts) {
    cache_.changed(*part.buffer);
    cache_.give_back(*part.buffer);
  }
  parts.clear();
}

void Server::take_names(hal::Message& m) {
  const NameRequest asked = messages::Kind<NameRequest>::header(m);
  const std::string name = messages::text(m);
  const hal::NodeId from = m.source;
  const Time there = os_.receive(m);
  os_.spawn_at(there, answer(asked, from, name), "names");
}

os::Task<> Server::answer(NameRequest asked, hal::NodeId from, std::string name) {
  NameAnswer answer;
  std::vector<std::string> names;
  if (asked.call == Call::sync) {
    asked.reply.status = co_await sync();
  } else {
    answer = co_await catalogue_.carry_out(asked, name, names);
  }
  answer.names = static_cast<std::uint32_t>(names.size());
  std::uint64_t bytes = sizeof answer;
  for (const std::string& one : names) bytes += 1 + one.size();
  // The answer leaves from memory that this thread shares with no other.
  const auto guard = co_await answering_.lock();
  std::memcpy(answer_, &answer, sizeof answer);
  std::byte* at = answer_ + sizeof answer;
  for (const std::string& one : names) {
    *at++ = static_cast<std::byte>(one.size());
    std::memcpy(at, one.data(), one.size());
    at += one.size();
  }
  co_await os_.send(node_.endpoint.reply(from, asked.reply, answer_, static_cast<std::uint32_t>(bytes)));
}

os::Task<hal::Status> Server::sync() {
  const Error stored = co_await catalogue_.store_sizes();
  hal::Status status = co_await cache_.flush();
  if (status == hal::Status::ok && stored != Error::none) status = hal::Status::medium_error;
  const os::NotOnTheMachine mark;
  for (const LostBlock& lost : std::exchange(cache_.lost(), {}))
    for (const Catalogue::ForkRange& range : catalogue_.lost_with(lost.block)) {
      const auto file = files_ ? files_->find(range.file) : std::nullopt;
      if (!file) continue;
      const requests::Failed failed{file->number, requests::Operation::write, 0, 0, lost.status};
      for_each_part_of_file(volume_, file->bytes, failed, range.disk, range.offset, range.bytes,
                            [&](const requests::Failed& part) { record_.failed(part); });
    }
  co_return status;
}

void Server::add_statistics(StatisticSet& set) {
  const std::string prefix = os_.node().name();
  cache_.add_statistics(set, prefix + ".cache");
  set.counter(prefix + ".galley.packets", "packets announced or asked for", "1", packets_);
  set.counter(prefix + ".galley.flushed_early",
              "packets that were not full when a block came that did not continue them", "1", flushed_early_);
}

}  // namespace sunstar::file_systems::galley
