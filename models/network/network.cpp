// SPDX-License-Identifier: MIT
#include "models/network/network.h"

#include <algorithm>
#include <cassert>
#include <functional>

#include "models/kernel/sc_time_bridge.h"
#include "models/network/cube/flit_network.h"
#include "models/network/cube/worm_network.h"

namespace sunstar::network {

namespace {
struct Model {
  const char* name;
  std::unique_ptr<Network> (*create)(const sc_core::sc_module_name&, const NetworkParams&, std::uint64_t seed,
                                     Timetable*);
};

// One line a model.
const Model models[] = {
    {"worm",
     [](const sc_core::sc_module_name& name, const NetworkParams& params, std::uint64_t seed, Timetable* timetable)
         -> std::unique_ptr<Network> { return std::make_unique<WormNetwork>(name, params, seed, timetable); }},
    {"flit",
     [](const sc_core::sc_module_name& name, const NetworkParams& params, std::uint64_t seed, Timetable* timetable)
         -> std::unique_ptr<Network> { return std::make_unique<FlitNetwork>(name, params, seed, timetable); }},
};
}  // namespace

std::vector<std::string> network_models() {
  std::vector<std::string> names;
  for (const Model& m : models) names.push_back(m.name);
  return names;
}

std::unique_ptr<Network> Network::create(const sc_core::sc_module_name& name, const NetworkParams& params,
                                         std::uint64_t seed, Timetable* timetable) {
  for (const Model& m : models)
    if (params.model == m.name) return m.create(name, params, seed, timetable);
  assert(!"the name was checked when the configuration was read");
  return nullptr;
}

void check(const NetworkParams& params, const std::string& path, Problems& problems) {
  if (!buildable(params.shape))
    problems.add(json_path(path, "shape"),
                 params.shape.empty() ? "is empty; it must have at least one dimension"
                                      : "has more than " + std::to_string(most_routers) + " routers; no network may");
  if (params.model != "flit") return;
  const RouterParams& router = params.router;
  const std::string router_path = json_path(path, "router");
  const auto number = [](std::uint64_t n) { return std::to_string(n); };
  const Duration flit = params.flit_time();
  if (flit < router.cycle || flit % router.cycle != Duration{})
    problems.add(json_path(router_path, "flit_size"), "is " + number(router.flit_size.count) + " bytes, which take " +
                                                          number(static_cast<std::uint64_t>(flit.count())) +
                                                          " ps on a link; it must be a whole number of cycles of " +
                                                          number(static_cast<std::uint64_t>(router.cycle.count())) +
                                                          " ps");
  if (flit / router.cycle > 4096)
    problems.add(
        json_path(router_path, "flit_size"),
        "takes " + number(static_cast<std::uint64_t>(flit / router.cycle)) + " cycles on a link; 4096 is the most");
  if (params.topology == Topology::torus && vc_class_rule(router.vc_class_rule).classes && router.virtual_channels < 2)
    problems.add(json_path(router_path, "virtual_channels"),
                 "is 1; the rule " + router.vc_class_rule + " needs at least 2 on a torus");
  if (router.speculative && router.vc_allocation_delay != router.switch_allocation_delay)
    problems.add(json_path(router_path, "speculative"),
                 "is true; vc_allocation_delay and switch_allocation_delay must then be the same, not " +
                     number(router.vc_allocation_delay) + " and " + number(router.switch_allocation_delay));
  if (params.shape.size() > 15)
    problems.add(json_path(path, "shape"),
                 "has " + number(params.shape.size()) + " dimensions; the flit model has at most 15");
}

Network::Network(const sc_core::sc_module_name& name, const NetworkParams& params, std::uint64_t seed,
                 Timetable* timetable)
    : sc_module(name),
      from_node("from_node", Cube(params.shape).routers()),
      to_node("to_node", Cube(params.shape).routers()),
      own_timetable_(timetable ? nullptr : std::make_unique<Timetable>("timetable")),
      timetable_(timetable ? *timetable : *own_timetable_),
      random_(seed, "network"),
      border_(timetable_, *this),
      cube_(params.shape, params.topology),
      timing_variation_ps_(static_cast<std::uint64_t>(params.timing_variation.count())),
      varies_on_arrival_(seconds(params.timing_variation) * params.link_bandwidth.bytes_per_second),
      room_(cube_.routers(), InputRoom(params.input_fifo)),
      waiting_(cube_.routers()),
      looking_(cube_.routers(), 0),
      busy_before_(cube_.channels()) {
  for (std::uint32_t r = 0; r < cube_.routers(); ++r) {
    from_node[r].register_nb_transport_fw(this, &Network::accept, static_cast<int>(r));
    to_node[r].register_nb_transport_bw(this, &Network::taken, static_cast<int>(r));
  }
}

void Network::end_of_elaboration() {
  for (auto& socket : to_node) receivers_.push_back(socket.operator->());
}

tlm::tlm_sync_enum Network::accept(int, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay) {
  const Message message{&payload, payload.get_extension<Route>()};
  Time when = now() + from_sc(delay);
  if (message.route->bytes > varies_on_arrival_ && varies(message)) when += variation();
  if (when == now()) enter(message);
  else push(when, Due::enters, message, 0);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void Network::enter(Message message) {
  const Route& route = *message.route;
  if (route.reply || (waiting_[route.to].empty() && room_[route.to].take(now()))) {
    inject(message);
    return;
  }
  waiting_[route.to].push_back(message);
  ++waiting_count_;
  ++waited_;
  show_waiting(route.to);
  look_again(route.to);
}

void Network::arrives(Message message, Time tail) {
  const std::uint32_t to = message.route->to;
  if (message.route->bytes <= varies_on_arrival_ && varies(message)) tail += variation();
  if (tail == now()) deliver(to, *message.payload);
  else push(tail, Due::arrives, message, to);
}

void Network::push(Time when, Due::What what, Message message, std::uint32_t router) {
  const bool earliest = due_.empty() || when < due_.front().when;
  due_.push_back({when, order_++, message, router, what});
  std::push_heap(due_.begin(), due_.end(), std::greater<>{});
  if (earliest) border_.set(when);
}

void Network::ring() {
  const Time t = now();
  while (!due_.empty() && due_.front().when <= t) {
    const Due due = due_.front();
    std::pop_heap(due_.begin(), due_.end(), std::greater<>{});
    due_.pop_back();
    if (due.what == Due::arrives) {
      if (const Duration more = late(due.message); more > Duration{}) [[unlikely]]
        push(t + more, Due::arrives, due.message, due.router);
      else deliver(due.router, *due.message.payload);
    } else if (due.what == Due::enters) {
      enter(due.message);
    } else if (due.what == Due::calls) {
      called(due.router);
    } else {
      looking_[due.router] = 0;
      admit_waiting(due.router);
    }
  }
  if (!due_.empty()) border_.set(due_.front().when);
}

tlm::tlm_sync_enum Network::taken(int router, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time& delay) {
  const auto r = static_cast<std::uint32_t>(router);
  room_[r].give_back(now() + from_sc(delay));
  if (!waiting_[r].empty()) look_again(r);
  return tlm::TLM_COMPLETED;
}

// Asks to be woken when a place at `router` becomes free, if that is known and nobody asked yet.
void Network::look_again(std::uint32_t router) {
  if (looking_[router] || room_[router].next_free() == Time::max()) return;
  looking_[router] = 1;
  push(std::max(now(), room_[router].next_free()), Due::room, {}, router);
}

void Network::admit_waiting(std::uint32_t router) {
  auto& queue = waiting_[router];
  while (!queue.empty() && room_[router].take(now())) {
    const Message message = queue.front();
    queue.pop_front();
    --waiting_count_;
    inject(message);
  }
  show_waiting(router);
  if (!queue.empty()) look_again(router);
}

void Network::show_waiting(std::uint32_t router) {
  if (waves_) waves_->change(shown_held_[router], now(), static_cast<int>(waiting_[router].size()));
}

void Network::trace(WaveFile& waves) {
  waves_ = &waves;
  for (std::uint32_t r = 0; r < cube_.routers(); ++r)
    shown_held_.push_back(waves.number(std::string(name()) + ".router" + std::to_string(r) + ".held"));
}

double Network::utilisation(std::uint32_t channel) const {
  const Duration span = now() - counted_from_;
  // A worm counts for a link when it reserves it, for all of its length: in a span shorter than that, for more than the
  // span.
  return span == Duration{} ? 0.0 : std::min(seconds(busy(channel) - busy_before_[channel]) / seconds(span), 1.0);
}

void Network::add_statistics(StatisticSet& set) {
  const std::string prefix = name();
  set.counter(prefix + ".messages", "messages injected", "1", messages_);
  set.counter(prefix + ".message_bytes", "data bytes in them, headers not counted", "B", message_bytes_);
  set.counter(prefix + ".held", "requests that had to wait for room in the receiver's input FIFO", "1", waited_);
  set.add({prefix + ".busiest_channel", "share of time the busiest link was reserved", "fraction",
           [this] {
             double most = 0;
             for (std::uint32_t c = 0; c < cube_.channels(); ++c) most = std::max(most, utilisation(c));
             return most;
           },
           [this] {
             counted_from_ = now();
             for (std::uint32_t c = 0; c < cube_.channels(); ++c) busy_before_[c] = busy(c);
           }});
  for (std::uint32_t c = 0; c < cube_.channels(); ++c) {
    const bool terminal = c == cube_.injection(cube_.router_of(c)) || c == cube_.ejection(cube_.router_of(c));
    if (!terminal && !cube_.is_link(c)) continue;
    set.add({prefix + "." + cube_.channel_name(c) + "_utilisation", "share of time bytes passed the channel",
             "fraction", [this, c] { return utilisation(c); }});
  }
}

void Network::describe_waiting(std::vector<std::string>& lines) const {
  for (std::uint32_t r = 0; r < waiting_.size(); ++r)
    for (const Message& message : waiting_[r])
      lines.push_back("message from router " + std::to_string(message.route->from) +
                      " waits for room in the input FIFO at router " + std::to_string(r));
}

}  // namespace sunstar::network
