// SPDX-License-Identifier: MIT
#pragma once
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstddef>
#include <tlm>
#include <vector>

namespace sunstar {

/// Memory manager of TLM-2.0 payloads: it keeps freed payloads, with their extensions, and uses them again. After a
/// burst it gives most of them back to the host. In the end it destroys all payloads, including those in flight when a
/// simulation fails.
class PayloadPool : public tlm::tlm_mm_interface {
 public:
  PayloadPool() = default;
  PayloadPool(const PayloadPool&) = delete;
  PayloadPool& operator=(const PayloadPool&) = delete;
  ~PayloadPool() override {
    for (tlm::tlm_generic_payload* p : all_) delete p;
  }

  /// Returns a payload with one reference, which the caller holds.
  tlm::tlm_generic_payload& acquire() {
    tlm::tlm_generic_payload* p;
    if (free_.empty()) {
      all_.insert(p = new tlm::tlm_generic_payload(this));
    } else {
      p = free_.back();
      free_.pop_back();
    }
    p->acquire();
    return *p;
  }

  void free(tlm::tlm_generic_payload* p) override {
    if (free_.size() < most_kept) return free_.push_back(p);
    all_.erase(p);
    delete p;
  }

 private:
  static constexpr std::size_t most_kept = 1 << 16;
  boost::unordered_flat_set<tlm::tlm_generic_payload*> all_;
  std::vector<tlm::tlm_generic_payload*> free_;
};

}  // namespace sunstar
