// SPDX-License-Identifier: MIT
#pragma once
#include <filesystem>

// Where the project and the built programs are. They are not macros, so that all tests but one file compile to the same
// code in every clone, which a compiler cache can then use.
namespace sunstar::test {

std::filesystem::path source_folder();
std::filesystem::path binary_folder();

}  // namespace sunstar::test
