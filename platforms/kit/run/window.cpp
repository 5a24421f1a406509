// SPDX-License-Identifier: MIT
#include "platforms/kit/run/window.h"

#include "models/core/message_text.h"
#include "platforms/kit/quantity_text.h"
#include "platforms/kit/run/command_line.h"

namespace sunstar::kit {

Window parse_window(const std::string& option, const std::string& text) {
  const auto fail = [&](const std::string& why) { throw UsageError(option + " is " + in_quotes(text) + "; " + why); };
  const auto comma = text.find(',');
  if (comma == std::string::npos || text.size() == 1)
    fail("it must be two times with a comma between them, as in 2ms,5ms.");
  Window window;
  const auto read = [&](const std::string& part, Time& into) {
    if (part.empty()) return;
    Duration time{};
    if (const auto why = parse(part, time); !why.empty()) fail(why + ".");
    into = Time{time};
  };
  read(text.substr(0, comma), window.from);
  read(text.substr(comma + 1), window.to);
  if (window.from >= window.to) fail("its end must be after its beginning.");
  return window;
}

Scope parse_scope(const std::string& option, const std::string& text) {
  if (text.empty() || text.front() == ',' || text.back() == ',' || text.find(",,") != std::string::npos)
    throw UsageError(option + " is " + in_quotes(text) +
                     "; it must be names of instances with commas between them, as in iop0*,cp3.");
  return Scope(text);
}

}  // namespace sunstar::kit
