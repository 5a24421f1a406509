// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/one_of.h"
#include "sw/file_systems/disk_directed/params.h"
#include "sw/file_systems/enwrich/params.h"
#include "sw/file_systems/traditional_caching/params.h"

// The file systems there are. Each has a folder of its own whose params.h declares
//
//   struct Params              its parameters, described, with `kind`, its name in the configuration, and `help`
//   std::unique_ptr<FileSystem> make(const Params&, System&)
//   std::uint64_t memory(const Params&, const Sizes&)   bytes that it takes on a node at most, beside the applications'
//                                                       buffers and 16 MiB for requests
namespace sunstar::file_systems {

/// A new file system is one more line here, and its include above.
using Kinds = OneOf<  //
    traditional_caching::Params,
    disk_directed::Params,
    enwrich::Params>;

}  // namespace sunstar::file_systems
