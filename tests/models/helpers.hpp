// Helpers for the tests of exported models.
#pragma once

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/tests/places.hpp"
#include "fmi/fmu.hpp"

namespace consort::models_test {

inline std::filesystem::path fmu_path(const std::string& name, const std::string& folder) {
  return std::filesystem::path(places::fmus()) / folder / (name + ".fmu");
}

inline fmi::Fmu open(const std::string& name, const std::string& folder) {
  return fmi::Fmu::open(fmu_path(name, folder));
}

// Value references of the scalar Float64 variables with this causality, in the order of the description. In FMI 1.0 and
// 2.0, elements of arrays are scalars.
inline std::vector<ValueReference> reals(const describe::Description& d, describe::Causality causality) {
  std::vector<ValueReference> found;
  for (const describe::Variable& v : d.variables) {
    const bool continuous =
        v.variability == describe::Variability::continuous || v.variability == describe::Variability::discrete;
    const bool is_float32 = v.name.substr(0, 7) == "float32";
    if (v.type == Type::Float64 && v.causality == causality && continuous && !is_float32) found.push_back(v.reference);
  }
  return found;
}

// Total number of elements of these variables.
inline std::size_t elements(const describe::Description& d, const std::vector<ValueReference>& references) {
  std::size_t n = 0;
  for (const ValueReference r : references) n += d.element_count(d[d.find(r, Type::Float64)]);
  return n;
}

inline std::vector<double> get(fmi::Instance& instance, const describe::Description& d,
                               const std::vector<ValueReference>& references) {
  std::vector<double> values(elements(d, references));
  instance.get<double>(references, values);
  return values;
}

inline void set(fmi::Instance& instance, const describe::Description& d, const std::string& name, double value) {
  const ValueReference reference = d[d.require_variable(name)].reference;
  instance.set<double>(std::span(&reference, 1), std::span<const double>(&value, 1));
}

inline double get(fmi::Instance& instance, const describe::Description& d, const std::string& name) {
  const ValueReference reference = d[d.require_variable(name)].reference;
  double value = 0;
  instance.get<double>(std::span(&reference, 1), std::span<double>(&value, 1));
  return value;
}

struct Output {
  int status = -1;
  std::string text;  // stdout and stderr
};

inline Output run(const std::string& command) {
  Output output;
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return output;
  std::array<char, 4096> buffer;
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) output.text.append(buffer.data(), n);
  output.status = pclose(pipe);
  return output;
}

}  // namespace consort::models_test
