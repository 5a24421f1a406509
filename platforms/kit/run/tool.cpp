// SPDX-License-Identifier: MIT
#include "platforms/kit/run/tool.h"

#include <boost/program_options/errors.hpp>
#include <iostream>

#include "models/core/error.h"
#include "platforms/kit/run/command_line.h"

namespace sunstar::kit {

int run_tool(const std::string& name, const std::function<void()>& command) {
  const auto usage = [&](const std::string& sentence) {
    std::cerr << name << ": " << sentence << "\nHow to: " << name << " --help" << std::endl;
    return 2;
  };
  try {
    command();
    return 0;
  } catch (const UsageError& e) {
    return usage(e.what());
  } catch (const boost::program_options::error& e) {
    return usage(std::string(e.what()) + ".");
  } catch (const ConfigError& e) {
    std::cerr << e.what() << std::endl;
    return 3;
  }
}

}  // namespace sunstar::kit
