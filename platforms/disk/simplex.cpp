// SPDX-License-Identifier: MIT
#include "platforms/disk/simplex.h"

#include <algorithm>

namespace sunstar::disk_platform {
namespace {

struct Vertex {
  Point at;
  double value;
  bool operator<(const Vertex& other) const { return value < other.value; }
};

}  // namespace

Point minimum(Point start, double step, std::size_t evaluations, const std::function<double(const Point&)>& value) {
  const std::size_t n = start.size();
  std::size_t used = 0;
  const auto vertex = [&](Point p) {
    ++used;
    const double v = value(p);
    return Vertex{std::move(p), v};
  };
  std::vector<Vertex> simplex;
  const auto begin = [&](const Point& at) {
    simplex = {vertex(at)};
    for (std::size_t i = 0; i < n; ++i) {
      Point p = at;
      p[i] += step;
      simplex.push_back(vertex(std::move(p)));
    }
  };
  begin(start);
  bool again = true;
  while (used < evaluations) {
    std::ranges::stable_sort(simplex, {}, &Vertex::value);
    if (again && used > evaluations / 2) {
      again = false;
      step = -step / 2;
      begin(simplex.front().at);
      continue;
    }
    Vertex& worst = simplex.back();
    // The point that lies `by` times as far from the middle of the others as the worst one.
    const auto along = [&](double by) {
      Point p(n);
      for (std::size_t i = 0; i < n; ++i) {
        double middle = 0;
        for (std::size_t v = 0; v < n; ++v) middle += simplex[v].at[i] / static_cast<double>(n);
        p[i] = middle + by * (worst.at[i] - middle);
      }
      return vertex(std::move(p));
    };
    Vertex tried = along(-1);
    if (tried < simplex.front()) worst = std::min(tried, along(-2));
    else if (tried < simplex[n - 1]) worst = tried;
    else if (Vertex nearer = along(tried < worst ? -0.5 : 0.5); nearer < std::min(tried, worst)) worst = nearer;
    else
      for (std::size_t v = 1; v <= n; ++v) {
        Point p = simplex[v].at;
        for (std::size_t i = 0; i < n; ++i) p[i] = (p[i] + simplex[0].at[i]) / 2;
        simplex[v] = vertex(std::move(p));
      }
  }
  return std::ranges::min_element(simplex, {}, &Vertex::value)->at;
}

}  // namespace sunstar::disk_platform
