// SPDX-License-Identifier: MIT
#pragma once
#include <tlm>
#include <vector>

namespace sunstar {

/// Memory manager of TLM-2.0 payloads: freed payloads are kept, with their extensions, and used again.
class PayloadPool : public tlm::tlm_mm_interface {
 public:
  PayloadPool() = default;
  PayloadPool(const PayloadPool&) = delete;
  PayloadPool& operator=(const PayloadPool&) = delete;
  ~PayloadPool() override { for (auto* p : free_) delete p; }

  /// A payload with one reference held by the caller.
  tlm::tlm_generic_payload& acquire() {
    tlm::tlm_generic_payload* p;
    if (free_.empty()) {
      p = new tlm::tlm_generic_payload(this);
    } else {
      p = free_.back();
      free_.pop_back();
    }
    p->acquire();
    return *p;
  }

  void free(tlm::tlm_generic_payload* p) override { free_.push_back(p); }

 private:
  std::vector<tlm::tlm_generic_payload*> free_;
};

}  // namespace sunstar
