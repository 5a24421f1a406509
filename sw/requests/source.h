// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <utility>

#include "sw/requests/calls.h"

namespace sunstar::requests {

/// A source of calls whose next() is `next(access)`.
template <class Next>
std::unique_ptr<AccessSource> source_of(Next next) {
  class Source final : public AccessSource {
   public:
    explicit Source(Next n) : next_(std::move(n)) {}
    bool next(Access& access) override { return next_(access); }

   private:
    Next next_;
  };
  return std::make_unique<Source>(std::move(next));
}

}  // namespace sunstar::requests
