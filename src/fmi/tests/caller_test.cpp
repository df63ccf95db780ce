#include "fmi/caller.hpp"

#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/error_text.hpp"
#include "fmi/instance.hpp"

namespace consort::fmi {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct Fixture {
  Fixture() { description.version = describe::FmiVersion::v2; }
  describe::Description description;
  std::vector<std::string> lines;
  Caller caller{"wheel", description, {}, [this](std::string_view line) { lines.emplace_back(line); }};
};

const char* const nothing = "";
double* const nowhere = nullptr;

int answer(void*, int status, const char*, double*) { return status; }
constexpr Function<int(void*, int, const char*, double*)> fmi_answer{"fmiAnswer", answer};

TEST(Caller, ThrowsForEveryStatusFromDiscardOn) {
  Fixture f;
  double x = 1.5;
  for (const Status status : {Status::ok, Status::warning}) {
    EXPECT_NO_THROW(f.caller.check(fmi_answer, nullptr, static_cast<int>(status), nothing, Result(&x)));
  }
  for (const Status status : {Status::discard, Status::error, Status::fatal, Status::pending}) {
    EXPECT_THAT(error_text([&] { f.caller.check(fmi_answer, nullptr, static_cast<int>(status), nothing, nowhere); },
                           Fault::run),
                HasSubstr("unit 'wheel' (FMI 2.0): fmiAnswer returned " + std::string(name_of(status))));
  }
  EXPECT_THAT(error_text([&] { f.caller.check(fmi_answer, nullptr, 77, nothing, nowhere); }, Fault::run),
              HasSubstr("returned an unknown status"));
}

TEST(Caller, RemembersTheWorstStatusUntilItIsMended) {
  Fixture f;
  const auto call = [&](Status s) { (void)f.caller.call(fmi_answer, nullptr, static_cast<int>(s), nothing, nowhere); };
  call(Status::discard);
  call(Status::pending);
  call(Status::warning);
  EXPECT_FALSE(f.caller.is_broken());
  call(Status::error);
  EXPECT_TRUE(f.caller.is_broken());
  EXPECT_FALSE(f.caller.is_fatal());
  f.caller.mend();
  EXPECT_FALSE(f.caller.is_broken());
  call(Status::fatal);
  call(Status::ok);
  EXPECT_TRUE(f.caller.is_fatal());
}

TEST(Caller, ToleratesRefusalsOfCallsThatAreNotEssential) {
  Fixture f;
  const auto answered = [&](Status s) {
    return [&f, s] { f.caller.check(fmi_answer, nullptr, static_cast<int>(s), nothing, nowhere); };
  };
  EXPECT_NO_THROW(f.caller.tolerate(answered(Status::ok)));
  for (const Status status : {Status::discard, Status::error}) {
    EXPECT_THROW(f.caller.tolerate(answered(status)), Refused);
    EXPECT_FALSE(f.caller.is_broken());
  }
  EXPECT_THAT(error_text([&] { f.caller.tolerate(answered(Status::fatal)); }, Fault::run), HasSubstr("Fatal"));
  EXPECT_TRUE(f.caller.is_fatal());
}

TEST(Caller, TracesArgumentsAndResults) {
  Fixture f;
  double x = 1.5;
  const char* const text = "say \"so\"";
  const char* const no_text = nullptr;
  (void)f.caller.call(fmi_answer, nullptr, 0, text, Result(&x));
  (void)f.caller.call(fmi_answer, nullptr, 1, no_text, nowhere);
  EXPECT_THAT(f.lines, ElementsAre("wheel: fmiAnswer(0, \"say \"so\"\", 1.5) -> OK",
                                   "wheel: fmiAnswer(1, null, null) -> Warning"));
}

TEST(Caller, NamesAFunctionThatIsMissing) {
  Fixture f;
  const Function<int(void*)> none{"fmi2Dance", nullptr};
  EXPECT_THAT(error_text([&] { (void)f.caller.call(none, nullptr); }, Fault::run),
              HasSubstr("the FMU's binary has no function fmi2Dance"));
  EXPECT_THAT(error_text([&] { (void)f.caller.call_plain(none, nullptr); }, Fault::run), HasSubstr("fmi2Dance"));
}

TEST(Caller, PutsUnitCallAndTimeIntoTheFieldsOfItsErrors) {
  Fixture f;
  f.caller.set_time(1.25);
  const auto answer_with = [&](Status status) {
    return [&f, status] { f.caller.check(fmi_answer, nullptr, static_cast<int>(status), nothing, nowhere); };
  };
  const ErrorFields expected{"wheel", "fmiAnswer", 1.25, ""};
  EXPECT_EQ(thrown_error(answer_with(Status::error), Fault::run).fields(), expected);
  EXPECT_EQ(thrown_error(answer_with(Status::discard), Fault::run).fields(), expected);
  EXPECT_THROW(answer_with(Status::discard)(), Discarded);
  const Function<int(void*)> none{"fmi2Dance", nullptr};
  EXPECT_EQ(thrown_error([&] { (void)f.caller.call(none, nullptr); }, Fault::run).fields(),
            (ErrorFields{"wheel", "fmi2Dance", 1.25, ""}));
  const Function<int(void*)> thrower{"fmi2Throw", [](void*) -> int { throw std::logic_error("of the FMU"); }};
  EXPECT_EQ(thrown_error([&] { (void)f.caller.call(thrower, nullptr); }, Fault::run).fields(),
            (ErrorFields{"wheel", "fmi2Throw", 1.25, ""}));
  EXPECT_EQ(thrown_error([&] { (void)int_of(EnumValue{1LL << 40}, f.caller); }).unit(), "wheel");
}

TEST(Caller, PutsTheLastMessagesIntoTheError) {
  Fixture f;
  f.caller.set_time(1.25);
  EXPECT_THAT(std::string(f.caller.failure("fmi2DoStep", Status::error).what()),
              HasSubstr("fmi2DoStep returned Error at t = 1.25 s: it gave no reason"));
  f.caller.message(Status::ok, "logEvents", "just talking");
  for (int i = 0; i < 10; ++i) f.caller.message(Status::error, nullptr, "message " + std::to_string(i) + "\r\n\n");
  EXPECT_THAT(f.caller.last_words(), ElementsAre("message 5", "message 6", "message 7", "message 8", "message 9"));
  f.caller.message(Status::ok, "logEvents", "still talking");
  EXPECT_THAT(std::string(f.caller.failure("fmi2DoStep", Status::error).what()),
              HasSubstr("\"message 8\" / \"message 9\"; rerun"));
  f.caller.message(Status::error, "", std::string(10'000, 'x'));
  EXPECT_EQ(f.caller.last_words().back().size(), 500U);
}

TEST(Caller, QuotesOnlyWhatBelongsToTheCallThatFailed) {
  Fixture f;
  f.caller.message(Status::warning, "", "of an earlier call");
  EXPECT_THAT(error_text([&] { f.caller.check(fmi_answer, nullptr, 3, nothing, nowhere); }, Fault::run),
              AllOf(HasSubstr("it gave no reason"), Not(HasSubstr("earlier"))));
  f.caller.message(Status::warning, "", "about the step");
  EXPECT_EQ(f.caller.follow_up(fmi_answer, nullptr, 0, nothing, nowhere), Status::ok);
  EXPECT_THAT(f.caller.last_words(), ElementsAre("about the step")) << "a question about the call before";
}

TEST(Caller, IsFoundBehindAPointerOnlyWhileItLives) {
  void* gone = nullptr;
  {
    Fixture f;
    gone = &f.caller;
    EXPECT_EQ(Caller::from_environment(&f.caller), &f.caller);
    int local = 0;
    EXPECT_EQ(Caller::from_environment(&local), nullptr);
    EXPECT_EQ(Caller::from_environment(nullptr), nullptr);
  }
  EXPECT_EQ(Caller::from_environment(gone), nullptr);
}

Caller* found_inside = nullptr;
int look_around(void*) {
  found_inside = Caller::from_environment(reinterpret_cast<void*>(16));  // NOLINT: garbage, as FMUs pass it
  return 0;
}

TEST(Caller, IsTheOneWhoseCallTheThreadIsInWhenThePointerIsGarbage) {
  Fixture outer;
  const Function<int(void*)> look{"look", look_around};
  (void)outer.caller.call(look, nullptr);
  EXPECT_EQ(found_inside, &outer.caller);
  EXPECT_EQ(Caller::from_environment(nullptr), nullptr);  // no longer in the call
}

TEST(Caller, TakesMessagesFromManyThreads) {
  describe::Description description;
  std::size_t count = 0;
  Caller caller("wheel", description, [&](const LogMessage&) { ++count; }, {});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 500; ++k) caller.message(Status::warning, "c", "text");
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(count, 2000U);
}

}  // namespace
}  // namespace consort::fmi
