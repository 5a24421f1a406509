// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <tlm>
#include <vector>

namespace sunstar {

/// Memory manager of TLM-2.0 payloads: it keeps freed payloads, with their extensions, and uses them again. The pool
/// destroys all of them, including those still under way when a simulation fails.
class PayloadPool : public tlm::tlm_mm_interface {
 public:
  PayloadPool() = default;
  PayloadPool(const PayloadPool&) = delete;
  PayloadPool& operator=(const PayloadPool&) = delete;

  /// Returns a payload with one reference, which the caller holds.
  tlm::tlm_generic_payload& acquire() {
    tlm::tlm_generic_payload* p;
    if (free_.empty()) {
      p = all_.emplace_back(std::make_unique<tlm::tlm_generic_payload>(this)).get();
    } else {
      p = free_.back();
      free_.pop_back();
    }
    p->acquire();
    return *p;
  }

  void free(tlm::tlm_generic_payload* p) override { free_.push_back(p); }

 private:
  std::vector<std::unique_ptr<tlm::tlm_generic_payload>> all_;
  std::vector<tlm::tlm_generic_payload*> free_;
};

}  // namespace sunstar
