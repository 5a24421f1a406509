// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <utility>

#include "models/core/one_of.h"
#include "models/core/param.h"
#include "sw/io/store/plain/plain.h"

// The registry of block stores. Each kind has a folder of its own below sw/io/store whose header declares its Params
// and make().
namespace sunstar::io {

/// How files lie on drives. A new kind is one more line here and its include above; the first is the default.
struct StoreParams {
  OneOf<  //
      plain::Params>
      kind;
};
BOOST_DESCRIBE_STRUCT(StoreParams, (), (kind))
inline std::vector<Param> parameters(const StoreParams*) {
  return {{"kind", "what a unit of the store is, round which the blocks of files go"}};
}

/// Makes the store of these drives, which come in the order in which files go round them.
inline std::unique_ptr<Store> make(const StoreParams& params, std::vector<Drive> drives) {
  return visit([&](const auto& kind) { return make(kind, std::move(drives)); }, params.kind);
}

}  // namespace sunstar::io
