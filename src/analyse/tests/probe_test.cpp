#include "analyse/probe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "fmi/tests/quirky_fmu.hpp"

namespace consort::analyse {
namespace {

using describe::InterfaceType;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string fmu(const std::string& name) { return places::fmus() + "/" + name; }

std::string text_of(const ProbeReport& report) {
  std::string all;
  for (const auto& t : report.trials) all += t.name + ": " + std::string(name_of(t.verdict)) + ", " + t.text + "\n";
  return all;
}

TEST(Probe, OfOurOwnFmusFindsThatAllClaimsHold) {
  for (const char* const name : {"fmi1/cs/CoupledMass.fmu", "fmi1/me/CoupledMass.fmu", "fmi2/CoupledMass.fmu",
                                 "fmi3/CoupledMass.fmu", "fmi3/Feedthrough.fmu"}) {
    const auto report = probe(fmu(name));
    EXPECT_TRUE(report.keeps_its_word()) << name << "\n" << text_of(report);
    EXPECT_EQ(report["second instance"].verdict, Verdict::holds) << name << "\n" << text_of(report);
    EXPECT_EQ(report["repeated get"].verdict, Verdict::holds) << name;
  }
}

TEST(Probe, TriesWhatTheInterfaceHas) {
  const auto cs = probe(fmu("fmi2/CoupledMass.fmu"));
  EXPECT_EQ(cs.interface, InterfaceType::co_simulation);
  for (const char* const name :
       {"rollback", "serialisation", "variable step", "input derivatives", "directional derivatives", "reset"}) {
    EXPECT_EQ(cs[name].verdict, Verdict::holds) << text_of(cs);
  }
  EXPECT_EQ(cs["rollback"].claimed, true);
  ProbeOptions options;
  options.interface = InterfaceType::model_exchange;
  const auto me = probe(fmu("fmi2/CoupledMass.fmu"), options);
  EXPECT_EQ(me["variable step"].verdict, Verdict::absent);
  EXPECT_EQ(me["variable step"].claimed, std::nullopt);
  EXPECT_EQ(me["outputs without a step"].verdict, Verdict::holds) << text_of(me);
  EXPECT_EQ(me["outputs without a step"].claimed, true);
  EXPECT_EQ(me["rollback"].verdict, Verdict::holds) << text_of(me);
}

TEST(Probe, OfFmi1FindsWhatThatVersionDoesNotHave) {
  const auto report = probe(fmu("fmi1/cs/CoupledMass.fmu"));
  EXPECT_EQ(report["rollback"].verdict, Verdict::absent);
  EXPECT_EQ(report["rollback"].claimed, false);
  EXPECT_EQ(report["directional derivatives"].verdict, Verdict::absent);
}

TEST(Probe, SetsBackTheStatesOfModelExchangeThatCannotBeSaved) {
  const auto old = probe(fmu("fmi1/me/CoupledMass.fmu"));
  EXPECT_EQ(old["rollback"].verdict, Verdict::absent);
  EXPECT_EQ(old["rollback by states"].verdict, Verdict::holds) << text_of(old);
  EXPECT_THAT(old["rollback by states"].text, HasSubstr("bit for bit"));
  ProbeOptions options;
  options.interface = InterfaceType::model_exchange;
  EXPECT_EQ(probe(fmu("fmi2/CoupledMass.fmu"), options)["rollback by states"].verdict, Verdict::absent);
  EXPECT_EQ(probe(fmu("fmi2/CoupledMass.fmu"))["rollback by states"].verdict, Verdict::absent);
  EXPECT_THAT(probe(fmu("fmi1/me/Feedthrough.fmu"))["rollback by states"].text, HasSubstr("is discrete"));
}

TEST(Probe, FindsTheMemoryOfModelExchangeThatCannotBeSaved) {
  if (!fmi::QuirkyFmu::has_compiler()) GTEST_SKIP() << "there is no C compiler";
  const auto verdict = [](std::initializer_list<const char*> quirks) {
    ProbeOptions options;
    options.step = 0.1;
    return probe(fmi::QuirkyFmu(2, fmi::Kind::me, quirks).path(), options)["rollback by states"];
  };
  EXPECT_EQ(verdict({"ITERATES"}).verdict, Verdict::holds) << verdict({"ITERATES"}).text;
  EXPECT_THAT(verdict({"ITERATES"}).text, HasSubstr("within"));
  EXPECT_EQ(verdict({"ONE_ITERATION"}).verdict, Verdict::fails) << verdict({"ONE_ITERATION"}).text;
  EXPECT_EQ(verdict({"STEP_EVENT"}).verdict, Verdict::fails) << verdict({"STEP_EVENT"}).text;
}

TEST(Probe, FindsThatARollbackAcrossAnEventLosesTheEvent) {
  for (const char* const version : {"fmi2", "fmi3"}) {
    for (const auto interface : {InterfaceType::co_simulation, InterfaceType::model_exchange}) {
      const auto verdict = [&](const std::string& model, std::vector<std::pair<std::string, std::string>> values) {
        ProbeOptions options;
        options.interface = interface;
        options.start_values = std::move(values);
        options.only = "rollback across an event";
        return probe(fmu(std::string(version) + "/" + model + ".fmu"), options)["rollback across an event"];
      };
      const auto good = verdict("Forgetful", {});
      EXPECT_EQ(good.verdict, Verdict::holds) << version << ": " << good.text;
      EXPECT_EQ(good.claimed, true);
      const auto bad = verdict("Forgetful", {{"lost", "events"}});
      EXPECT_EQ(bad.verdict, Verdict::fails) << version;
      EXPECT_THAT(bad.text, AllOf(HasSubstr("the event after t = 0.24 s"), HasSubstr("other discrete variables")));
      EXPECT_EQ(verdict("CoupledMass", {}).verdict, Verdict::absent);
    }
  }
}

TEST(Probe, TakesModelExchangeWithoutStates) {
  if (!fmi::QuirkyFmu::has_compiler()) GTEST_SKIP() << "there is no C compiler";
  ProbeOptions options;
  options.step = 0.1;
  const auto report = probe(fmi::QuirkyFmu(2, fmi::Kind::me, {"NO_STATES"}).path(), options);
  EXPECT_EQ(report["rollback by states"].verdict, Verdict::holds) << text_of(report);
  EXPECT_EQ(report["repeated get"].verdict, Verdict::holds) << text_of(report);
}

TEST(Probe, AnFmuThatFailsItsStepsFailsTheTrialsThatNeedThem) {
  ProbeOptions options;
  options.start_values = {{"deed", "error"}, {"when", "0"}};
  const auto report = probe(fmu("fmi2/Bad.fmu"), options);
  EXPECT_FALSE(report.keeps_its_word());
  EXPECT_EQ(report["rollback"].verdict, Verdict::fails);
  EXPECT_THAT(report["rollback"].text, HasSubstr("an error, as demanded"));
  EXPECT_EQ(report["directional derivatives"].verdict, Verdict::holds) << text_of(report) << "needs no step";
}

TEST(Probe, AnFmuThatRefusesLongStepsIsFoundOut) {
  ProbeOptions options;
  options.start_values = {{"deed", "discard"}, {"when", "0"}, {"longest_step", "0.006"}};
  options.step = 0.005;
  EXPECT_EQ(probe(fmu("fmi2/Bad.fmu"), options)["variable step"].verdict, Verdict::holds);
  options.step = 0.01;
  const auto report = probe(fmu("fmi2/Bad.fmu"), options);
  EXPECT_EQ(report["variable step"].verdict, Verdict::fails);
  EXPECT_FALSE(report.keeps_its_word());
}

TEST(Probe, AHangEndsWhenItsTimeIsUp) {
  ProbeOptions options;
  options.start_values = {{"deed", "hang"}, {"when", "0"}};
  options.timeout_seconds = 0.3;
  const auto report = probe(fmu("fmi3/Bad.fmu"), options);
  EXPECT_EQ(report["reset"].verdict, Verdict::timed_out);
  EXPECT_FALSE(report.keeps_its_word());
}

TEST(Probe, RefusesWhatDoesNotFit) {
  ProbeOptions options;
  options.interface = InterfaceType::scheduled_execution;
  EXPECT_THROW((void)probe(fmu("fmi2/Bad.fmu"), options), Error);
  options = {};
  options.step = -1;
  EXPECT_THROW((void)probe(fmu("fmi2/Bad.fmu"), options), Error);
  EXPECT_THROW((void)probe(fmu("fmi2/Nothing.fmu")), Error);
  EXPECT_THROW((void)probe(fmu("fmi2/Bad.fmu"))["flight"], Error);
}

}  // namespace
}  // namespace consort::analyse
