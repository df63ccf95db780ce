// One suite for Co-Simulation of all versions: a feature works in each version or is a missing capability.
#include <cmath>
#include <deque>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/error_text.hpp"
#include "fmi/tests/fmu_files.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

namespace consort::fmi {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr double step = 0.1;

class CoSimulationOf : public VariantTest {
 protected:
  [[nodiscard]] static Fmu open(const std::string& name) { return open_fmu(version(), name, Kind::cs, options()); }
  [[nodiscard]] static std::string prefix() { return version() == 1 ? "fmi" : "fmi" + std::to_string(version()); }

  // The state of Dahlquist's equation after each of `steps` steps.
  static std::vector<double> decay(CoSimulation& unit, const describe::Description& d, int steps, int first = 0) {
    std::vector<double> x;
    for (int i = first; i < first + steps; ++i) {
      const StepReport report = unit.do_step(i * step, step);
      EXPECT_EQ(report.end, StepReport::End::completed);
      EXPECT_DOUBLE_EQ(report.reached, (i + 1) * step);
      EXPECT_FALSE(report.terminate || report.event_needed);
      x.push_back(real(unit, d, "x"));
    }
    return x;
  }

  // An instance of Bad that misbehaves after the first step.
  static std::unique_ptr<CoSimulation> bad(const Fmu& fmu, std::int64_t deed, InstanceOptions options = {}) {
    options.name = "villain";
    options.logging = true;
    auto unit = fmu.co_simulation(std::move(options));
    set<EnumValue>(*unit, fmu.description(), "deed", {EnumValue{deed}});
    set<double>(*unit, fmu.description(), "when", {0.0});
    initialize(*unit);
    return unit;
  }
};

INSTANTIATE_TEST_SUITE_P(Every, CoSimulationOf, testing::ValuesIn(variants), name_of_variant);

// --- call order

TEST_P(CoSimulationOf, StepsFromStartToEnd) {
  const Fmu fmu = open("Dahlquist");
  const auto& d = fmu.description();
  const auto unit = fmu.co_simulation({.name = "one"});
  EXPECT_EQ(unit->name(), "one");
  EXPECT_EQ(unit->interface().type, describe::InterfaceType::co_simulation);
  initialize(*unit, {.start = 0, .stop = 1.0, .tolerance = 1e-4});
  EXPECT_EQ(real(*unit, d, "x"), 1);
  const auto x = decay(*unit, d, 10);
  EXPECT_NEAR(x.back(), std::exp(-1), 0.02);  // the error of explicit Euler with steps of 0.1
  unit->terminate();
}

TEST_P(CoSimulationOf, GivesTheNumbersOfEveryOtherVersion) {
  const Fmu fmu = open("VanDerPol");
  const Fmu other = open_fmu(version() % 3 + 1, "VanDerPol");
  const auto one = fmu.co_simulation({});
  const auto two = other.co_simulation({});
  initialize(*one);
  initialize(*two);
  for (int i = 0; i < 100; ++i) {
    one->do_step(i * 0.05, 0.05);
    two->do_step(i * 0.05, 0.05);
    ASSERT_EQ(real(*one, fmu.description(), "x1"), real(*two, other.description(), "x1")) << i;
  }
}

TEST_P(CoSimulationOf, StartsAtAnyTime) {
  const Fmu fmu = open("Dahlquist");
  const auto unit = fmu.co_simulation({});
  initialize(*unit, {.start = 5});
  EXPECT_DOUBLE_EQ(unit->do_step(5, 0.5).reached, 5.5);
}

TEST_P(CoSimulationOf, TakesParametersBeforeInitialization) {
  const Fmu fmu = open("Dahlquist");
  const auto unit = fmu.co_simulation({});
  set<double>(*unit, fmu.description(), "k", {0.0});
  set<double>(*unit, fmu.description(), "x", {7.0});
  initialize(*unit);
  EXPECT_THAT(decay(*unit, fmu.description(), 3), ElementsAre(7, 7, 7));
}

TEST_P(CoSimulationOf, BeginsAgainAfterAReset) {
  const Fmu fmu = open("Dahlquist");
  const auto unit = fmu.co_simulation({});
  set<double>(*unit, fmu.description(), "k", {3.0});
  initialize(*unit);
  const auto changed = decay(*unit, fmu.description(), 5);
  unit->terminate();
  unit->reset();
  initialize(*unit);
  const auto again = decay(*unit, fmu.description(), 5);
  EXPECT_NE(changed, again);  // the parameter has its start value again
  const auto fresh = fmu.co_simulation({});
  initialize(*fresh);
  EXPECT_EQ(again, decay(*fresh, fmu.description(), 5));
}

TEST_P(CoSimulationOf, KeepsInstancesApart) {
  const Fmu fmu = open("Dahlquist");
  const auto one = fmu.co_simulation({.name = "one"});
  const auto two = fmu.co_simulation({.name = "two"});
  set<double>(*two, fmu.description(), "k", {2.0});
  initialize(*one);
  initialize(*two);
  const auto first = decay(*one, fmu.description(), 3);
  EXPECT_EQ(real(*two, fmu.description(), "x"), 1);
  const auto second = decay(*two, fmu.description(), 3);
  EXPECT_GT(first.back(), second.back());
}

TEST_P(CoSimulationOf, OutlivesItsFmu) {
  std::unique_ptr<CoSimulation> unit;
  ValueReference x = 0;
  {
    const Fmu fmu = open("Dahlquist");
    x = reference(fmu.description(), "x");
    unit = fmu.co_simulation({});
  }
  initialize(*unit);
  unit->do_step(0, step);
  double value = 0;
  unit->get<double>(std::span(&x, 1), std::span(&value, 1));
  EXPECT_LT(value, 1);
}

TEST_P(CoSimulationOf, IsRefusedForAnInterfaceThatTheFmuDoesNotHave) {
  const Fmu fmu = open("Dahlquist");
  EXPECT_THAT(error_text([&] { (void)fmu.scheduled_execution({}); }),
              AllOf(HasSubstr("Dahlquist.fmu: offers Co-Simulation"), HasSubstr("not Scheduled Execution"),
                    HasSubstr("--interface-type")));
}

// --- values

TEST_P(CoSimulationOf, FeedsValuesOfEveryTypeThrough) {
  const Fmu fmu = open("Feedthrough");
  const auto& d = fmu.description();
  const auto unit = fmu.co_simulation({});
  unit->enter_initialization({});
  unit->exit_initialization();
  set<double>(*unit, d, "float64_in", {-1.5e300});
  set<std::int32_t>(*unit, d, "int32_in", {std::numeric_limits<std::int32_t>::min()});
  set<Bool>(*unit, d, "boolean_in", {true});
  set<std::string>(*unit, d, "string_in", {"grün und \"blau\""});
  set<EnumValue>(*unit, d, "enumeration_in", {EnumValue{3}});
  unit->do_step(0, step);
  EXPECT_EQ(real(*unit, d, "float64_out"), -1.5e300);
  EXPECT_EQ(get<std::int32_t>(*unit, d, "int32_out")[0], std::numeric_limits<std::int32_t>::min());
  EXPECT_TRUE(get<Bool>(*unit, d, "boolean_out")[0]);
  EXPECT_EQ(get<std::string>(*unit, d, "string_out")[0], "grün und \"blau\"");
  EXPECT_EQ(get<EnumValue>(*unit, d, "enumeration_out")[0].value, 3);
  set<std::string>(*unit, d, "string_in", {""});
  set<Bool>(*unit, d, "boolean_in", {false});
  unit->do_step(step, step);
  EXPECT_EQ(get<std::string>(*unit, d, "string_out")[0], "");
  EXPECT_FALSE(get<Bool>(*unit, d, "boolean_out")[0]);
}

TEST_P(CoSimulationOf, ReadsAndWritesSeveralVariablesAtOnce) {
  const Fmu fmu = open("Feedthrough");
  const auto& d = fmu.description();
  const auto unit = fmu.co_simulation({});
  initialize(*unit);
  const std::vector<ValueReference> in{reference(d, "float64_discrete_in"), reference(d, "float64_in")};
  const std::vector<ValueReference> out{reference(d, "float64_out"), reference(d, "float64_discrete_out")};
  const std::vector<double> values{1, 2};
  unit->set<double>(in, values);
  unit->do_step(0, step);
  std::vector<double> back(2);
  unit->get<double>(out, back);
  EXPECT_THAT(back, ElementsAre(2, 1));
  // Empty lists are accepted.
  unit->get<double>({}, {});
  unit->set<std::string>({}, {});
}

TEST_P(CoSimulationOf, RefusesReferencesThatAreNotThere) {
  const Fmu fmu = open("Dahlquist");
  const auto unit = fmu.co_simulation({.name = "wheel", .logging = true});
  initialize(*unit);
  const ValueReference nowhere = 987'654;
  double value = 0;
  EXPECT_THAT(error_text([&] { unit->get<double>(std::span(&nowhere, 1), std::span(&value, 1)); }, Fault::run),
              AllOf(StartsWith("unit 'wheel' (FMI " + std::to_string(version()) + ".0): " + prefix() + "Get"),
                    HasSubstr("returned Error at t = 0 s"), HasSubstr("987654"), HasSubstr("--log-fmi")));
}

TEST_P(CoSimulationOf, RefusesTypesThatTheVersionDoesNotHave) {
  if (version() == 3) GTEST_SKIP() << "FMI 3.0 has all types";
  const Fmu fmu = open("Dahlquist");
  const auto unit = fmu.co_simulation({.name = "wheel"});
  const ValueReference x = 1;
  float value = 0;
  EXPECT_EQ(thrown_error([&] { unit->get<float>(std::span(&x, 1), std::span(&value, 1)); }, Fault::run).unit(),
            "wheel");
  EXPECT_THAT(error_text([&] { unit->get<float>(std::span(&x, 1), std::span(&value, 1)); }, Fault::run),
              HasSubstr("has no values of type Float32"));
  EXPECT_THAT(error_text([&] { unit->set<float>(std::span(&x, 1), std::span<const float>(&value, 1)); }, Fault::run),
              HasSubstr("has no values of type Float32"));
}

// --- capabilities

TEST_P(CoSimulationOf, GoesBackToASavedState) {
  const Fmu fmu = open("Dahlquist");
  const auto& d = fmu.description();
  const auto unit = fmu.co_simulation({.name = "wheel"});
  initialize(*unit);
  StateSaving* const saving = unit->state_saving();
  if (version() == 1) {
    ASSERT_EQ(saving, nullptr);
    EXPECT_THAT(unit->missing("saving of its state"),
                AllOf(StartsWith("unit 'wheel' (FMI 1.0) has no saving of its state"), HasSubstr("does not have it")));
    return;
  }
  ASSERT_NE(saving, nullptr);
  (void)decay(*unit, d, 3);
  auto state = saving->save();
  const auto first = decay(*unit, d, 4, 3);
  saving->restore(*state);
  EXPECT_EQ(decay(*unit, d, 4, 3), first);
  saving->restore(*state);
  EXPECT_EQ(decay(*unit, d, 4, 3), first);  // more than once
  state = saving->save(std::move(state));
  const double here = real(*unit, d, "x");
  (void)decay(*unit, d, 1, 7);
  saving->restore(*state);
  EXPECT_EQ(real(*unit, d, "x"), here);
}

TEST_P(CoSimulationOf, CarriesAStateOverToAnotherInstanceAsBytes) {
  if (version() == 1) GTEST_SKIP() << "FMI 1.0 does not have it";
  const Fmu fmu = open("Dahlquist");
  const auto& d = fmu.description();
  const auto one = fmu.co_simulation({.name = "one"});
  const auto two = fmu.co_simulation({.name = "two", .logging = true});
  initialize(*one);
  initialize(*two);
  ASSERT_TRUE(one->state_saving()->can_serialize());
  (void)decay(*one, d, 5);
  const auto bytes = one->state_saving()->serialize(*one->state_saving()->save());
  EXPECT_FALSE(bytes.empty());
  two->state_saving()->restore(*two->state_saving()->deserialize(bytes));
  EXPECT_EQ(decay(*one, d, 3, 5), decay(*two, d, 3, 5));
  // Bytes of anything else are refused, without a leak.
  EXPECT_THAT(error_text([&] { (void)two->state_saving()->deserialize({}); }, Fault::input),
              AllOf(HasSubstr("unit 'two'"), HasSubstr("damaged")));
  const std::vector<std::uint8_t> no_state(16);  // the part of Consort only
  EXPECT_THAT(error_text([&] { (void)two->state_saving()->deserialize(no_state); }, Fault::run), HasSubstr("erialize"));
}

TEST_P(CoSimulationOf, RefusesToSerializeWhatCannotBe) {
  if (version() == 1) GTEST_SKIP() << "FMI 1.0 does not have it";
  UnpackedFmu copy(version(), "Dahlquist");
  const std::string flag = version() == 2 ? "canSerializeFMUstate=\"true\"" : "canSerializeFMUState=\"true\"";
  copy.replace(flag, "").replace(flag, "");
  const Fmu fmu = copy.open(options());
  const auto unit = fmu.co_simulation({});
  initialize(*unit);
  ASSERT_NE(unit->state_saving(), nullptr);
  EXPECT_FALSE(unit->state_saving()->can_serialize());
  const auto state = unit->state_saving()->save();
  EXPECT_THAT(error_text([&] { (void)unit->state_saving()->serialize(*state); }),
              HasSubstr("has no serialisation of its state: the FMU does not declare it"));
}

TEST_P(CoSimulationOf, HasDirectionalDerivativesWhereTheVersionDoes) {
  const Fmu fmu = open("VanDerPol");
  const auto& d = fmu.description();
  const auto unit = fmu.co_simulation({});
  initialize(*unit);
  if (version() == 1) {
    EXPECT_EQ(unit->directional_derivatives(), nullptr);
    return;
  }
  ASSERT_NE(unit->directional_derivatives(), nullptr);
  // At x0 = 2, x1 = 0, mu = 1: d(der x1) = (-2 mu x0 x1 - 1) dx0 + mu (1 - x0²) dx1.
  const std::vector<ValueReference> unknowns{reference(d, "der(x0)"), reference(d, "der(x1)")};
  const std::vector<ValueReference> knowns{reference(d, "x0"), reference(d, "x1")};
  const std::vector<double> seed{2, 5};
  std::vector<double> sensitivity(2);
  unit->directional_derivatives()->directional(unknowns, knowns, seed, sensitivity);
  EXPECT_THAT(sensitivity, ElementsAre(5, -2 - 3 * 5));
  if (version() == 2) {
    EXPECT_EQ(unit->adjoint_derivatives(), nullptr);
    return;
  }
  ASSERT_NE(unit->adjoint_derivatives(), nullptr);
  unit->adjoint_derivatives()->adjoint(unknowns, knowns, seed, sensitivity);
  EXPECT_THAT(sensitivity, ElementsAre(-5, 2 - 3 * 5));
}

TEST_P(CoSimulationOf, FollowsTheDerivativesOfInputs) {
  const Fmu fmu = open("Feedthrough");
  const auto& d = fmu.description();
  const auto unit = fmu.co_simulation({});
  initialize(*unit);
  if (version() == 3) {
    EXPECT_EQ(unit->input_derivatives(), nullptr);
    return;
  }
  ASSERT_NE(unit->input_derivatives(), nullptr);
  set<double>(*unit, d, "float64_in", {1.0});
  const std::vector<ValueReference> references(2, reference(d, "float64_in"));
  const std::vector<std::int32_t> orders{1, 2};
  const std::vector<double> values{10, 200};
  unit->input_derivatives()->set_input_derivatives(references, orders, values);
  unit->do_step(0, step);
  EXPECT_DOUBLE_EQ(real(*unit, d, "float64_out"), 1 + 10 * step + 200 * step * step / 2);
}

TEST_P(CoSimulationOf, TellsTheDerivativesOfOutputs) {
  const Fmu fmu = open("Dahlquist");
  const auto& d = fmu.description();
  const auto unit = fmu.co_simulation({});
  initialize(*unit);
  unit->do_step(0, step);
  ASSERT_NE(unit->output_derivatives(), nullptr);
  const std::vector<ValueReference> references{reference(d, "x")};
  const std::vector<std::int32_t> orders{1};
  std::vector<double> values(1);
  unit->output_derivatives()->output_derivatives(references, orders, values);
  EXPECT_DOUBLE_EQ(values[0], -real(*unit, d, "x"));
}

TEST_P(CoSimulationOf, HasNoCapabilityThatIsNotDeclared) {
  UnpackedFmu copy(version(), "Dahlquist");
  copy.replace("maxOutputDerivativeOrder=\"1\"", "");
  if (version() < 3) copy.replace("canInterpolateInputs=\"true\"", "");
  if (version() == 2) copy.replace("canGetAndSetFMUstate=\"true\"", "").replace("canGetAndSetFMUstate=\"true\"", "");
  if (version() == 3) copy.replace("canGetAndSetFMUState=\"true\"", "").replace("canGetAndSetFMUState=\"true\"", "");
  const Fmu fmu = copy.open(options());
  const auto unit = fmu.co_simulation({});
  EXPECT_EQ(unit->output_derivatives(), nullptr);
  EXPECT_EQ(unit->input_derivatives(), nullptr);
  EXPECT_EQ(unit->state_saving(), nullptr);
  EXPECT_EQ(unit->event_mode(), nullptr);
  EXPECT_EQ(unit->clocks(), nullptr);
  EXPECT_THAT(unit->missing("state"), HasSubstr(version() == 1 ? "FMI 1.0 does not have it" : "does not declare it"));
}

// --- steps that are not completed

TEST_P(CoSimulationOf, ReportsAStepThatWasDiscarded) {
  const Fmu fmu = open("Bad");
  const auto unit = bad(fmu, 6);
  const StepReport report = unit->do_step(0, step);
  EXPECT_EQ(report.end, StepReport::End::discarded);
  EXPECT_EQ(report.reached, 0);
  // A shorter step succeeds, and the instance is usable as before.
  EXPECT_EQ(unit->do_step(0, 1e-4).end, StepReport::End::completed);
  unit->terminate();
}

TEST(CoSimulationOfFmi1, IsToldWhichStepRepeatsADiscardedOneWhereItCanRejectSteps) {
  for (const bool can : {true, false}) {
    UnpackedFmu files(1, "Bad");
    if (can) files.replace("canRejectSteps=\"false\"", "canRejectSteps=\"true\"");
    const Fmu fmu = files.open();
    std::vector<std::string> calls;
    const auto unit = fmu.co_simulation({.name = "villain", .trace = [&](std::string_view line) {
                                           if (line.find("DoStep(") != std::string_view::npos) calls.emplace_back(line);
                                         }});
    set<EnumValue>(*unit, fmu.description(), "deed", {EnumValue{6}});
    set<double>(*unit, fmu.description(), "when", {0.0});
    initialize(*unit);
    unit->do_step(0, 0.5);
    unit->do_step(0, 0.25);
    unit->do_step(0, 0.001);
    unit->do_step(0.001, 0.001);
    const std::string again = can ? "0)" : "1)";
    EXPECT_THAT(calls, ElementsAre(HasSubstr("(0, 0.5, 1) -> Discard"), HasSubstr("(0, 0.25, " + again + " -> Discard"),
                                   HasSubstr("(0, 0.001, " + again + " -> OK"), HasSubstr("(0.001, 0.001, 1) -> OK")));
  }
}

TEST_P(CoSimulationOf, SaysWhatFailedWhereWhenAndWhy) {
  const Fmu fmu = open("Bad");
  const auto unit = bad(fmu, 4);
  set<EnumValue>(*unit, fmu.description(), "deed", {EnumValue{1}});
  unit->do_step(0, 0.25);
  set<EnumValue>(*unit, fmu.description(), "deed", {EnumValue{4}});
  const Error error = thrown_error([&] { unit->do_step(0.25, 0.25); }, Fault::run);
  EXPECT_THAT(error.what(), AllOf(StartsWith("unit 'villain' (FMI " + std::to_string(version()) + ".0): " + prefix() +
                                             "DoStep returned Error at t = 0.25 s: \""),
                                  HasSubstr("an error, as demanded"), HasSubstr("rerun with --log-fmi")));
  EXPECT_EQ(error.fields(), (ErrorFields{"villain", prefix() + "DoStep", 0.25, ""}));
  EXPECT_NO_THROW(unit->terminate());  // makes no call after an error
  unit->reset();
  initialize(*unit);
  EXPECT_EQ(unit->do_step(0, 0.25).end, StepReport::End::completed);
}

TEST_P(CoSimulationOf, CallsNothingMoreAfterAFatalError) {
#if defined(__SANITIZE_ADDRESS__)
  const __lsan::ScopedDisabler the_instance_is_never_freed;
#endif
  std::deque<std::string> lines;
  const Fmu fmu = open("Bad");
  auto unit = bad(fmu, 5, {.trace = [&](std::string_view line) { lines.emplace_back(line); }});
  EXPECT_THAT(error_text([&] { unit->do_step(0, step); }, Fault::run),
              AllOf(HasSubstr("returned Fatal"), HasSubstr("a fatal error, as demanded")));
  EXPECT_NO_THROW(unit->terminate());
  EXPECT_THAT(error_text([&] { unit->reset(); }, Fault::run), HasSubstr("after its fatal error"));
  unit.reset();
  EXPECT_THAT(lines.back(), HasSubstr("DoStep("));
}

TEST_P(CoSimulationOf, LetsAModelEndTheSimulation) {
  const Fmu fmu = open("Stair");
  const auto& d = fmu.description();
  const auto unit = fmu.co_simulation({});
  set<std::int32_t>(*unit, d, "last", {2});
  initialize(*unit);
  EXPECT_EQ(unit->do_step(0, 0.5).end, StepReport::End::completed);
  EXPECT_EQ(unit->do_step(0.5, 1.0).end, StepReport::End::completed);
  EXPECT_EQ(get<std::int32_t>(*unit, d, "counter")[0], 2);
  const StepReport report = unit->do_step(1.5, 1.0);
  EXPECT_NE(report.end, StepReport::End::completed);
  EXPECT_NEAR(report.reached, 2, 1e-9);
  EXPECT_EQ(report.terminate, version() > 1);  // FMI 1.0 cannot report it
}

// --- messages

TEST_P(CoSimulationOf, PassesMessagesOnWithInstanceCategoryAndLevel) {
  std::vector<LogMessage> messages;
  const Fmu fmu = open("Bad");
  const auto unit = bad(fmu, 4, {.log = [&](const LogMessage& m) { messages.push_back(m); }});
  EXPECT_THAT(error_text([&] { unit->do_step(0, step); }, Fault::run), HasSubstr("as demanded"));
  ASSERT_FALSE(messages.empty());
  EXPECT_EQ(messages.back().unit, "villain");
  EXPECT_EQ(messages.back().category, "logStatusError");
  EXPECT_EQ(messages.back().level, LogLevel::error);
  EXPECT_THAT(messages.back().text, HasSubstr("an error, as demanded"));
}

TEST_P(CoSimulationOf, SurvivesMessagesThatAreMadeToBreakIt) {
  for (const std::int64_t deed : {9, 10, 11}) {  // percent signs, %n, an invalid pointer
    std::vector<LogMessage> messages;
    const Fmu fmu = open("Bad");
    const auto unit = bad(fmu, deed, {.log = [&](const LogMessage& m) { messages.push_back(m); }});
    EXPECT_EQ(unit->do_step(0, step).end, StepReport::End::completed);
    ASSERT_FALSE(messages.empty()) << deed;
    EXPECT_EQ(messages.back().level, LogLevel::warning);
    EXPECT_EQ(messages.back().category, "logStatusWarning");
    if (version() == 3 || deed == 9) continue;  // FMI 3.0 has no formats
    EXPECT_EQ(messages.back().text, deed == 10 ? "written: " : "text at a bad address: (bad pointer)");
  }
}

TEST_P(CoSimulationOf, HearsOnlyTheCategoriesThatWereChosen) {
  std::vector<LogMessage> messages;
  const Fmu fmu = open("Bad");
  const auto unit = bad(fmu, 10, {.log = [&](const LogMessage& m) { messages.push_back(m); }});
  const std::vector<std::string> others{"logEvents", "logStatusFatal"};
  unit->set_debug_logging(true, others);
  unit->do_step(0, step);
  EXPECT_EQ(messages.size(), version() == 1 ? 1U : 0U);  // FMI 1.0 cannot choose categories
  messages.clear();
  const std::vector<std::string> warnings{"logStatusWarning"};
  unit->set_debug_logging(true, warnings);
  unit->do_step(step, step);
  EXPECT_EQ(messages.size(), 1U);
}

TEST_P(CoSimulationOf, TracesEveryCall) {
  std::vector<std::string> lines;
  {
    const Fmu fmu = open("Dahlquist");
    const auto unit =
        fmu.co_simulation({.name = "wheel", .trace = [&](std::string_view line) { lines.emplace_back(line); }});
    initialize(*unit);
    unit->do_step(0, step);
    (void)real(*unit, fmu.description(), "x");
    unit->terminate();
  }
  ASSERT_GE(lines.size(), 6U);
  for (const auto& line : lines) EXPECT_THAT(line, StartsWith("wheel: " + prefix()));
  EXPECT_THAT(lines.front(), AllOf(HasSubstr("nstantiate"), HasSubstr("an instance")));
  EXPECT_THAT(lines, testing::Contains(AllOf(HasSubstr("DoStep(0, 0.1"), HasSubstr("-> OK"))));
  EXPECT_THAT(lines, testing::Contains(AllOf(HasSubstr("Get"), HasSubstr("[1], 1, [0.9"))));
  EXPECT_THAT(lines.back(), HasSubstr("Free"));
  EXPECT_THAT(lines.front(), Not(HasSubstr("\n")));
}

}  // namespace
}  // namespace consort::fmi
