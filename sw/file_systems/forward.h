// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <memory>

// What a kind's params.h names and need not know; file_system.h says what it is.
namespace sunstar::file_systems {

class FileSystem;
struct System;
struct Sizes;

}  // namespace sunstar::file_systems
