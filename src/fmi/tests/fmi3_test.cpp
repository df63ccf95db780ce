// Features that only FMI 3.0 has.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/error_text.hpp"
#include "fmi/tests/fmu_files.hpp"

namespace consort::fmi {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

class Fmi3 : public VariantTest {
 protected:
  [[nodiscard]] static Fmu open(const std::string& name) { return open_fmu(3, name, Kind::cs, options()); }
};
INSTANTIATE_TEST_SUITE_P(Every, Fmi3, testing::Values(Variant{3, Platform::linux64}, Variant{3, Platform::win64}),
                         name_of_variant);

template <class T>
T through(CoSimulation& unit, const describe::Description& d, const std::string& name, T value) {
  unit.reset();
  initialize(unit);
  set<T>(unit, d, name + "_in", {value});
  unit.do_step(0, 0.1);
  return get<T>(unit, d, name + "_out")[0];
}

TEST_P(Fmi3, FeedsTheLimitsOfEveryNumberThrough) {
  const Fmu fmu = open("Feedthrough");
  const auto& d = fmu.description();
  const auto unit = fmu.co_simulation({});
  const auto check = [&]<class T>(const std::string& name, T) {
    for (const T value : {std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max(), T{1}})
      EXPECT_EQ(through<T>(*unit, d, name, value), value) << name;
  };
  check("float32", 0.0F);
  check("float64", 0.0);
  check("int8", std::int8_t{});
  check("uint8", std::uint8_t{});
  check("int16", std::int16_t{});
  check("uint16", std::uint16_t{});
  check("int32", std::int32_t{});
  check("uint32", std::uint32_t{});
  check("int64", std::int64_t{});
  check("uint64", std::uint64_t{});
}

TEST_P(Fmi3, FeedsBinariesThroughByteByByte) {
  const Fmu fmu = open("Feedthrough");
  const auto& d = fmu.description();
  const auto unit = fmu.co_simulation({});
  Binary all(256);
  std::iota(all.begin(), all.end(), std::uint8_t{0});
  EXPECT_EQ(through<Binary>(*unit, d, "binary", all), all);
  EXPECT_EQ(through<Binary>(*unit, d, "binary", {}), Binary());
  EXPECT_EQ(through<Binary>(*unit, d, "binary", {0, 0, 0}), (Binary{0, 0, 0}));
}

TEST_P(Fmi3, FeedsArraysThrough) {
  const Fmu fmu = open("Feedthrough");
  const auto& d = fmu.description();
  const auto unit = fmu.co_simulation({});
  initialize(*unit);
  set<double>(*unit, d, "matrix_in", {6, 5, 4, 3, 2, 1});
  set<std::int32_t>(*unit, d, "int32_vector_in", {-7, 7});
  set<std::string>(*unit, d, "string_vector_in", {"", "ä b"});
  unit->do_step(0, 0.1);
  EXPECT_THAT(get<double>(*unit, d, "matrix_out", 6), ElementsAre(6, 5, 4, 3, 2, 1));
  EXPECT_THAT(get<std::int32_t>(*unit, d, "int32_vector_out", 2), ElementsAre(-7, 7));
  EXPECT_THAT(get<std::string>(*unit, d, "string_vector_out", 2), ElementsAre("", "ä b"));
  // Scalars and arrays in one call.
  const std::vector<ValueReference> mixed{reference(d, "vector_out"), reference(d, "float64_out")};
  std::vector<double> values(4);
  unit->get<double>(mixed, values);
  EXPECT_THAT(values, ElementsAre(1, 2, 3, 0));
}

TEST_P(Fmi3, RefusesANumberOfValuesThatDoesNotFit) {
  const Fmu fmu = open("Feedthrough");
  const auto unit = fmu.co_simulation({.logging = true});
  initialize(*unit);
  EXPECT_THAT(error_text([&] { (void)get<double>(*unit, fmu.description(), "matrix_out", 5); }, Fault::run),
              HasSubstr("fmi3GetFloat64 returned Error"));
}

TEST_P(Fmi3, ChangesSizesInConfigurationMode) {
  const Fmu fmu = open("Feedthrough");
  const auto& d = fmu.description();
  const auto unit = fmu.co_simulation({});
  ASSERT_NE(unit->configuration(), nullptr);
  unit->configuration()->enter_configuration();
  set<std::uint64_t>(*unit, d, "n", {5});
  unit->configuration()->exit_configuration();
  initialize(*unit);
  set<double>(*unit, d, "sized_in", {9, 8, 7, 6, 5});
  unit->do_step(0, 0.1);
  EXPECT_THAT(get<double>(*unit, d, "sized_out", 5), ElementsAre(9, 8, 7, 6, 5));
}

TEST_P(Fmi3, HandlesEventsOfCoSimulationInEventMode) {
  const Fmu fmu = open("BouncingBall");
  const auto& d = fmu.description();
  const auto unit = fmu.co_simulation({.use_event_mode = true, .allow_early_return = true});
  ASSERT_NE(unit->event_mode(), nullptr);
  initialize(*unit);
  while (unit->event_mode()->update_discrete_states().repeat) {
  }
  unit->event_mode()->leave_event_mode();
  const StepReport report = unit->do_step(0, 1);
  EXPECT_EQ(report.end, StepReport::End::early);
  EXPECT_TRUE(report.event_needed);
  EXPECT_NEAR(report.reached, std::sqrt(2 / 9.81), 0.02);  // the solver's step is 1e-2
  const double before = real(*unit, d, "v");
  EXPECT_LT(before, 0);
  unit->event_mode()->enter_event_mode();
  EXPECT_TRUE(unit->event_mode()->update_discrete_states().states_changed);
  unit->event_mode()->leave_event_mode();
  EXPECT_DOUBLE_EQ(real(*unit, d, "v"), -0.7 * before);
  EXPECT_EQ(unit->do_step(report.reached, 0.1).end, StepReport::End::completed);
}

TEST_P(Fmi3, HandlesEventsInsideTheFmuWithoutEventMode) {
  const Fmu fmu = open("BouncingBall");
  const auto unit = fmu.co_simulation({});
  EXPECT_EQ(unit->event_mode(), nullptr);
  initialize(*unit);
  const StepReport report = unit->do_step(0, 0.6);
  EXPECT_EQ(report.end, StepReport::End::completed);
  EXPECT_FALSE(report.event_needed);
  EXPECT_GT(real(*unit, fmu.description(), "v"), 0);  // it has bounced
}

TEST_P(Fmi3, HasNoEventModeThatTheFmuDoesNotHave) {
  UnpackedFmu copy(3, "BouncingBall");
  copy.replace("hasEventMode=\"true\"", "");
  const Fmu fmu = copy.open(options());
  EXPECT_EQ(fmu.co_simulation({.use_event_mode = true})->event_mode(), nullptr);
}

TEST_P(Fmi3, CallsBackInTheMiddleOfAStep) {
  const Fmu fmu = open("Dahlquist");
  const auto& d = fmu.description();
  std::vector<double> times;
  std::vector<double> values;
  std::unique_ptr<CoSimulation> unit;
  unit =
      fmu.co_simulation({.intermediate_variables = {reference(d, "x")},
                         .intermediate_update = [&](const IntermediatePoint& p) -> IntermediateAnswer {
                           EXPECT_TRUE(p.get_allowed);
                           EXPECT_FALSE(p.can_return_early);
                           times.push_back(p.t);
                           values.push_back(real(*unit, d, "x"));
                           return {.return_early = true, .early_return_time = p.t};  // not allowed, so it is not done
                         }});
  initialize(*unit);
  EXPECT_EQ(unit->do_step(0, 1).end, StepReport::End::completed);
  ASSERT_FALSE(times.empty());
  EXPECT_THAT(times, Each(AllOf(testing::Gt(0.0), testing::Le(1.0))));
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  EXPECT_EQ(values.back(), real(*unit, d, "x"));
}

TEST_P(Fmi3, ReturnsEarlyWhenItIsAskedTo) {
  UnpackedFmu copy(3, "BouncingBall");
  const Fmu fmu = copy.open(options());
  const auto unit = fmu.co_simulation(
      {.allow_early_return = true, .intermediate_update = [](const IntermediatePoint& p) -> IntermediateAnswer {
         return {.return_early = p.t >= 0.3 - 1e-9, .early_return_time = p.t};
       }});
  initialize(*unit);
  double t = 0;
  StepReport report;
  // As many communication steps as the solver needs to reach 0.3.
  for (int i = 0; i < 100 && report.end == StepReport::End::completed; ++i, t = report.reached) {
    report = unit->do_step(t, 0.2);
    if (t >= 0.3) break;
  }
  EXPECT_EQ(report.end, StepReport::End::early);
  EXPECT_GE(report.reached, 0.3 - 1e-9);
}

TEST_P(Fmi3, RefusesScheduledExecutionWithTheWordsOfTheFmu) {
  UnpackedFmu copy(3, "Dahlquist");
  copy.replace("<CoSimulation modelIdentifier",
               "<ScheduledExecution modelIdentifier=\"Dahlquist\"/><CoSimulation modelIdentifier");
  const Fmu fmu = copy.open(options());
  EXPECT_THAT(error_text([&] { (void)fmu.scheduled_execution({.name = "task"}); }, Fault::run),
              AllOf(HasSubstr("unit 'task' (FMI 3.0): fmi3InstantiateScheduledExecution returned Error"),
                    HasSubstr("the model has no scheduled execution")));
}

}  // namespace
}  // namespace consort::fmi
