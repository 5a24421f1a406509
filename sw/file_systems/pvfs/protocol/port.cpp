// SPDX-License-Identifier: MIT
#include "sw/file_systems/pvfs/protocol/port.h"

namespace sunstar::file_systems::pvfs {

Port::Port(messages::Endpoint& endpoint, const Messages& messages) : endpoint_(endpoint) {
  os::Os& os = endpoint.os;
  messages.data.on_arrival(os, [this, &os](hal::Message& m) {
    const Data header = messages::Kind<Data>::header(m);
    Incoming& to = *waiting_.at(header.number);
    const std::uint32_t bytes = m.bytes;
    const Time there = to.place(m, header.offset);
    os.node().network().release(m);
    os.after(there, [&to, header, bytes] {
      to.there(header.offset, bytes);
      to.left_ -= bytes;
      if (to.left_ == 0) to.arrival_.wake_all();
    });
  });
  messages.missing.on_arrival(os, [this, &os](hal::Message& m) {
    const Missing header = messages::Kind<Missing>::header(m);
    Incoming& to = *waiting_.at(header.number);
    os.after(os.receive(m), [&to, header] {
      to.failed(header.offset, header.bytes, header.status);
      to.left_ -= header.bytes;
      if (to.left_ == 0) to.arrival_.wake_all();
    });
  });
}

Incoming::Incoming(Port& port, std::uint64_t bytes)
    : port_(port), number_(port.new_number()), left_(bytes), arrival_(port.os(), "data from iods") {
  port_.waiting_.emplace(number_, this);
}

Incoming::~Incoming() {
  if (!port_.os().ending()) port_.waiting_.erase(number_);
}

os::Task<> Incoming::all() {
  while (left_ > 0) co_await arrival_.wait();
}

}  // namespace sunstar::file_systems::pvfs
