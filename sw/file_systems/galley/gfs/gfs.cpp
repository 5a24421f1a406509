// SPDX-License-Identifier: MIT
#include "sw/file_systems/galley/gfs/gfs.h"

namespace sunstar::file_systems::galley {

using os::Cost;

namespace {
/// Forks cannot be larger, on any disk (messages.h).
constexpr std::uint64_t largest_offset = std::uint64_t{1} << 47;

std::uint64_t outgoing_bytes(const Params& params, std::uint64_t processors) {
  return std::max<std::uint64_t>(params.packet.count, 64) + sizeof(SentSelection) + processors * sizeof(std::uint64_t);
}

std::uint32_t most_extents(const Params& params) {
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(params.packet.count / sizeof(SentExtent), 1));
}

/// Expands a request's description.
template <class... Argument>
Expansion expanded(Expansion (*expand)(Argument...), std::type_identity_t<Argument>... arguments) {
  const os::Counted<Cost::chunk> mark;
  return expand(arguments...);
}

/// Writes the next extents as an I/O processor gets them, to an aligned place.
void list(Extents::Iterator& next, std::uint64_t extents, std::byte* to) {
  const os::Counted<Cost::chunk> mark;
  for (; extents > 0; --extents, ++next) {
    const SentExtent sent = SentExtent::of(*next);
    std::memcpy(std::assume_aligned<alignof(SentExtent)>(to), &sent, sizeof sent);
    to += sizeof sent;
  }
}

}  // namespace

Gfs::Gfs(Run& run, const Messages& messages, const Params& params, std::uint32_t processor)
    : messages_(messages),
      params_(params),
      nodes_(run.nodes),
      volume_(run.volume),
      endpoint_(*run.nodes.compute[processor]),
      os_(endpoint_.os),
      memory_(run.job.memory[processor]),
      block_bytes_(run.volume.block_bytes()),
      calling_(os_, "a call of Galley"),
      outgoing_(os_.node().allocate(outgoing_bytes(params, run.nodes.compute.size()))),
      incoming_(os_.node().allocate(answer_bytes(params))),
      permissions_(params.permissions),
      any_(os_, "any transfer of Galley") {
  messages.announce.on_arrival(os_, [this](hal::Message& m) { announced(m); });
  messages.data.on_arrival<Cost::remote_memory>(os_, [this](hal::Message& m) { arrived(m); });
  messages.ask.on_arrival(os_, [this](hal::Message& m) { asked(m); });
  messages.done.on_arrival<Cost::reply_action>(os_, [this](hal::Message& m) { done(m); });
}

Bounds Gfs::bounds() const { return {largest_offset, memory_.bytes}; }

os::Task<Gfs::Pending> Gfs::begin(Direction direction, int fid, Expansion expansion,
                                  std::span<const std::byte> selection) {
  Pending transfer(new Transfer(os_));
  const OpenFork* const open = open_fork(fid);
  transfer->answer_.error = open ? expansion.error : Error::not_open;
  if (transfer->answer_.error != Error::none || expansion.bytes() == 0) {
    transfer->ended_ = true;
    co_return transfer;
  }
  const OpenFork fork = *open;
  transfer->writes_ = direction == Direction::write;
  transfer->selects_ = !selection.empty();
  const Extents extents = std::move(expansion.fork);
  transfer->memory_ = std::move(expansion.memory);
  if (!transfer->writes_) {
    const os::Counted<Cost::chunk> mark;
    transfer->overlaps_.emplace(transfer->memory_);
  }
  const auto guard = co_await calling_.lock();
  os_.charge(Cost::file_call);
  os_.charge(Cost::chunk, static_cast<double>(expansion.chunks));
  transfer->server_ = server_of(fork.disk);
  if (!endpoint_.peers().watch(transfer->server_, *this)) [[unlikely]] {
    transfer->answer_ = {.error = Error::io_error, .status = hal::Status::no_answer};
    transfer->ended_ = true;
    co_return transfer;
  }
  const std::uint32_t number = next_++;
  transfers_.emplace(number, transfer.get());
  const std::uint32_t most = most_extents(params_);
  Extents::Iterator next = extents.pieces().begin();
  for (std::uint64_t first = 0; first < extents.size(); first += most) {
    const std::uint64_t some = std::min<std::uint64_t>(most, extents.size() - first);
    const std::size_t before = first == 0 ? selection.size() : 0;
    std::copy_n(selection.data(), before, outgoing_);
    list(next, some, outgoing_ + before);
    const auto bytes = static_cast<std::uint32_t>(before + some * sizeof(SentExtent));
    endpoint_.count_list(bytes);
    hal::Message message;
    if (first == 0) {
      const TransferRequest request{.number = number,
                                    .device = volume_.place(fork.disk).unit,
                                    .fork = fork.entry,
                                    .extents = static_cast<std::uint32_t>(extents.size()),
                                    .writes = transfer->writes_,
                                    .selects = transfer->selects_};
      message = messages_.transfer.message(transfer->server_, request, outgoing_, bytes);
    } else {
      const MoreExtents more{.number = number, .first = static_cast<std::uint32_t>(first)};
      message = messages_.more_extents.message(transfer->server_, more, outgoing_, bytes);
    }
    co_await os_.send(message);
  }
  co_return transfer;
}

void Gfs::announced(hal::Message& m) {
  const std::uint32_t number = messages::Kind<Range>::header(m).number;
  const hal::NodeId server = m.source;
  os_.node().network().release(m);
  if (params_.permissions == 0) return;
  if (!find(number)) [[unlikely]] {  // its data will be dropped
    const hal::Message permission = messages_.permit.message(server, {number});
    os_.charge_handler({{Cost::message_send}});
    os_.send_at(os_.handler_end(), permission);
    return;
  }
  announced_.push_back({server, number});
  give_permissions();
}

void Gfs::give_permissions() {
  while (!announced_.empty() && permitted_ < permissions_) {
    ++permitted_;
    ++permitted_to_[announced_.front().server];
    os_.charge_handler({{Cost::message_send}});
    const hal::Message message = messages_.permit.message(announced_.front().server, {announced_.front().number});
    announced_.pop_front();
    os_.send_at(os_.handler_end(), message);
  }
}

Gfs::Transfer* Gfs::find(std::uint32_t number) {
  const auto found = transfers_.find(number);
  return found == transfers_.end() ? nullptr : found->second;
}

// Its transfers get no more data; its permissions are free for other servers.
void Gfs::lost(hal::NodeId server) {
  std::vector<std::uint32_t> its;
  for (const auto& [number, transfer] : transfers_)
    if (transfer->server_ == server) its.push_back(number);
  std::ranges::sort(its);  // hashes would decide which goes on first
  for (const std::uint32_t number : its) {
    Transfer* const transfer = find(number);
    if (!transfer) continue;  // it has ended with one before it
    transfers_.erase(number);
    transfer->answer_ = {.error = Error::io_error, .status = hal::Status::no_answer};
    transfer->missing_.clear();
    transfer->ended_ = true;
    transfer->waiting_.wake_all();
  }
  any_.wake_all();
  std::erase_if(announced_, [&](const Announced& one) { return one.server == server; });
  permitted_ -= std::exchange(permitted_to_[server], 0);
  give_permissions();
}

void Gfs::arrived(hal::Message& m) {
  const Range range = messages::Kind<Range>::header(m);
  Transfer* const found = find(range.number);
  if (!found) [[unlikely]] {
    os_.receive(m);
    return;
  }
  Transfer& transfer = *found;
  std::uint32_t pieces = 0;
  std::byte* last = nullptr;
  if (transfer.selects_) {
    append(transfer, m);
    packet_arrived(range, transfer);
    return;
  }
  const auto place = [&](const Extents::Piece& piece) {
    last = memory_.base + piece.offset;
    os_.memory().write(last, *m.content, static_cast<std::uint32_t>(piece.position - range.position),
                       static_cast<std::uint32_t>(piece.bytes));
    ++pieces;
  };
  for (const Extents::Piece& piece : transfer.memory_.pieces(range.position, range.bytes))
    transfer.overlaps_->for_each_kept(piece, place);
  Time there;
  if (pieces == 1 && !transfer.overlaps_->any()) {
    there = os_.take(m, last);
  } else {
    there = os_.take(m);
    os_.copied(range.bytes);
    os_.charge_handler(
        {{Cost::piece_copy, static_cast<double>(pieces)}, {Cost::copy_per_byte, static_cast<double>(range.bytes)}});
    there = std::max(there, os_.handler_end());
  }
  os_.node().network().release(m);
  transfer.there_ = std::max(transfer.there_, there);
  packet_arrived(range, transfer);
}

// Appends chosen records to the earlier ones.
void Gfs::append(Transfer& transfer, hal::Message& m) {
  const std::uint32_t bytes = m.bytes;
  if (bytes > memory_.bytes - memory_.appended) {
    transfer.answer_.error = Error::out_of_memory;
    os_.take(m);
  } else {
    os_.memory().write(memory_.base + memory_.appended, *m.content);
    transfer.there_ = std::max(transfer.there_, os_.take(m, memory_.base + memory_.appended));
    memory_.appended += bytes;
  }
  os_.node().network().release(m);
}

void Gfs::packet_arrived(const Range& range, Transfer& transfer) {
  transfer.arrived_ += range.bytes;
  const hal::NodeId server = transfer.server_;
  end_if_complete(range.number, transfer);
  if (params_.permissions == 0) return;
  --permitted_;
  --permitted_to_[server];
  give_permissions();
}

void Gfs::asked(hal::Message& m) {
  const Range range = messages::Kind<Range>::header(m);
  const hal::NodeId server = m.source;
  os_.node().network().release(m);
  os_.spawn_at(os_.handler_end(), answer(server, range), "answer");
}

// Sends the bytes of a write that an I/O processor has asked for.
os::Task<> Gfs::answer(hal::NodeId server, Range range) {
  const Transfer* const found = find(range.number);
  if (!found) [[unlikely]] {
    co_await os_.send(messages_.written.message(server, {range.number}));
    co_return;
  }
  const Transfer& transfer = *found;
  std::uint32_t pieces = 0;
  std::byte* data = nullptr;
  const auto all = transfer.memory_.pieces(range.position, range.bytes);
  for (const Extents::Piece& piece : all) {
    data = memory_.base + piece.offset;
    ++pieces;
  }
  std::byte* gathered = nullptr;
  if (pieces > 1) {
    data = gathered =
        packets_.empty() ? os_.node().allocate(std::max<std::uint64_t>(params_.packet.count, 64)) : take_last(packets_);
    for (const Extents::Piece& piece : all)
      os_.memory().copy(gathered + (piece.position - range.position), memory_.base + piece.offset, piece.bytes);
    endpoint_.charge_for_pieces(pieces, range.bytes);
  }
  co_await os_.send(messages_.written.message(server, {range.number}, data, range.bytes));
  if (gathered) packets_.push_back(gathered);
}

void Gfs::done(hal::Message& m) {
  const Done done = messages::Kind<Done>::header(m);
  Transfer* const found = find(done.number);
  if (!found) [[unlikely]] {
    os_.receive(m);
    return;
  }
  Transfer& transfer = *found;
  if (m.bytes > 0) [[unlikely]] {
    transfer.missing_.resize(m.bytes / sizeof(Extent));
    messages::copy_data(m, 0, transfer.missing_.data(), m.bytes);
    transfer.there_ = std::max(transfer.there_, os_.take(m));
  }
  os_.node().network().release(m);
  if (transfer.answer_.error == Error::none) transfer.answer_.error = done.error;
  transfer.answer_.status = done.status;
  transfer.answer_.bytes = done.bytes;
  transfer.done_ = true;
  end_if_complete(done.number, transfer);
}

// On some networks this message overtakes the data.
void Gfs::end_if_complete(std::uint32_t number, Transfer& transfer) {
  if (!transfer.done_ || (!transfer.writes_ && transfer.arrived_ < transfer.answer_.bytes)) return;
  transfers_.erase(number);
  endpoint_.peers().unwatch(transfer.server_, *this);
  os_.after(std::max(os_.handler_end(), transfer.there_), [this, &transfer] {
    transfer.ended_ = true;
    transfer.waiting_.wake_all();
    any_.wake_all();
  });
}

os::Task<Answer> Gfs::gfs_wait(Transfer& transfer) {
  while (!transfer.ended_) co_await transfer.waiting_.wait();
  co_return transfer.answer_;
}

os::Task<std::size_t> Gfs::gfs_wait_any(std::span<const Pending> transfers) {
  for (;;) {
    for (std::size_t i = 0; i < transfers.size(); ++i)
      if (transfers[i] && transfers[i]->ended_) co_return i;
    co_await any_.wait();
  }
}

os::Task<Gfs::Pending> Gfs::gfs_begin(Direction direction, int fid, std::int64_t buf, std::int64_t offset,
                                      std::int64_t bytes) {
  return begin(direction, fid, expanded(expand_plain, offset, buf, bytes, bounds()));
}
os::Task<Gfs::Pending> Gfs::gfs_begin_selected(int fid, std::int64_t offset, std::int64_t bytes,
                                               const requests::Selection& selection, std::uint32_t processor,
                                               std::uint32_t subfiles, std::uint32_t subfile) {
  SentSelection sent;
  sent.function = selection.function;
  sent.first = selection.first;
  sent.processors = selection.processors;
  sent.wanted = processor;
  sent.record_bytes = selection.record_bytes;
  sent.key = selection.key;
  sent.filter_offset = selection.filter_offset;
  sent.boundaries = static_cast<std::uint32_t>(selection.boundaries.size());
  sent.unit = block_bytes_;
  sent.subfiles = subfiles;
  sent.subfile = subfile;
  sent.discarded_below = selection.discarded_below;
  std::vector<std::byte> encoded(sizeof sent + selection.boundaries.size() * sizeof(std::uint64_t));
  std::memcpy(encoded.data(), &sent, sizeof sent);
  const auto boundaries = std::as_bytes(std::span(selection.boundaries));
  std::ranges::copy(boundaries, encoded.begin() + sizeof sent);
  // What matters of the memory is checked when records arrive.
  Expansion expansion = expanded(expand_plain, offset, 0, bytes, Bounds{largest_offset, largest_offset});
  const auto size = static_cast<std::int64_t>(selection.record_bytes);
  if (expansion.error == Error::none &&
      (block_bytes_ % selection.record_bytes != 0 || selection.record_bytes > params_.packet.count ||
       offset % size != 0 || bytes % size != 0 || selection.boundaries.size() + 1 > std::max(selection.processors, 1u)))
    expansion.error = Error::bad_argument;
  co_return co_await begin(Direction::read, fid, std::move(expansion), encoded);
}
os::Task<Gfs::Pending> Gfs::gfs_begin_strided(Direction direction, int fid, std::int64_t buf, std::int64_t offset,
                                              std::int64_t rec_size, std::int64_t f_stride, std::int64_t m_stride,
                                              std::int64_t quant) {
  return begin(direction, fid, expanded(expand_strided, offset, buf, rec_size, f_stride, m_stride, quant, bounds()));
}
os::Task<Gfs::Pending> Gfs::gfs_begin_nested(Direction direction, int fid, std::int64_t buf, std::int64_t offset,
                                             std::int64_t rec_size, std::span<const stride> vec) {
  return begin(direction, fid, expanded(expand_nested, offset, buf, rec_size, vec, bounds()));
}
os::Task<Gfs::Pending> Gfs::gfs_begin_batched(Direction direction, int fid, std::int64_t buf,
                                              std::span<const gfs_batch> vec) {
  return begin(direction, fid, expanded(expand_batched, vec, buf, bounds()));
}
os::Task<Gfs::Pending> Gfs::gfs_begin_list(Direction direction, int fid, std::span<const gfs_list_entry> list) {
  return begin(direction, fid, expanded(expand_list, list, bounds()));
}

// The calls that wait begin a transfer and wait for its end.
#define SUNSTAR_GFS_CALL(name, direction, begin_call, parameters, arguments) \
  os::Task<Answer> Gfs::name parameters {                                    \
    const Pending transfer = co_await begin_call arguments;                  \
    const Answer answer = co_await gfs_wait(*transfer);                      \
    co_return answer;                                                        \
  }
#define SUNSTAR_GFS_CALLS(suffix, begin_call, parameters, ...)                                     \
  SUNSTAR_GFS_CALL(gfs_read##suffix, read, begin_call, parameters, (Direction::read, __VA_ARGS__)) \
  SUNSTAR_GFS_CALL(gfs_write##suffix, write, begin_call, parameters, (Direction::write, __VA_ARGS__))
SUNSTAR_GFS_CALLS(, gfs_begin, (int fid, std::int64_t buf, std::int64_t offset, std::int64_t bytes), fid, buf, offset,
                  bytes)
SUNSTAR_GFS_CALLS(_strided, gfs_begin_strided,
                  (int fid, std::int64_t buf, std::int64_t offset, std::int64_t rec_size, std::int64_t f_stride,
                   std::int64_t m_stride, std::int64_t quant),
                  fid, buf, offset, rec_size, f_stride, m_stride, quant)
#undef SUNSTAR_GFS_CALLS
#undef SUNSTAR_GFS_CALL

}  // namespace sunstar::file_systems::galley
