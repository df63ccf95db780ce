// Whole systems whose steps end at events.
#include <cmath>
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/places.hpp"
#include "engine/simulation.hpp"
#include "record/result.hpp"
#include "systems.hpp"

namespace consort::engine {

namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// The same ball with its own solver (in event mode if it has one) and with Consort's.
graph::System balls(const std::string& version) {
  graph::System s("balls");
  const std::string file = places::fmus() + "/" + version + "/BouncingBall.fmu";
  s.add("own", file).interface = describe::InterfaceType::co_simulation;
  s.add("ours", file).interface = describe::InterfaceType::model_exchange;
  return s;
}

struct Flight {
  record::Result result;
  report::SystemReport report;
};

Flight fly(const graph::System& system, bool stops_at_events, const std::string& stepper = "jacobi",
           const std::string& host = "") {
  auto o = options(2, 0.1, stepper);
  o.run.host = host;
  o.run.tolerance = 1e-8;
  o.stops_at_events = stops_at_events;
  Simulation simulation(system, o);
  Flight flight;
  record::MemorySink sink(flight.result);
  record::Sink* const sinks[] = {&sink};
  flight.report = simulation.run(sinks);
  return flight;
}

double at(const record::Result& r, const char* name, Time t) {
  const auto& times = r.time;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (std::abs(times[i] - t) < 1e-9) return r[name].numbers[i];
  ADD_FAILURE() << "no row at " << t;
  return 0;
}

TEST(StopsAtEvents, AgreesWithEventsThatUnitsHandleInside) {
  ::setenv("CONSORT_WORKER", places::worker().c_str(), 1);
  for (const auto* const host : {"serial", "process"}) {
    const auto inside = fly(balls("fmi3"), false, "jacobi", host);
    const auto stopped = fly(balls("fmi3"), true, "jacobi", host);
    for (const auto* const name : {"own.h", "own.v", "ours.h", "ours.v"})
      for (int i = 1; i <= 20; ++i)
        EXPECT_NEAR(at(stopped.result, name, 0.1 * i), at(inside.result, name, 0.1 * i), 1e-3) << name << " " << i;
    // Every ball first falls for sqrt(2 / g); a step ends there.
    const double fall = std::sqrt(2 / 9.81);
    EXPECT_NEAR(at(stopped.result, "ours.h", 0.5),
                std::pow(0.7 * 9.81 * fall, 1) * (0.5 - fall) - 9.81 / 2 * std::pow(0.5 - fall, 2), 1e-6);
    EXPECT_GT(stopped.report.steps, inside.report.steps);
    EXPECT_THAT(stopped.report.notes, Not(Contains(HasSubstr("each unit alone"))));
  }
}

TEST(StopsAtEvents, TellsInTheReportWhereUnitsSettleAlone) {
  graph::System s("balls");
  s.add("old", places::fmus() + "/fmi1/me/BouncingBall.fmu").interface = describe::InterfaceType::model_exchange;
  const auto inside = fly(s, false);
  const auto asked = fly(s, true);
  EXPECT_THAT(asked.report.notes, Contains(::testing::AllOf(HasSubstr("each unit alone"), HasSubstr("old"))));
  EXPECT_EQ(asked.result["old.h"].numbers, inside.result["old.h"].numbers);
}

}  // namespace
}  // namespace consort::engine
