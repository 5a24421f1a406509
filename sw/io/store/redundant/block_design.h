// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <vector>

// Balanced incomplete block designs: which disks the rows of a declustered array use.
namespace sunstar::io::redundant {

/// The disks of a row, in order.
using Tuple = std::vector<std::uint32_t>;

/// Tuples of `group` of `disks` disks. Each disk is in as many as any other, and each pair of disks in as many as any
/// other pair. From a difference set where one is listed (block_design.cpp), otherwise all combinations,
/// if they are at most `most_tuples`; empty if there are more.
std::vector<Tuple> block_design(std::uint32_t disks, std::uint32_t group);
inline constexpr std::uint32_t most_tuples = 1000;

bool has_block_design(std::uint32_t disks, std::uint32_t group);
/// What is allowed, as the end of a sentence.
std::string block_design_rule();

}  // namespace sunstar::io::redundant
