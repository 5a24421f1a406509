// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <utility>
#include <vector>

namespace sunstar {

/// Makes a T that lives until the process ends and is never destroyed. A simulation is the last work of its process,
/// and the kernel searches all ports for each destroyed one: destroying a torus of 256 x 256 routers would take longer
/// than building it.
template <class T, class... Arguments>
T& never_destroyed(Arguments&&... arguments) {
  static auto* const all = new std::vector<std::unique_ptr<T>>;  // reachable, so that no leak is reported
  return *all->emplace_back(std::make_unique<T>(std::forward<Arguments>(arguments)...));
}

}  // namespace sunstar
