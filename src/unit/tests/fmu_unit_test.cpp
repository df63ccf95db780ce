#include "unit/fmu_unit.hpp"

#include <array>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"

namespace consort::unit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::filesystem::path fmu_file(const std::string& name) { return std::filesystem::path(places::fmus()) / name; }

// An FMU and a unit of it; initialize() initialises the unit.
struct Running {
  explicit Running(const std::string& file, fmi::InstanceOptions options = {})
      : fmu(fmi::Fmu::open(fmu_file(file))), unit(make_fmu_unit(fmu, std::move(options))) {}

  void initialize(Time start = 0, Time stop = 10) const {
    unit->enter_initialization({start, stop, 1e-6});
    unit->exit_initialization();
  }
  [[nodiscard]] describe::SignalSet signals(std::initializer_list<const char*> names) const {
    std::vector<describe::VariableId> choice;
    for (const auto* const name : names) choice.push_back(fmu.description().require_variable(name));
    return {fmu.description(), choice};
  }
  [[nodiscard]] ValueReference reference(const char* name) const {
    return fmu.description()[fmu.description().require_variable(name)].reference;
  }
  [[nodiscard]] double number(const char* name) const {
    const auto set = signals({name});
    Columns values = set.make_columns();
    unit->get(set, values);
    return values.column<double>().at(0);
  }
  void set_number(const char* name, double value) const {
    const auto set = signals({name});
    Columns values = set.make_columns();
    values.column<double>().at(0) = value;
    unit->set(set, values);
  }

  fmi::Fmu fmu;
  std::unique_ptr<Unit> unit;
};

class FmuUnitOfVersion : public ::testing::TestWithParam<const char*> {
 protected:
  [[nodiscard]] static std::string file(const std::string& model) {
    return std::string(GetParam()) + "/" + model + ".fmu";
  }
};
INSTANTIATE_TEST_SUITE_P(AllVersions, FmuUnitOfVersion, ::testing::Values("fmi1/cs", "fmi2", "fmi3"),
                         [](const auto& version) { return std::string(version.param).substr(0, 4); });

TEST_P(FmuUnitOfVersion, StepsAndHandsOutItsOutputs) {
  const Running r(file("Dahlquist"), {.name = "decay"});
  EXPECT_EQ(r.unit->name(), "decay");
  r.initialize();
  EXPECT_EQ(r.number("x"), 1);
  for (int i = 0; i < 10; ++i) {
    const auto outcome = r.unit->step({0.1 * i, 0.1});
    ASSERT_TRUE(outcome.completed());
    EXPECT_NEAR(outcome.reached, 0.1 * (i + 1), 1e-12);
  }
  EXPECT_NEAR(r.number("x"), std::exp(-1.0), 1e-4);  // the solver of the model has order 4 or an error below 1e-4
  r.unit->terminate();
}

TEST_P(FmuUnitOfVersion, TakesStartValuesBeforeInitialization) {
  const Running r(file("Dahlquist"));
  r.set_number("x", 5);
  r.set_number("k", 0);
  r.initialize();
  r.unit->step({0, 1});
  EXPECT_EQ(r.number("x"), 5);
}

TEST_P(FmuUnitOfVersion, RollsBackWhereTheFmuCan) {
  const Running r(file("BouncingBall"));
  r.initialize();
  auto* const rollback = r.unit->rollback();
  if (std::string_view(GetParam()) == "fmi1/cs") {
    EXPECT_EQ(rollback, nullptr) << "FMI 1.0 cannot save states";
    return;
  }
  ASSERT_NE(rollback, nullptr);
  for (int i = 0; i < 40; ++i) r.unit->step({0.01 * i, 0.01, true});
  auto saved = rollback->save();
  const auto run_on = [&] {
    for (int i = 40; i < 100; ++i) r.unit->step({0.01 * i, 0.01, true});
    return std::pair(r.number("h"), r.number("v"));
  };
  const auto first = run_on();
  rollback->restore(*saved);
  EXPECT_EQ(run_on(), first);  // bit for bit, including a bounce
  rollback->restore(*saved);
  saved = rollback->save(std::move(saved));
  EXPECT_EQ(run_on(), first);
}

TEST_P(FmuUnitOfVersion, NamesUnitCallAndTimeWhenAStepFails) {
  const Running r(file("Bad"), {.name = "villain"});
  const auto deed = r.signals({"deed"});
  Columns values = deed.make_columns();
  values.column<EnumValue>().at(0) = 4;  // returns an error
  r.unit->set(deed, values);
  r.set_number("when", 0.25);
  r.initialize();
  try {
    for (int i = 0; i < 10; ++i) r.unit->step({0.125 * i, 0.125});
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::run);
    EXPECT_THAT(error.what(), HasSubstr("'villain'"));
    EXPECT_THAT(error.what(), HasSubstr("DoStep"));
    EXPECT_THAT(error.what(), HasSubstr("t = 0.125 s"));
    EXPECT_THAT(error.what(), HasSubstr("an error, as demanded"));
  }
}

TEST_P(FmuUnitOfVersion, ReportsADiscardedStepAsAnOutcome) {
  const Running r(file("Bad"));
  const auto deed = r.signals({"deed"});
  Columns values = deed.make_columns();
  values.column<EnumValue>().at(0) = 6;  // discards steps
  r.unit->set(deed, values);
  r.set_number("when", 0);
  r.set_number("longest_step", 0.01);
  r.initialize();
  const auto refused = r.unit->step({0, 0.1});
  EXPECT_EQ(refused.why, Why::discarded);
  EXPECT_EQ(refused.reached, 0);
  EXPECT_TRUE(r.unit->step({0, 0.01}).completed());
}

TEST_P(FmuUnitOfVersion, TakesInputDerivativesWhereTheVersionAndTheFmuHaveThem) {
  const bool version_has_them = std::string_view(GetParam()) != "fmi3";
  const Running interpolating(file("OneMass"));
  EXPECT_EQ(interpolating.unit->input_order(), version_has_them ? 3 : 0);
  EXPECT_FALSE(interpolating.unit->responds_without_step());
  if (!version_has_them) return;
  // A free mass under the force 1 + 2 t + 3 t² / 2 + 4 t³ / 6; the derivatives have no effect on the next step.
  interpolating.set_number("k", 0);
  interpolating.set_number("d", 0);
  interpolating.initialize();
  interpolating.set_number("force", 1);
  const ValueReference f = interpolating.reference("force");
  const std::array<ValueReference, 3> inputs{f, f, f};
  const std::array<std::int32_t, 3> orders{1, 2, 3};
  const std::array<double, 3> values{2, 3, 4};
  interpolating.unit->set_input_derivatives(inputs, orders, values);
  interpolating.unit->step({0, 1});
  const double v = interpolating.number("v");
  EXPECT_NEAR(v, 1 + 1 + 0.5 + 4.0 / 24, 1e-3);
  interpolating.set_number("force", 0);
  interpolating.unit->step({1, 1});
  EXPECT_NEAR(interpolating.number("v"), v, 1e-12);
}

TEST_P(FmuUnitOfVersion, TellsOutputDerivativesAsFarAsItsDescriptionPromises) {
  const Running r(file("OneMass"));
  ASSERT_GE(r.unit->output_order(), 1);
  r.set_number("k", 0);
  r.set_number("d", 0);
  r.initialize();
  r.set_number("force", 2);
  r.unit->step({0, 1});
  const std::array<ValueReference, 1> outputs{r.reference("x")};
  const std::array<std::int32_t, 1> orders{1};
  std::array<double, 1> values{0};
  r.unit->get_output_derivatives(outputs, orders, values);
  EXPECT_NEAR(values[0], r.number("v"), 1e-6);
}

TEST(FmuUnit, SerialisesItsStateForAnotherInstance) {
  for (const char* const file : {"fmi2/BouncingBall.fmu", "fmi3/BouncingBall.fmu"}) {
    const Running first(file);
    first.initialize();
    for (int i = 0; i < 60; ++i) first.unit->step({0.01 * i, 0.01});
    ASSERT_NE(first.unit->rollback(), nullptr);
    ASSERT_TRUE(first.unit->rollback()->can_serialize());
    const auto bytes = first.unit->rollback()->serialize(*first.unit->rollback()->save());

    const Running second(file);
    second.initialize();
    second.unit->rollback()->restore(*second.unit->rollback()->deserialize(bytes));
    EXPECT_EQ(second.number("h"), first.number("h"));
    first.unit->step({0.6, 0.01});
    second.unit->step({0.6, 0.01});
    EXPECT_EQ(second.number("v"), first.number("v"));
  }
}

TEST(FmuUnit, HasEventsOnlyWhenTheyAreAskedFor) {
  EXPECT_EQ(Running("fmi3/BouncingBall.fmu").unit->events(), nullptr);
  EXPECT_EQ(Running("fmi2/BouncingBall.fmu", {.use_event_mode = true}).unit->events(), nullptr);
  EXPECT_NE(Running("fmi3/BouncingBall.fmu", {.use_event_mode = true}).unit->events(), nullptr);
}

TEST(FmuUnit, CopiesArraysInOneBlock) {
  const Running r("fmi3/Feedthrough.fmu");
  const auto in = r.signals({"matrix_in", "vector_in"});
  Columns values = in.make_columns();
  ASSERT_EQ(values.column<double>().size(), 9U);
  for (std::size_t i = 0; i < 9; ++i) values.column<double>()[i] = static_cast<double>(i) + 0.5;
  r.unit->set(in, values);
  r.initialize();
  const auto out = r.signals({"vector_out", "matrix_out"});
  Columns result = out.make_columns();
  r.unit->get(out, result);
  EXPECT_THAT(result.column<double>(), ElementsAre(6.5, 7.5, 8.5, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5));
}

TEST(FmuUnit, ChangesSizesInConfigurationMode) {
  const Running r("fmi3/Feedthrough.fmu");
  const auto n = r.signals({"n"});
  Columns size = n.make_columns();
  size.column<std::uint64_t>().at(0) = 5;
  EXPECT_TRUE(r.unit->configure(n, size));
  const auto& d = r.fmu.description();
  const describe::VariableId choice[] = {d.require_variable("sized_in")};
  const std::uint64_t sizes[] = {5};
  const describe::SignalSet five(d, choice, sizes);
  Columns values = five.make_columns();
  r.unit->get(five, values);
  EXPECT_THAT(values.column<double>(), ElementsAre(1, 2, 3, 4, 5));
}

TEST(FmuUnit, HasNoConfigurationModeBeforeFmi3) {
  const Running r("fmi2/Dahlquist.fmu");
  Columns nothing;
  EXPECT_FALSE(r.unit->configure({}, nothing));
}

TEST(FmuUnit, OutlivesManyUnitsOfTheSameFmu) {
  const auto fmu = fmi::Fmu::open(fmu_file("fmi2/Dahlquist.fmu"));
  std::vector<std::unique_ptr<Unit>> units;
  for (int i = 0; i < 8; ++i) {
    units.push_back(make_fmu_unit(fmu, {.name = "unit " + std::to_string(i)}));
    units.back()->enter_initialization({0, 1, 1e-4});
    units.back()->exit_initialization();
  }
  const auto id = fmu.description().require_variable("x");
  const describe::SignalSet x(fmu.description(), std::span(&id, 1));
  Columns values = x.make_columns();
  units[3]->step({0, 0.1});
  units[4]->get(x, values);
  EXPECT_EQ(values.column<double>()[0], 1) << "instances share nothing";
}

}  // namespace
}  // namespace consort::unit
