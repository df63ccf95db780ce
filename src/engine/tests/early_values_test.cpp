// Values that an FMU refuses before initialization mode, and values that it refuses to tell.
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "engine/simulate_fmu.hpp"
#include "engine/simulation.hpp"
#include "fmi/tests/strict_fmu.hpp"
#include "record/result.hpp"
#include "systems.hpp"

namespace consort::engine::early_values_test {
namespace {

using fmi::Kind;
using fmi::StrictFmu;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::ThrowsMessage;
using Values = std::vector<std::pair<std::string, std::string>>;

// A run of an FMU alone, or of a system of it on a host.
struct Way {
  const char* name;
  int version;
  Kind kind;
  const char* host;  // null: alone
};

struct Outcome {
  record::Result result;
  std::vector<std::string> warnings, calls;
  std::string prefix;
  [[nodiscard]] double last(const std::string& name) const { return result[prefix + name].numbers.back(); }
};

describe::InterfaceType interface_of(const Way& way) {
  return way.kind == Kind::me ? describe::InterfaceType::model_exchange : describe::InterfaceType::co_simulation;
}

Outcome run(const Way& way, const StrictFmu& fmu, const Values& values) {
  Outcome o;
  record::MemorySink sink(o.result);
  record::Sink* const sinks[] = {&sink};
  if (way.host == nullptr) {
    const FmuRun options{.simulate = {.stop = 0.3, .step = 0.1, .start_values = values},
                         .interface = interface_of(way),
                         .instance_name = "tool",
                         .trace = [&](std::string_view line) { o.calls.emplace_back(line); }};
    o.warnings = simulate_fmu(fmu.open(), options, sinks).warnings;
    return o;
  }
  ::setenv("CONSORT_WORKER", places::worker().c_str(), 1);
  graph::System system("whole");
  auto& tool = system.add("tool", fmu.path());
  tool.interface = interface_of(way);
  for (const auto& [name, value] : values) tool.set(name, value);
  auto options = testing::options(0.3, 0.1);
  options.run.host = way.host;
  o.prefix = "tool.";
  o.warnings = Simulation(system, options).run(sinks).warnings;
  return o;
}

class EarlyValues : public ::testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (!StrictFmu::has_compiler()) GTEST_SKIP() << "there is no C compiler";
  }
  [[nodiscard]] static StrictFmu fmu(std::initializer_list<const char*> quirks) { return {GetParam().version, quirks}; }
};
INSTANTIATE_TEST_SUITE_P(
    Every, EarlyValues,
    ::testing::Values(Way{"Fmi2CsAlone", 2, Kind::cs, nullptr}, Way{"Fmi2MeAlone", 2, Kind::me, nullptr},
                      Way{"Fmi3CsAlone", 3, Kind::cs, nullptr}, Way{"Fmi2CsInThreads", 2, Kind::cs, "threads"},
                      Way{"Fmi2MeInThreads", 2, Kind::me, "threads"}, Way{"Fmi2MeInAProcess", 2, Kind::me, "process"},
                      Way{"Fmi3CsInThreads", 3, Kind::cs, "threads"}, Way{"Fmi3CsInAProcess", 3, Kind::cs, "process"}),
    [](const auto& way) { return std::string(way.param.name); });

TEST_P(EarlyValues, ThatCannotBeSetLaterAreKeptIfOthersAreRefused) {
  const auto o = run(GetParam(), fmu({"REFUSES_E"}), {{"e", "0.9"}, {"x", "17"}, {"u", "2"}});
  EXPECT_EQ(o.last("x"), 17);
  EXPECT_THAT(o.warnings, ElementsAre(AllOf(HasSubstr("'tool'"), HasSubstr("in initialization mode instead"))));
}

TEST_P(EarlyValues, ThatCannotBeSetLaterAreNamedIfTheyAreRefused) {
  const auto quirky = fmu({"REFUSES_X"});
  EXPECT_THAT(
      [&] {
        run(GetParam(), quirky, {{"e", "0.9"}, {"x", "17"}});
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("'tool'"), HasSubstr("returned Error"),
                                 HasSubstr("'x' cannot be set later: leave out its start value"))));
}

// The FMU ends the process if it is called again.
TEST_P(EarlyValues, EndTheRunIfTheyCauseAFatalError) {
#if defined(__SANITIZE_ADDRESS__)
  const __lsan::ScopedDisabler the_instance_is_never_freed;
#endif
  const auto quirky = fmu({"FATAL_E"});
  EXPECT_THAT(
      [&] {
        run(GetParam(), quirky, {{"e", "0.9"}});
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("'tool'"), HasSubstr("returned Fatal"))));
}

TEST_P(EarlyValues, OfStructuralParametersOutliveARefusal) {
  if (GetParam().version != 3) GTEST_SKIP() << "FMI 2.0 has no structural parameters";
  const auto o = run(GetParam(), fmu({"REFUSES_E"}), {{"n", "4"}, {"a", "1 2 3 4"}, {"e", "0.9"}});
  EXPECT_EQ(o.last("sum"), 10);
}

// Two refused calls end the FMU.
TEST_P(EarlyValues, ThatTheUnitRefusesToTellAreAskedForOnce) {
  const auto o = run(GetParam(), fmu({"WRITE_ONLY"}), {{"e", "0.9"}, {"u", "2"}});
  EXPECT_EQ(o.last("x"), 8);
  EXPECT_THAT(o.warnings, Not(Contains(HasSubstr("has not taken"))));
  if (GetParam().host != nullptr) return;
  EXPECT_THAT(o.calls, Contains(HasSubstr("Terminate() -> OK"))) << "a refusal is no reason to drop this call";
}

TEST_P(EarlyValues, OfInputsThatAreIgnoredAreReported) {
  const auto o = run(GetParam(), fmu({"IGNORES_U"}), {{"u", "2"}});
  EXPECT_THAT(o.warnings, ElementsAre(AllOf(HasSubstr("'tool'"), HasSubstr("value 2 of 'u'"), HasSubstr("keeps 0"))));
}

TEST_P(EarlyValues, AreSetWithoutWarningsIfNothingIsRefused) {
  const auto o = run(GetParam(), fmu({}), {{"e", "0.9"}, {"x", "17"}, {"u", "2"}});
  EXPECT_EQ(o.last("x"), 17);
  EXPECT_THAT(o.warnings, IsEmpty());
}

// --- events of Co-Simulation that are announced once

TEST(AnnouncedEvents, OfCoSimulationRemainAnnouncedThroughOtherEvents) {
  if (!StrictFmu::has_compiler()) GTEST_SKIP() << "there is no C compiler";
  const os::TempFolder folder;
  const auto table = folder.path() / "u.csv";
  fmi::write_file(table, "time,u\n0,0\n0.1,1\n0.2,2\n0.4,3\n");
  for (const char* const quirk : {"LAZY_EVENT_INFO", "NONE"}) {
    const StrictFmu fmu(3, {quirk});
    record::Result result;
    record::MemorySink sink(result);
    record::Sink* const sinks[] = {&sink};
    simulate_fmu(fmu.open(),
                 {.simulate = {.stop = 0.5, .step = 0.1, .start_values = {{"period", "0.15"}}},
                  .input_file = table,
                  .use_event_mode = true},
                 sinks);
    EXPECT_EQ(result["ticks"].numbers.back(), 3) << quirk;
  }
}

}  // namespace
}  // namespace consort::engine::early_values_test
