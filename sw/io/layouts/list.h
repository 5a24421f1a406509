// SPDX-License-Identifier: MIT
// The layout policies, one line each. A new policy is a line here and a file beside this one.
SUNSTAR_LAYOUT(contiguous)
SUNSTAR_LAYOUT(random_blocks)
SUNSTAR_LAYOUT(random_tracks)
