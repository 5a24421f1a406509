// SPDX-License-Identifier: MIT
// The replacement policies, one line each. A new policy is a line here and a file beside this one.
SUNSTAR_REPLACEMENT(approximate_lru)
SUNSTAR_REPLACEMENT(lru)
SUNSTAR_REPLACEMENT(arc)
SUNSTAR_REPLACEMENT(two_queue)
