#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/error_text.hpp"
#include "base/tests/places.hpp"
#include "engine/simulation.hpp"
#include "systems.hpp"

namespace consort::engine {
namespace {

using describe::InterfaceType;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::number;
using testing::options;

// Units that add two parameters during initialization.
struct Kind {
  const char* name;
  const char* folder;
  InterfaceType interface;
};

class CalculatedParameters : public ::testing::TestWithParam<Kind> {
 protected:
  void add(const std::string& name, double tunable) {
    auto& unit = system_.add(name, std::filesystem::path(places::fmus()) / GetParam().folder / "Feedthrough.fmu");
    unit.interface = GetParam().interface;
    unit.set("tunable_parameter", fmt::format("{}", tunable));
  }
  graph::System system_;
};

TEST_P(CalculatedParameters, ReachFixedParametersOfOtherUnitsWhateverTheOrder) {
  for (const char* const name : {"c", "b", "a"}) add(name, 1);
  system_.connect("b.sum_of_parameters", "c.fixed_parameter", {2, 0});
  system_.connect("a.sum_of_parameters", "b.fixed_parameter");
  system_.components[2].set("fixed_parameter", "4");
  Simulation s(system_, options(0.2, 0.1));
  s.initialize();
  EXPECT_EQ(number(s, "a.sum_of_parameters"), 5);
  EXPECT_EQ(number(s, "b.fixed_parameter"), 5);
  EXPECT_EQ(number(s, "b.sum_of_parameters"), 6);
  EXPECT_EQ(number(s, "c.fixed_parameter"), 12);
  EXPECT_EQ(number(s, "c.sum_of_parameters"), 13);
  while (!s.done()) s.step();
  EXPECT_EQ(number(s, "c.fixed_parameter"), 12);
}

TEST_P(CalculatedParameters, ThatDependOnEachOtherInACircleAreAnError) {
  add("a", 1);
  add("b", 1);
  system_.connect("a.sum_of_parameters", "b.fixed_parameter");
  system_.connect("b.sum_of_parameters", "a.fixed_parameter");
  Simulation s(system_, options(0.2, 0.1));
  EXPECT_THAT(error_text([&] { s.initialize(); }, Fault::run),
              AllOf(HasSubstr("a.sum_of_parameters → b.fixed_parameter"), HasSubstr("circle")));
}

INSTANTIATE_TEST_SUITE_P(Engine, CalculatedParameters,
                         ::testing::Values(Kind{"fmi2_cs", "fmi2", InterfaceType::co_simulation},
                                           Kind{"fmi2_me", "fmi2", InterfaceType::model_exchange},
                                           Kind{"fmi3_cs", "fmi3", InterfaceType::co_simulation},
                                           Kind{"fmi3_me", "fmi3", InterfaceType::model_exchange}),
                         [](const auto& test) { return std::string(test.param.name); });

// FMI 1.0 has no initialization mode: a unit gets parameters before its single initialization call and calculates in
// it.
struct OldUnits : ::testing::Test {
  OldUnits() {
    const std::filesystem::path fmus = places::fmus();
    system.add("modern", fmus / "fmi2/Feedthrough.fmu").set("tunable_parameter", "3");
    system.add("old", fmus / "fmi1/cs/Feedthrough.fmu").set("tunable_parameter", "1");
  }
  graph::System system;
};

TEST_F(OldUnits, TakeWhatOthersCalculate) {
  system.connect("modern.sum_of_parameters", "old.fixed_parameter");
  Simulation s(system, options(0.2, 0.1));
  s.initialize();
  EXPECT_EQ(number(s, "old.sum_of_parameters"), 4);
}

TEST_F(OldUnits, GiveWhatTheyCalculate) {
  system.connect("old.sum_of_parameters", "modern.fixed_parameter");
  Simulation s(system, options(0.2, 0.1));
  s.initialize();
  EXPECT_EQ(number(s, "modern.fixed_parameter"), 1);
  EXPECT_EQ(number(s, "modern.sum_of_parameters"), 4);
}

TEST_F(OldUnits, CannotTakeWhatIsCalculatedAfterThem) {
  system.connect("old.sum_of_parameters", "modern.fixed_parameter");
  system.connect("modern.sum_of_parameters", "old.fixed_parameter");
  Simulation s(system, options(0.2, 0.1));
  EXPECT_THAT(error_text([&] { s.initialize(); }), AllOf(HasSubstr("'old' (FMI 1.0)"), HasSubstr("--set")));
}

}  // namespace
}  // namespace consort::engine
