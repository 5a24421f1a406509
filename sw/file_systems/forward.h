// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <memory>

// Types that a kind's params.h only names; file_system.h defines them.
namespace sunstar::file_systems {

class FileSystem;
struct Run;
struct Sizes;

}  // namespace sunstar::file_systems
