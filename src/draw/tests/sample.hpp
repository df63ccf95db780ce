// Sample results to draw.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "record/result.hpp"

namespace consort::draw {

inline record::Result::Trajectory trajectory(std::string name, std::string unit, std::vector<double> numbers,
                                             Type type = Type::Float64, bool discrete = false) {
  return {{std::move(name), type, std::move(unit), "", discrete}, std::move(numbers), {}};
}

// Two signals in m, one in s, a Boolean and a text.
inline record::Result sample() {
  record::Result r;
  r.time = {0, 1, 2, 3};
  r.trajectories.push_back(trajectory("x", "m", {0, 1, 4, 9}));
  r.trajectories.push_back(trajectory("v", "m/s", {0, 2, 4, 6}));
  r.trajectories.push_back(trajectory("y", "m", {1, 1, 1, 1}));
  r.trajectories.push_back(trajectory("on", "", {0, 1, 1, 0}, Type::Boolean, true));
  r.trajectories.push_back({{"label", Type::String, "", "", true}, {}, {"a", "b", "c", "d"}});
  return r;
}

inline record::Result long_run(std::size_t rows) {
  record::Result r;
  r.trajectories.push_back(trajectory("noise", "V", {}));
  for (std::size_t i = 0; i < rows; ++i) {
    r.time.push_back(static_cast<double>(i) * 1e-3);
    r.trajectories[0].numbers.push_back(std::sin(static_cast<double>(i) * 12.9898) * 43.7);
  }
  return r;
}

inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

}  // namespace consort::draw
