// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

namespace sunstar::test {

/// The names of all patterns of one array: ra rn rb rc rnn ... rcc, wn wb ... wcc, wss.
inline const std::vector<std::string> pattern_names{"ra",  "rn",  "rb",  "rc",  "rnn", "rnb", "rnc", "rbn", "rbb",
                                                    "rbc", "rcn", "rcb", "rcc", "wn",  "wb",  "wc",  "wnn", "wnb",
                                                    "wnc", "wbn", "wbb", "wbc", "wcn", "wcb", "wcc", "wss"};

}  // namespace sunstar::test
