// SPDX-License-Identifier: MIT
#pragma once

namespace sunstar::kit {

/// Gives the heap of this process huge pages, by starting the program again with the setting that glibc reads at its
/// start, unless GLIBC_TUNABLES is set. A run looks at one node after the other; on a machine of a thousand nodes,
/// address translation takes up to a quarter of its time (docs/performance.md). For tools that do not follow the new
/// start, such as valgrind, set GLIBC_TUNABLES, even to nothing. To be called first in main(), with main's `argv`.
void use_huge_pages(char** argv);

}  // namespace sunstar::kit
