// SPDX-License-Identifier: MIT
#pragma once
#include <string>

namespace sunstar::machine {

/// What distinguishes the executable of one machine from that of another.
struct Program {
  std::string name, summary, example;
  std::string preset;  ///< the base of configurations that name none; empty: the parameters' own defaults
};

/// main() of a machine on Sunstar's fabrics, on huge pages (platforms/kit/run/huge_pages.h). For other fabrics see
/// platforms/machine/run/platform.h.
int run_main(int argc, char** argv, const Program& program);

}  // namespace sunstar::machine
