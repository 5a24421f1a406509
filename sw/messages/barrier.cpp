// SPDX-License-Identifier: MIT
#include "sw/messages/barrier.h"

namespace sunstar::messages {

Barrier::Barrier(std::vector<Endpoint*> members, Numbers& numbers)
    : members_(std::move(members)),
      node_of_(members_.size()),
      arrive_(numbers, "barrier: arrived", Taken::always),
      release_(numbers, "barrier: released", Taken::always),
      rounds_(members_.size()),
      said_(members_.size()) {
  released_.reserve(members_.size());
  boost::unordered_flat_map<hal::NodeId, std::size_t> place;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    os::Os& os = members_[i]->os;
    released_.emplace_back(os, "the others at a barrier");
    const auto [at, is_new] = place.emplace(members_[i]->id(), nodes_.size());
    if (is_new) nodes_.push_back(std::make_unique<Node>(*this, *members_[i]));
    Node& node = *nodes_[node_of_[i] = at->second];
    node.members.push_back(i);
    if (!is_new) continue;
    arrive_.on_arrival<os::Cost::reply_action>(os, [this, &os, &node](hal::Message& m) {
      const Word said = Kind<Word>::header(m);
      os.receive(m);
      arrived(node, said);
    });
    release_.on_arrival<os::Cost::reply_action>(os, [this, &os, &node](hal::Message& m) {
      const Word said = Kind<Word>::header(m);
      os.receive(m);
      if (said.round == every) return os.fence();
      if (said.round == where) return say_where(node, nodes_[node_of_[said.member]]->endpoint.id());
      if (said.round > node.released) node.released = said.round, node.said = said.said;
      release(node);
    });
  }
}

void Barrier::release(const Node& node) {
  for (const std::size_t member : node.members) released_[member].wake_all();
}

std::size_t Barrier::first_node(const Node& node) const {
  for (std::size_t n = 0; n < node.gone.size(); ++n)
    if (!node.gone[n]) return n;
  return 0;
}

std::size_t Barrier::first(std::size_t member) const {
  const Node& node = *nodes_[node_of_[member]];
  return nodes_[first_node(node)]->members.front();
}

std::vector<std::uint32_t> Barrier::gone(std::size_t member) const {
  const Node& node = *nodes_[node_of_[member]];
  std::vector<std::uint32_t> members;
  if (node.gone.empty()) return members;
  for (std::uint32_t m = 0; m < members_.size(); ++m)
    if (node.gone[node_of_[m]]) members.push_back(m);
  return members;
}

// A full FIFO does not hold up a barrier's messages: their handlers release them at once.
os::Task<Barrier::Said> Barrier::wait(std::size_t member, Said said) {
  const std::size_t me = node_of_[member];
  Node& node = *nodes_[me];
  const Round round = ++rounds_[member];
  said_[member] = said;
  std::size_t told = none;
  while (node.released < round) {
    const std::size_t first = first_node(node);
    if (first == me) {
      arrived(node, word(member));
      if (member == node.members.front() && node.over > node.released) co_await release_all(node);
      if (node.released >= round) break;
    } else if (first != told) {
      told = first;
      Endpoint& there = nodes_[first]->endpoint;
      co_await node.endpoint.os.send(arrive_.message(there.id(), word(member)));
      if (!node.endpoint.peers().watch(there.id(), node)) {
        told = none;
        node.lost(there.id());
        continue;
      }
      if (node.released >= round) break;
    }
    co_await released_[member].wait();
  }
  if (told != none) node.endpoint.peers().unwatch(nodes_[told]->endpoint.id(), node);
  co_return node.said;
}

// By a thread of the first node.
os::Task<> Barrier::release_all(Node& first) {
  first.released = first.over;
  first.said = first.together;
  release(first);
  for (std::size_t n = 0; n < nodes_.size(); ++n)
    if (nodes_[n].get() != &first && !first.gone[n])
      co_await first.endpoint.os.send(release_.message(nodes_[n]->endpoint.id(), release_word(first, first.released)));
}

// The first node learns that a member has come.
void Barrier::arrived(Node& at, const Word& word) {
  const std::size_t member = word.member;
  const Round round = word.round;
  if (at.arrived.empty()) {
    at.arrived.resize(members_.size());
    at.words.resize(members_.size());
    at.watched.resize(nodes_.size());
    at.gone.resize(nodes_.size());
  }
  const bool is_new = round > at.arrived[member];
  if (is_new) at.arrived[member] = round, at.words[member] = word.said;
  const std::size_t from = node_of_[member];
  if (at.gone[from]) {
    send(at, from, every);
  } else if (round <= at.released) {
    send(at, from, at.released);
  } else if (is_new && round == at.latest && --at.late > 0) {
    const auto here = [&](std::size_t other) { return at.arrived[other] >= round; };
    if (at.watched[from] && std::ranges::all_of(nodes_[from]->members, here)) {
      at.watched[from] = 0;
      at.endpoint.peers().unwatch(nodes_[from]->endpoint.id(), at);
    }
  } else {
    look(at);
  }
}

// Looks at all members: when the first or the last of them comes, or if any is gone.
void Barrier::look(Node& at) {
  const auto there = [&](std::size_t member) { return !at.gone[node_of_[member]]; };
  Round over = every;
  at.latest = at.late = 0;
  for (std::size_t m = 0; m < members_.size(); ++m)
    if (there(m)) over = std::min(over, at.arrived[m]), at.latest = std::max(at.latest, at.arrived[m]);
  if (over > at.over && over != every) {
    at.over = over;
    at.together = nothing;
    for (std::size_t m = 0; m < members_.size(); ++m)
      if (const Said said = there(m) ? at.words[m] : nothing; said != nothing)
        at.together = at.together == nothing || at.together == said ? said : differ;
    released_[at.members.front()].wake_all();  // its thread releases the others
  }
  // A member waits for the others.
  std::vector<char> late(nodes_.size());
  for (std::size_t m = 0; m < members_.size(); ++m)
    if (there(m) && at.arrived[m] < at.latest) ++at.late, late[node_of_[m]] = 1;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    Node& node = *nodes_[n];
    if (&node == &at || late[n] == at.watched[n]) continue;
    at.watched[n] = late[n];
    if (!late[n]) {
      at.endpoint.peers().unwatch(node.endpoint.id(), at);
    } else if (!at.endpoint.peers().watch(node.endpoint.id(), at)) {
      at.lost(node.endpoint.id());
      return;
    }
  }
}

void Barrier::send(Node& from, std::size_t to, Round round) {
  if (nodes_[to].get() == &from) return release(from);
  os::Os& os = from.endpoint.os;
  os.charge_handler({{os::Cost::message_send}});
  os.send_at(os.handler_end(), release_.message(nodes_[to]->endpoint.id(), release_word(from, round)));
}

void Barrier::say_where(const Node& node, hal::NodeId to) {
  os::Os& os = node.endpoint.os;
  for (const std::size_t member : node.members) {
    os.charge_handler({{os::Cost::message_send}});
    os.send_at(os.handler_end(), arrive_.message(to, word(member)));
  }
}

void Barrier::Node::lost(hal::NodeId node) {
  if (gone.empty()) gone.resize(barrier.nodes_.size());
  std::size_t n = 0;
  while (barrier.nodes_[n]->endpoint.id() != node) ++n;
  if (!gone[n]) barrier.send(*this, n, every);  // should it be there, it learns of it
  gone[n] = 1;
  if (const std::size_t first = barrier.first_node(*this); first > n && barrier.nodes_[first].get() == this)
    for (std::size_t other = first + 1; other < gone.size(); ++other)
      if (!gone[other]) barrier.send(*this, other, where);
  if (!watched.empty()) watched[n] = 0;
  if (!arrived.empty()) barrier.look(*this);
  barrier.release(*this);  // waiting members look for another first
}

}  // namespace sunstar::messages
