// SPDX-License-Identifier: MIT
#pragma once

namespace sunstar::kit {

/// Gives the heap of this process huge pages, by starting the program again with the setting that glibc reads at its
/// start, unless GLIBC_TUNABLES is set. A run looks at one node after the other; on a machine of a thousand, looking up
/// its addresses takes up to a quarter of its time (docs/performance.md). Tools that do not follow the new start, as
/// valgrind, need GLIBC_TUNABLES set, be it to nothing. Call it first in main(), with main's `argv`.
void use_huge_pages(char** argv);

}  // namespace sunstar::kit
