// SPDX-License-Identifier: MIT
#pragma once
#include <filesystem>

// FST, the compact form of waveforms: the converter vcd2fst, which comes with GTKWave, makes it of a VCD file.
namespace sunstar::kit {

/// Whether a file of that name is to be FST: its name ends in .fst.
bool is_fst(const std::filesystem::path&);

/// Throws a ConfigError if such a file cannot be made, because the converter is not installed.
void require_fst_converter(const std::filesystem::path& fst);

/// Throws a ConfigError if the converter fails.
void convert_to_fst(const std::filesystem::path& vcd, const std::filesystem::path& fst);

}  // namespace sunstar::kit
