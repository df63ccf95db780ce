// A step of a system allocates nothing in the steady state, for every stepper, order of extrapolation and number of
// threads.
#include <filesystem>
#include <tuple>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "allocations.hpp"
#include "base/tests/places.hpp"
#include "engine/simulation.hpp"

namespace consort::engine {
namespace {

using Choice =
    std::tuple<const char*, const char*, unsigned, const char*>;  // stepper, extrapolation, threads, interface

class SteadyStateOfSystem : public ::testing::TestWithParam<Choice> {};
INSTANTIATE_TEST_SUITE_P(Choices, SteadyStateOfSystem,
                         ::testing::Combine(::testing::Values("jacobi", "gauss-seidel", "scheduled", "iterated"),
                                            ::testing::Values("0", "1", "3"), ::testing::Values(1U, 2U),
                                            ::testing::Values("cs", "me")),
                         [](const auto& choice) {
                           std::string name =
                               fmt::format("{}_{}_{}_{}", std::get<0>(choice.param), std::get<1>(choice.param),
                                           std::get<2>(choice.param), std::get<3>(choice.param));
                           for (auto& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

void expect_no_allocations(const Choice& choice, const char* controller) {
  const auto [stepper, extrapolation, threads, interface] = choice;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  // Under a sanitizer, FMUs are not loaded with RTLD_DEEPBIND, so their own allocations would be counted.
  if (std::string(interface) == "me" || std::string(controller) != "fixed") return;
#endif
  graph::System system("ring");
  constexpr int units = 4;
  for (int i = 0; i < units; ++i) {
    auto& unit = system.add(fmt::format("n{}", i), std::filesystem::path(places::fmus()) / "fmi2/Node.fmu");
    unit.interface = std::string(interface) == "me" ? describe::InterfaceType::model_exchange
                                                    : describe::InterfaceType::co_simulation;
    unit.substeps = i == 1 ? 2 : 1;
  }
  for (int i = 0; i < units; ++i) {
    system.connect(fmt::format("n{}.y1", i), fmt::format("n{}.u1", (i + 1) % units));
    system.connect(fmt::format("n{}.y2", i), fmt::format("n{}.u2", (i + 2) % units), graph::Linear{2, 0.5});
  }
  SimulationOptions o;
  o.run.stop = 1e6;
  o.run.step = 1e-2;
  o.run.tolerance = 1e-6;
  o.run.stepper = stepper;
  o.run.extrapolation = extrapolation;
  o.run.threads = threads;
  using graph::ScheduleEntry;
  const auto unit = [](const char* name) { return ScheduleEntry{ScheduleEntry::Kind::unit, name, {}}; };
  if (o.run.stepper == "scheduled")
    o.run.schedule = {{ScheduleEntry::Kind::parallel, {}, {unit("n0"), unit("n1")}}, unit("n2"), unit("n3")};
  o.run.control.controller = controller;
  Simulation s(system, o);
  s.initialize();
  for (int i = 0; i < 300; ++i) s.step();
  const auto before = allocations();
  for (int i = 0; i < 1000; ++i) s.step();
  EXPECT_EQ(allocations() - before, 0U);
}

TEST_P(SteadyStateOfSystem, AllocatesNothing) { expect_no_allocations(GetParam(), "fixed"); }

TEST(SteadyState, OfInputsThatFollowDerivativesAllocatesNothing) {
  for (const char* const stepper : {"jacobi", "gauss-seidel", "iterated"})
    for (const char* const controller : {"fixed", "richardson"})
      expect_no_allocations({stepper, "hermite-2", 1U, "me"}, controller);
}

TEST(SteadyState, OfControllersThatRepeatStepsAllocatesNothing) {
  for (const char* const controller : {"richardson", "modified"})
    for (const char* const order : {"0", "2"})
      for (const char* const interface : {"cs", "me"}) {
        SCOPED_TRACE(fmt::format("{} {} {}", controller, order, interface));
        expect_no_allocations({"jacobi", order, 1U, interface}, controller);
      }
}

}  // namespace
}  // namespace consort::engine
