// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <memory>

#include "models/core/param.h"
#include "models/core/quantity.h"

namespace sunstar::workload {
class Workload;
enum class Unit : std::uint8_t;
}  // namespace sunstar::workload

// Types that a kind's params.h only names; file_system.h defines them.
namespace sunstar::file_systems {

/// What a kind of file system can do, and what it is made for. Each declares it beside its parameters:
///
///   static constexpr Capabilities can{.calls = true};
struct Capabilities {
  bool calls = false;            ///< carries out calls of single processors
  bool collectives = false;      ///< carries out collectives; with both, a job says which it makes
  bool selects_records = false;  ///< carries out collectives that distribute records by their bytes
  bool creates_files = false;  ///< creates the files that a workload wants created; otherwise they exist before the run
  bool shares_nodes = false;   ///< lets several processes run on a compute processor
  bool survives_stops = false;  ///< goes on when a compute processor stops
  bool caches_writes = false;   ///< has caches for writes alone
  bool exchanges = false;       ///< has compute processors exchange data with one another
};

/// The cache of a compute processor in which a request should find room. A kind that has one declares, beside its
/// parameters, ClientCache client_cache(const Params&).
struct ClientCache {
  Literal parameter;  ///< its size, such as "enwrich.cache_size"; empty: no cache
  Bytes size{};
};

/// Whether the application distributes records by their bytes.
bool selects(const workload::Workload& workload, std::uint32_t team);

/// The unit in which such a file system carries out what an application wants.
workload::Unit unit(const Capabilities& can, const workload::Workload& workload, std::uint32_t team);

class FileSystem;
struct Run;
struct Sizes;

}  // namespace sunstar::file_systems
