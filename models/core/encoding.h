// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>

namespace sunstar {

/// Whether the text of a file is in UTF-16: with its byte order mark, or ASCII in it.
inline bool is_utf16(std::string_view text) {
  return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff") ||
         (text.size() > 1 && (text[0] == '\0') != (text[1] == '\0'));
}

}  // namespace sunstar
