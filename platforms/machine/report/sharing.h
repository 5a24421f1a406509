// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/figure.h"

namespace sunstar::machine {

/// Jain's index of fairness: 1 if all values are the same, 1/n if all but one are zero (Jain, Chiu and Hawe, "A
/// quantitative measure of fairness and discrimination for resource allocation in shared computer systems", 1984).
double fairness(const std::vector<double>& values);

/// Adds how long each of several jobs took (`shared`, in seconds) and, where it also ran by itself (`alone`, which may
/// be empty), how much longer that was: sections job0, job1 and so on, and `sharing` with the index of fairness of the
/// jobs' speeds.
void add_sharing(const std::vector<double>& shared, const std::vector<double>& alone, NamedFigures& sections);

}  // namespace sunstar::machine
