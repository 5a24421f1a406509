// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <utility>

#include "models/core/one_of.h"
#include "models/core/param.h"
#include "sw/io/store/plain/plain.h"
#include "sw/io/store/redundant/store.h"

// The registry of block stores. Each kind has a folder of its own below sw/io/store whose header declares its Params
// and make().
namespace sunstar::io {

/// How files lie on drives. A new kind is one more line here and its include above; the first is the default.
struct StoreParams {
  OneOf<                  //
      plain::Params,      //
      redundant::Mirror,  //
      redundant::Raid4,   //
      redundant::Raid5,   //
      redundant::Raid6,   //
      redundant::ParityDeclustered>
      kind;
};
BOOST_DESCRIBE_STRUCT(StoreParams, (), (kind))
inline std::vector<Param> parameters(const StoreParams*) {
  return {{"kind", "what a unit of the store is: the blocks of files go round the units"}};
}

/// Makes the store of these drives, which come in the order in which files go round them.
inline std::unique_ptr<Store> make(const StoreParams& params, std::vector<Drive> drives) {
  return params.kind.visit([&](const auto& kind) { return make(kind, std::move(drives)); });
}

/// Bytes that the store takes of the memory of an I/O processor with that many drives, for that many requests at a
/// time.
inline std::uint64_t memory(const StoreParams& params, std::uint64_t drives, std::uint64_t requests,
                            std::uint64_t block_bytes) {
  return params.kind.visit([&](const auto& kind) -> std::uint64_t {
    if constexpr (requires { memory(kind, drives, requests, block_bytes); })
      return memory(kind, drives, requests, block_bytes);
    else return 0;
  });
}

}  // namespace sunstar::io
