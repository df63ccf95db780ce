#include <array>

#include "describe/description.hpp"

namespace consort::describe {

namespace {

template <class E, std::size_t N>
std::string_view look_up(E value, const std::array<std::string_view, N>& names) {
  return names.at(static_cast<std::size_t>(value));
}

}  // namespace

std::string_view name_of(FmiVersion version) {
  return look_up<FmiVersion, 4>(version, {"FMI 1.0", "FMI 2.0", "FMI 3.0", "native model"});
}

std::string_view name_of(InterfaceType type) {
  return look_up<InterfaceType, 3>(type, {"Co-Simulation", "Model Exchange", "Scheduled Execution"});
}

std::string_view name_of(Causality causality) {
  return look_up<Causality, 8>(causality, {"parameter", "calculatedParameter", "input", "output", "local",
                                           "independent", "structuralParameter", "dependent"});
}

std::string_view name_of(Variability variability) {
  return look_up<Variability, 5>(variability, {"constant", "fixed", "tunable", "discrete", "continuous"});
}

std::string_view name_of(Initial initial) {
  return look_up<Initial, 4>(initial, {"exact", "approx", "calculated", "none"});
}

std::string_view name_of(IntervalVariability variability) {
  return look_up<IntervalVariability, 7>(
      variability, {"constant", "fixed", "calculated", "tunable", "changing", "countdown", "triggered"});
}

}  // namespace consort::describe
