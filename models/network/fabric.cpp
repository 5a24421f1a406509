// SPDX-License-Identifier: MIT
#include "models/network/fabric.h"

namespace sunstar::network {

namespace {

/// While it lives, all new SystemC objects belong to `parent`.
class CreatedWithin {
 public:
#if SC_VERSION_MAJOR >= 3
  explicit CreatedWithin(sc_core::sc_module& parent) : scope_((parent.*&Opened::get_hierarchy_scope)()) {}

 private:
  struct Opened : sc_core::sc_module {  // SystemC 3 lets only the parent itself ask
    using sc_core::sc_module::get_hierarchy_scope;
  };
  sc_core::sc_hierarchy_scope scope_;
#else
  explicit CreatedWithin(sc_core::sc_module& parent) : context_(*parent.simcontext()) {
    context_.hierarchy_push(&parent);
  }
  ~CreatedWithin() { context_.hierarchy_pop(); }
  CreatedWithin(const CreatedWithin&) = delete;
  CreatedWithin& operator=(const CreatedWithin&) = delete;

 private:
  sc_core::sc_simcontext& context_;
#endif
};

}  // namespace

Fabric::Fabric(const sc_core::sc_module_name& name, const FabricParams& params, std::uint64_t seed,
               Timetable* timetable)
    : sc_module(name),
      own_timetable_(timetable ? nullptr : std::make_unique<Timetable>("timetable")),
      timetable_(timetable ? *timetable : *own_timetable_),
      random_(seed, "network"),
      border_(timetable_, *this),
      link_bandwidth_(params.port_bandwidth),
      ports_per_router_(params.ports_per_router),
      timing_variation_ps_(static_cast<std::uint64_t>(params.timing_variation.count())),
      varies_on_arrival_(seconds(params.timing_variation) * params.port_bandwidth.bytes_per_second),
      room_(params.ports, InputRoom(params.input_fifo)),
      waiting_(params.ports),
      looking_(params.ports, 0),
      shares_(params.channels),
      sockets_(params.ports),
      receivers_(params.ports) {}

Fabric::Sockets& Fabric::sockets(std::uint32_t port) {
  auto& both = sockets_[port];
  if (!both) {
    const CreatedWithin fabric(*this);
    both = std::make_unique<Sockets>(std::to_string(port));
    both->from_node.register_nb_transport_fw(this, &Fabric::accept);
    both->to_node.register_nb_transport_bw(this, &Fabric::taken, static_cast<int>(port));
  }
  return *both;
}

void Fabric::end_of_elaboration() {
  for (std::uint32_t port = 0; port < ports(); ++port)
    if (sockets_[port]) receivers_[port] = sockets_[port]->to_node.operator->();
}

tlm::tlm_sync_enum Fabric::accept(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const Message message{&payload, payload.get_extension<Route>()};
  if (faults_) [[unlikely]]
    message.route->fate = {.from_life = faults_->life(message.route->from)};
  Time when = now() + from_sc(delay);
  if (message.route->bytes > varies_on_arrival_ && varies(message)) when += variation();
  if (when == now()) {
    accepting_ = true;
    enter(message);
    accepting_ = false;
  } else {
    push(when, Due::enters, message, 0);
  }
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void Fabric::enter(Message message) {
  const Route& route = *message.route;
  if (route.reply || (waiting_[route.to].empty() && room_[route.to].take(now()))) {
    leave(message);
    return;
  }
  waiting_[route.to].push_back(message);
  ++waiting_count_;
  ++waited_;
  show_waiting(route.to);
  look_again(route.to);
}

void Fabric::arrives(Message message, Time tail) {
  const std::uint32_t to = message.route->to;
  if (message.route->bytes <= varies_on_arrival_ && varies(message)) tail += variation();
  // A sender is still sending while its message is accepted: even a message that takes no time arrives afterwards.
  if (tail == now() && !accepting_) deliver(to, message);
  else push(tail, Due::arrives, message, to);
}

// Some of the due things are alarms without a message.
std::uint64_t Fabric::in_flight() const {
  const auto on_the_way =
      std::ranges::count_if(due_, [](const Due& due) { return due.what != Due::room && due.what != Due::calls; });
  return static_cast<std::uint64_t>(on_the_way) + waiting_count_;
}

void Fabric::push(Time when, Due::What what, Message message, std::uint32_t where) {
  const bool earliest = due_.empty() || when < due_.front().when;
  due_.push_back({when, order_++, message, where, what});
  std::push_heap(due_.begin(), due_.end(), std::greater<>{});
  if (earliest) border_.set(when);
}

void Fabric::ring() {
  const Time t = now();
  while (!due_.empty() && due_.front().when <= t) {
    const Due due = due_.front();
    std::pop_heap(due_.begin(), due_.end(), std::greater<>{});
    due_.pop_back();
    if (due.what == Due::arrives) {
      if (const Duration more = late(due.message); more > Duration{}) [[unlikely]]
        push(t + more, Due::arrives, due.message, due.where);
      else deliver(due.where, due.message);
    } else if (due.what == Due::enters) {
      enter(due.message);
    } else if (due.what == Due::calls) {
      called(due.where);
    } else if (due.what == Due::again) {
      deliver_again(due.message);
    } else if (due.what == Due::delayed) {
      inject(due.message);
    } else {
      looking_[due.where] = 0;
      admit_waiting(due.where);
    }
  }
  if (!due_.empty()) border_.set(due_.front().when);
}

tlm::tlm_sync_enum Fabric::taken(int port, tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                                 sc_core::sc_time& delay) {
  const auto p = static_cast<std::uint32_t>(port);
  if (faults_ && payload.get_extension<Route>()->fate.to_life != faults_->life(p)) return tlm::TLM_COMPLETED;
  room_[p].give_back(now() + from_sc(delay));
  if (!waiting_[p].empty()) look_again(p);
  return tlm::TLM_COMPLETED;
}

// Schedules a look when a place at `port` becomes free, if that time is known and no look is scheduled yet.
void Fabric::look_again(std::uint32_t port) {
  if (looking_[port] || room_[port].next_free() == Time::max()) return;
  looking_[port] = 1;
  push(std::max(now(), room_[port].next_free()), Due::room, {}, port);
}

void Fabric::admit_waiting(std::uint32_t port) {
  auto& queue = waiting_[port];
  while (!queue.empty() && room_[port].take(now())) {
    const Message message = take_first(queue);
    --waiting_count_;
    leave(message);
  }
  show_waiting(port);
  if (!queue.empty()) look_again(port);
}

void Fabric::show_waiting(std::uint32_t port) {
  if (waves_) waves_->change(shown_held_[port], now(), static_cast<int>(waiting_[port].size()));
}

void Fabric::show(WaveFile& waves) {
  waves_ = &waves;
  for (std::uint32_t port = 0; port < ports(); ++port)
    shown_held_.push_back(waves.number(std::string(name()) + "." + port_name(port) + ".held"));
}

void Fabric::add_statistics(StatisticSet& set) {
  const std::string prefix = name();
  set.counter(prefix + ".messages", "messages injected", "1", messages_);
  set.counter(prefix + ".message_bytes", "data bytes in the messages, not counting headers", "B", message_bytes_);
  set.counter(prefix + ".held", "requests that had to wait for room in the receiver's input FIFO", "1", waited_);
  if (!faults_) return;
  const auto dropped = [&](Loss why, const std::string& leaf, const std::string& what) {
    set.counter(prefix + leaf, what, "1", dropped_[static_cast<std::size_t>(why)].messages);
  };
  dropped(Loss::no_way, ".without_way", "messages dropped because they had no way to their receiver");
  dropped(Loss::lost, ".lost", "messages dropped on arrival");
  dropped(Loss::refused, ".refused", "spoilt messages that their receivers refused");
  set.counter(prefix + ".duplicated", "messages delivered twice", "1", duplicated_.messages);
}

double Fabric::utilisation(std::uint32_t channel) const { return shares_[channel].now(busy(channel)); }

void Fabric::add_utilisation(StatisticSet& set, const std::string& name, const std::string& what,
                             std::uint32_t channel) {
  add_share(set, std::string(this->name()) + "." + name, what, shares_[channel],
            [this, channel] { return busy(channel); });
}

void Fabric::describe_waiting(std::vector<std::string>& lines) const {
  const std::string noun = port_noun() + " ";
  for (std::uint32_t port = 0; port < ports(); ++port)
    for (const Message& message : waiting_[port])
      lines.push_back(
          concat("message from ", noun, message.route->from, " waits for room in the input FIFO at ", noun, port));
}

}  // namespace sunstar::network
