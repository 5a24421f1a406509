// SPDX-License-Identifier: MIT
#include "models/node/dma_engine.h"

#include <algorithm>
#include <cassert>

#include "models/kernel/sc_time_bridge.h"

namespace sunstar::node {

DmaEngine::DmaEngine(const sc_core::sc_module_name& name, Timetable& timetable)
    : sc_module(name), Alarm(timetable), registers("registers"), dma("dma") {
  registers.register_b_transport(this, &DmaEngine::access);
}

void DmaEngine::access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const auto& move = *reinterpret_cast<const Descriptor*>(payload.get_data_ptr());
  content::Content content;
  if (!moves_.empty()) delay = std::max(delay, to_sc(moves_.back().end - now()));
  for (const bool write : {false, true}) {
    auto& transfer =
        payload_.transfer(write, write ? move.to : move.from, content, static_cast<std::uint32_t>(move.bytes));
    dma->b_transport(transfer, delay);
    assert(transfer.is_response_ok());
  }
  moves_.push_back({now() + from_sc(delay), move.done});
  if (moves_.size() == 1) set(now() + from_sc(delay));
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void DmaEngine::ring() {
  hal::Callback* done = moves_.front().done;
  moves_.pop_front();
  if (!moves_.empty()) set(moves_.front().end);
  done->run();
}

}  // namespace sunstar::node
