#include "glue/unit.hpp"

#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../../models/feedthrough.hpp"
#include "glue/scalar_values.hpp"

namespace consort::glue {
namespace {

namespace m = consort::model;

struct Recorder : LogHost {
  Recorder() : LogHost("name", "/some/folder/", true, record) {}
  static void record(const m::Host& host, m::Status status, const char* category, const char*, const void* argument) {
    const auto& self = static_cast<const Recorder&>(host);
    if (self.wants(status, category)) self.texts->emplace_back(static_cast<const char*>(argument));
  }
  std::unique_ptr<std::vector<std::string>> texts = std::make_unique<std::vector<std::string>>();
};

struct Fixture : testing::Test {
  Fixture()
      : exported(export_model<Feedthrough>("Feedthrough")),
        facts(exported, m::Layout::Style::scalars),
        unit(facts, host, Interface::co_simulation) {}
  std::uint32_t reference(std::string_view name) const {
    for (std::uint32_t i = 1; i < facts.layout.slots().size(); ++i) {
      const m::Slot& slot = facts.layout.slots()[i];
      if (slot.element == 0 && exported.definition->variables[slot.variable].name == name) return i;
    }
    return 0;
  }
  Exported exported;
  Facts facts;
  Recorder host;
  Unit unit;
};

TEST_F(Fixture, RefusesReferencesThatThereAreNot) {
  EXPECT_THROW(read_integer(unit, 100'000), m::Failure);
  EXPECT_THROW(write_integer(unit, 0xFFFFFFFF, 1), m::Failure);
}

TEST_F(Fixture, RefusesOtherTypesAndValuesThatDoNotFit) {
  EXPECT_THROW(read_integer(unit, reference("float64_in")), m::Failure);
  EXPECT_THROW(write_integer(unit, reference("int8_in"), 128), m::Failure);
  EXPECT_THROW(write_integer(unit, reference("uint64_in"), -1), m::Failure);
  EXPECT_NO_THROW(write_integer(unit, reference("int8_in"), -128));
  EXPECT_THROW(write_string(unit, reference("string_in"), std::string(129, 'x').c_str()), m::Failure);
  EXPECT_NO_THROW(write_string(unit, reference("string_in"), std::string(128, 'x').c_str()));
  const std::int64_t large = std::int64_t{1} << 40;
  const m::Slot& slot = *facts.layout.find(reference("int64_in"));
  std::memcpy(unit.instance.at(slot), &large, sizeof large);
  EXPECT_THROW(read_integer(unit, reference("int64_in")), m::Failure);
}

TEST_F(Fixture, SetsVariablesOnlyWhenTheStandardAllowsIt) {
  const double one = 1;
  std::uint32_t fixed = reference("fixed_parameter");
  std::uint32_t tunable = reference("tunable_parameter");
  std::uint32_t output = reference("float64_out");
  EXPECT_NO_THROW(write_reals(unit, &fixed, 1, &one));
  EXPECT_THROW(write_reals(unit, &output, 1, &one), m::Failure);
  unit.instance.enter_initialization(0, 10);
  EXPECT_NO_THROW(write_reals(unit, &fixed, 1, &one));
  unit.leave_initialization();
  EXPECT_THROW(write_reals(unit, &fixed, 1, &one), m::Failure);
  EXPECT_NO_THROW(write_reals(unit, &tunable, 1, &one));
}

TEST_F(Fixture, ChecksWhereAStepBegins) {
  unit.instance.enter_initialization(0, 1);
  unit.leave_initialization();
  EXPECT_THROW(unit.step(0.5, 0.1), m::Failure);
  EXPECT_THROW(unit.step(0, 0), m::Failure);
  EXPECT_THROW(unit.step(0, -1), m::Failure);
  EXPECT_THROW(unit.step(0, std::nan("")), m::Failure);
  EXPECT_THROW(unit.step(0, 1.5), m::Failure);
  EXPECT_EQ(unit.step(0, 1).reached, 1);
}

TEST_F(Fixture, SaysWhatFailedAndGoesNoFurther) {
  unit.instance.enter_initialization(0, 1);
  unit.leave_initialization();
  const auto status = guarded(unit, "fmi2DoStep", [&]() -> m::Status { throw m::Failure("no more"); });
  EXPECT_EQ(status, m::Status::error);
  EXPECT_THAT(*host.texts, testing::ElementsAre("fmi2DoStep: no more (t = 0)"));
  EXPECT_THROW(unit.require(m::step_mode), m::Failure);
}

TEST_F(Fixture, LogsOnlyTheCategoriesThatWereChosen) {
  const char* const categories[] = {"logEvents"};
  host.choose(true, 1, categories);
  unit.fail("f", m::Status::error, "quiet");
  EXPECT_TRUE(host.texts->empty());
  host.choose(true, 0, nullptr);
  unit.fail("f", m::Status::error, "loud");
  EXPECT_EQ(host.texts->size(), 1u);
  host.choose(false, 0, nullptr);
  unit.fail("f", m::Status::discard, "quiet");
  EXPECT_EQ(host.texts->size(), 1u);
  unit.fail("f", m::Status::error, "errors are told all the same");
  EXPECT_EQ(host.texts->size(), 2u);
}

TEST_F(Fixture, TakesBackOnlyStatesOfItsOwnModel) {
  std::byte* state = unit.save(nullptr);
  std::vector<std::byte> bytes(unit.serialized_size());
  unit.serialize(state, bytes.data(), bytes.size());
  std::byte* again = unit.deserialize(bytes.data(), bytes.size());
  EXPECT_EQ(std::memcmp(state, again, unit.instance.memory_size()), 0);
  Unit::release(again);
  EXPECT_THROW((void)unit.deserialize(bytes.data(), bytes.size() - 1), m::Failure);
  EXPECT_THROW((void)unit.deserialize(bytes.data(), 0), m::Failure);
  for (const std::size_t i : {std::size_t{0}, std::size_t{9}, std::size_t{20}, std::size_t{24}}) {
    auto broken = bytes;
    broken[i] ^= std::byte{1};
    EXPECT_THROW((void)unit.deserialize(broken.data(), broken.size()), m::Failure) << i;
  }
  EXPECT_THROW(unit.serialize(state, bytes.data(), bytes.size() - 1), m::Failure);
  EXPECT_THROW(unit.restore(nullptr), m::Failure);
  Unit::release(state);
}

TEST_F(Fixture, FeedsArraysThroughElementByElement) {
  std::uint32_t in[] = {reference("matrix_in") + 4};
  std::uint32_t out[] = {reference("matrix_out") + 4};
  double value = 55;
  unit.instance.enter_initialization(0, 1);
  write_reals(unit, in, 1, &value);
  value = 0;
  read_reals(unit, out, 1, &value);
  EXPECT_EQ(value, 55);
}

TEST(PathOfUri, TakesUrisAndPaths) {
  EXPECT_EQ(path_of_uri("file:///tmp/a%20b/resources"), "/tmp/a b/resources");
  EXPECT_EQ(path_of_uri("file:/tmp/x"), "/tmp/x");
  EXPECT_EQ(path_of_uri("file://localhost/tmp/x"), "/tmp/x");
  EXPECT_EQ(path_of_uri("/tmp/x"), "/tmp/x");
  EXPECT_EQ(path_of_uri("file:///a%zz%4"), "/a%zz%4");
  EXPECT_EQ(path_of_uri(nullptr), "");
}

}  // namespace
}  // namespace consort::glue
