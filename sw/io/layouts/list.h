// SPDX-License-Identifier: MIT
// The layout policies, one line each: a line here and a file beside this one make a new policy.
SUNSTAR_LAYOUT(contiguous)
SUNSTAR_LAYOUT(random_blocks)
SUNSTAR_LAYOUT(random_tracks)
