// SPDX-License-Identifier: MIT
#pragma once
#include <boost/unordered/unordered_flat_set.hpp>
#include <tlm>

#include "models/core/content/content.h"
#include "models/core/quantity.h"

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
    tlm::tlm_generic_payload* const p =
        free_.empty() ? *all_.insert(new tlm::tlm_generic_payload(this)).first : take_last(free_);
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

/// Marks a payload whose data are content: the target of a read appends to it, the target of a write takes from it, and
/// neither looks at the payload's data pointer. The payload's length is the content's.
struct ContentExtension : tlm::tlm_extension<ContentExtension> {
  content::Content* content = nullptr;
  Duration since{};  ///< how long a link took to bring the bytes, which passed a bus meanwhile

  tlm_extension_base* clone() const override { return new ContentExtension(*this); }
  void copy_from(const tlm_extension_base& other) override { *this = static_cast<const ContentExtension&>(other); }
};

/// A payload that moves content; its owner uses it for one transfer after the other.
class ContentPayload {
 public:
  ContentPayload() { payload_.set_extension(extension_); }

  /// Describes a transfer of `bytes`; a read appends them to `content`, a write takes the whole content.
  tlm::tlm_generic_payload& transfer(bool write, std::uint64_t address, content::Content& content, std::uint32_t bytes,
                                     Duration since = {}) {
    extension_->content = &content;
    extension_->since = since;
    payload_.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload_.set_address(address);
    payload_.set_data_length(bytes);
    payload_.set_streaming_width(bytes);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return payload_;
  }

 private:
  ContentExtension* extension_ = new ContentExtension;  // the payload's
  tlm::tlm_generic_payload payload_;
};

}  // namespace sunstar
