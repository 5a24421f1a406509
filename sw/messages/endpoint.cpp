// SPDX-License-Identifier: MIT
#include "sw/messages/endpoint.h"

namespace sunstar::messages {

Endpoint::Endpoint(os::Os& o, const Protocol& protocol)
    : os(o), protocol_(protocol), id_(o.node().id()), peers_(*this, protocol) {
  protocol_.reply.on_arrival<os::Cost::reply_action>(os, [this](hal::Message& m) {
    const ReplyTo to = Kind<ReplyTo>::header(m);
    if (given_up(to.expected)) [[unlikely]] {
      os.receive(m);
      return;
    }
    const ReplyAction* const action = actions_[expectations_.action(to.expected)];
    const Time there = os.receive(m, action->destination() ? action->destination() + to.at : nullptr);
    os.after(there, [this, expected = to.expected, status = to.status] { came(expected, status); });
  });
}

void Endpoint::came(Expectations::Name expected, hal::Status status) {
  if (given_up(expected)) [[unlikely]]  // while the data came
    return;
  peers_.came(expectations_.node(expected));
  ReplyAction& action = *actions_[expectations_.action(expected)];
  expectations_.came(expected);
  action.complete(status);
}

void Endpoint::give_up(hal::NodeId node) {
  for (const std::uint32_t action : expectations_.give_up(node)) actions_[action]->complete(hal::Status::no_answer);
}

void Endpoint::refuse_all() {
  for (std::uint16_t number = 0; number < protocol_.numbers.count(); ++number) {
    if (os.takes(number)) continue;
    const auto refuse = [this](hal::Message& m) {
      const hal::Message answer = protocol_.nobody.message(m.source, {});
      os.send_at(os.receive(m), answer);
    };
    os.on_message(number, {os::Cost::remote_memory}, refuse, "refused");
  }
}

void Endpoint::offer(RemoteMemory& memory, std::uint64_t most_gathered) {
  if (most_gathered > 0) gathered_ = os.node().allocate(most_gathered);
  most_gathered_ = most_gathered;
  offered_ = &memory;
  if (os.one_sided()) os.node().network().open(memory, protocol_.reply.number());
  using os::Cost;
  protocol_.memput_pieces.on_arrival<Cost::remote_memory>(os, [&](hal::Message& m) { put_pieces(m, memory); });
  protocol_.memget_pieces.on_arrival<Cost::remote_memory>(os, [&](hal::Message& m) { get_pieces(m, memory); });
  protocol_.append.on_arrival<Cost::remote_memory>(os, [this, &memory](hal::Message& m) {
    assert(memory.appended + m.bytes <= memory.bytes);
    std::byte* const end = memory.base + memory.appended;
    memory.appended += m.bytes;
    const hal::Message acknowledgement = reply(m.source, Kind<ReplyTo>::header(m));
    const Time there = os.receive(m, end);
    os.send_at(there, acknowledgement);
  });
  protocol_.memput.on_arrival<Cost::remote_memory>(os, [this, &memory](hal::Message& m) {
    const auto& put = Kind<Protocol::Put>::header(m);
    assert(put.offset + m.bytes <= memory.bytes);
    memory.put_bytes += m.bytes;
    const hal::Message acknowledgement = reply(m.source, put.reply);
    const Time there = os.receive(m, memory.base + put.offset);
    os.send_at(there, acknowledgement);
  });
  protocol_.memget.on_arrival<Cost::remote_memory>(os, [this, &memory](hal::Message& m) {
    const auto& get = Kind<Protocol::Get>::header(m);
    assert(get.offset + get.bytes <= memory.bytes);
    memory.got_bytes += get.bytes;
    hal::Message answer = reply(m.source, get.reply, memory.base + get.offset, static_cast<std::uint32_t>(get.bytes));
    declare(answer, Carries::file_data);
    const Time taken = os.receive(m);
    os.send_at(taken, answer);
  });
}

namespace {

/// Calls visit(run) for each run that a message describes; a list begins `at` bytes into the message's data. Returns
/// how many pieces there are.
template <class Visit>
std::uint64_t for_each_run(const hal::Message& m, const Protocol::Pieces& header, std::uint64_t at, Visit visit) {
  std::uint64_t pieces = 0;
  for (std::uint32_t i = 0; i < header.runs; ++i) {
    const os::Counted<os::Cost::piece_copy> mark;
    PieceRun run = header.run;
    if (header.runs > 1) copy_data(m, at + i * sizeof run, &run, sizeof run);
    pieces += run.count;
    visit(run);
  }
  return pieces;
}

void check_inside([[maybe_unused]] const PieceRun& run, [[maybe_unused]] const RemoteMemory& memory) {
  assert(run.offset + (run.count - 1) * run.stride + run.bytes <= memory.bytes);
}

}  // namespace

void Endpoint::put_pieces(hal::Message& m, RemoteMemory& memory) {
  const auto& put = Kind<Protocol::Pieces>::header(m);
  const std::uint64_t bytes = m.bytes - (put.runs > 1 ? put.runs * sizeof(PieceRun) : 0);
  memory.put_bytes += bytes;
  const hal::Message acknowledgement = reply(m.source, put.reply);
  std::byte* destination = nullptr;
  if (put.runs == 1 && put.run.count == 1) {
    check_inside(put.run, memory);
    destination = memory.base + put.run.offset;
  } else {
    // The data go to a buffer by DMA, and from there to their places by the processor.
    std::uint64_t from = 0;
    const std::uint64_t pieces = for_each_run(m, put, bytes, [&](const PieceRun& run) {
      check_inside(run, memory);
      from = unpack(run, m, from, os.memory(), memory.base);
    });
    os.charge_handler(
        {{os::Cost::piece_copy, static_cast<double>(pieces)}, {os::Cost::copy_per_byte, static_cast<double>(bytes)}});
    os.copied(bytes);
  }
  const Time there = os.receive(m, destination);
  os.send_at(there, acknowledgement);
}

void Endpoint::get_pieces(hal::Message& m, RemoteMemory& memory) {
  const auto get = Kind<Protocol::Pieces>::header(m);
  std::byte* data = memory.base + get.run.offset;
  std::uint64_t bytes = get.run.bytes;
  if (get.runs > 1 || get.run.count > 1) {
    std::byte* to = data = gathered_;
    const std::uint64_t pieces = for_each_run(m, get, 0, [&](const PieceRun& run) {
      check_inside(run, memory);
      assert(static_cast<std::uint64_t>(to - gathered_) + std::uint64_t{run.bytes} * run.count <= most_gathered_);
      to = pack(run, os.memory(), memory.base, to);
    });
    bytes = static_cast<std::uint64_t>(to - gathered_);
    os.charge_handler(
        {{os::Cost::piece_copy, static_cast<double>(pieces)}, {os::Cost::copy_per_byte, static_cast<double>(bytes)}});
    os.copied(bytes);
  }
  memory.got_bytes += bytes;
  hal::Message answer = reply(m.source, get.reply, data, static_cast<std::uint32_t>(bytes));
  declare(answer, Carries::file_data);
  const Time taken = os.receive(m);
  os.send_at(taken, answer);  // the interface copies the data at once, so the next request may use the buffer
}

hal::Message Endpoint::with_list(const Kind<Protocol::Pieces>& kind, hal::NodeId to, const Runs& pieces,
                                 std::byte* data, std::uint32_t bytes, const ReplyTo& answer) {
  const os::Counted<os::Cost::message_send> mark;
  const std::uint32_t list = pieces.list_bytes();
  if (list > 0) {
    os.memory().put(data + bytes, pieces.list().data(), list);
    list_bytes_ += list;
  }
  hal::Message m = kind.message(
      to, {pieces.list().front(), static_cast<std::uint32_t>(pieces.list().size()), 0, answer}, data, bytes + list);
  if (list == 0) declare(m, Carries::file_data);
  return m;
}

hal::Message Endpoint::memput(hal::NodeId to, const Runs& pieces, std::byte* data, const ReplyTo& answer) {
  return with_list(protocol_.memput_pieces, to, pieces, data, static_cast<std::uint32_t>(pieces.bytes()), answer);
}

hal::Message Endpoint::memget(hal::NodeId to, const Runs& pieces, std::byte* list, const ReplyTo& answer) {
  return with_list(protocol_.memget_pieces, to, pieces, list, 0, answer);
}

os::Counted<os::Cost::piece_copy> Endpoint::charge_for_pieces(std::uint64_t pieces, std::uint64_t bytes) {
  os.charge(os::Cost::piece_copy, static_cast<double>(pieces));
  os.charge(os::Cost::copy_per_byte, static_cast<double>(bytes));
  os.copied(bytes);
  return {};
}

Endpoint::Answer Endpoint::answer(hal::Message& request, const ReplyTo& to, std::byte* data, std::uint32_t bytes,
                                  Carries carries) {
  const hal::NodeId client = request.source;
  os.node().network().release(request);
  return answer(client, to, data, bytes, carries);
}

Endpoint::Answer Endpoint::answer(hal::NodeId client, const ReplyTo& to, std::byte* data, std::uint32_t bytes,
                                  Carries carries) {
  os::counted_from_here<os::Cost::message_send>();
  hal::Message message = reply(client, to, data, bytes);
  declare(message, carries);
  return {os, message};
}

hal::Message Endpoint::memput(hal::NodeId to, std::uint64_t offset, std::byte* data, std::uint32_t bytes,
                              const ReplyTo& answer) const {
  const os::Counted<os::Cost::message_send> mark;
  hal::Message put = protocol_.memput.message(to, {offset, 0, answer}, data, bytes);
  if (os.one_sided()) put.one_sided = hal::OneSided::write;
  return put;
}

hal::Message Endpoint::memget(hal::NodeId to, std::uint64_t offset, std::uint32_t bytes, const ReplyTo& answer) const {
  const os::Counted<os::Cost::message_send> mark;
  hal::Message get = protocol_.memget.message(to, {offset, bytes, answer});
  if (os.one_sided()) get.one_sided = hal::OneSided::read;
  return get;
}

hal::Message Endpoint::append(hal::NodeId to, std::byte* data, std::uint32_t bytes, const ReplyTo& answer) const {
  const os::Counted<os::Cost::message_send> mark;
  return protocol_.append.message(to, answer, data, bytes);
}

hal::Message Endpoint::reply(hal::NodeId source, const ReplyTo& to, std::byte* data, std::uint32_t bytes) const {
  const os::CountedUnlessInside<os::Cost::message_send> mark;
  return protocol_.reply.message(source, to, data, bytes);
}

ReplyAction::ReplyAction(Endpoint& endpoint)
    : endpoint_(&endpoint), waiters_(endpoint.os, "replies"), number_(take_entry(endpoint.actions_, endpoint.free_)) {
  endpoint.actions_[number_] = this;
}

// The request goes to the node all the same; nobody expects its reply.
ReplyTo ReplyAction::gone(std::uint64_t at) {
  status_ = hal::Status::no_answer;
  return {.expected = Expectations::nobody, .at = at};
}

ReplyAction::ReplyAction(ReplyAction&& other) noexcept
    : endpoint_(std::exchange(other.endpoint_, nullptr)),
      waiters_(std::move(other.waiters_)),
      destination_(other.destination_),
      number_(other.number_),
      outstanding_(other.outstanding_),
      status_(other.status_) {
  endpoint_->actions_[number_] = this;
}

ReplyAction::~ReplyAction() {
  // If the executive is being destroyed, and this unfinished thread with it, the endpoint may already be gone.
  if (!endpoint_ || waiters_.ending()) return;
  endpoint_->actions_[number_] = nullptr;
  endpoint_->free_.push_back(number_);
}

}  // namespace sunstar::messages
