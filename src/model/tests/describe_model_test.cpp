#include "model/describe_model.hpp"

#include <array>
#include <cstdint>

#include <gtest/gtest.h>

namespace consort::model::describe_model_test {
namespace {

struct Sample {
  enum class Mode : std::int64_t { off = 1, on };
  static constexpr std::string_view modes[] = {"off", "on"};
  double u = 1;
  double x = 2, der_x = 0;
  std::uint64_t n = 2;
  std::array<double, 4> v{1, 2, 3, 4};
  double z = 0;
  Mode mode = Mode::on;
  Text<8> text = "hello";

  static constexpr auto describe() {
    using M = Sample;
    return declare(
        {.description = "A sample", .stop_time = 4, .step = 0.5}, input<&M::u>("rad", "angle").display("deg"),
        state<&M::x, &M::der_x>("m", "place").output().depends_on<&M::u, &M::x>(), structural_parameter<&M::n>("size"),
        input<&M::v>("vector").sized_by<&M::n>(), indicator<&M::z>("m", "gap"),
        parameter<&M::mode>("mode").named_values(modes), parameter<&M::text>("text"));
  }
  void derivatives() { der_x = u; }
  void indicators() { z = x; }
  void event(Event&) {}
};

TEST(DescribeModel, SaysWhatTheModelDeclares) {
  const describe::Description d = describe_model(definition_of<Sample>, "Sample");
  EXPECT_EQ(d.model_name, "Sample");
  EXPECT_EQ(d.version, describe::FmiVersion::native);
  EXPECT_EQ(d.default_experiment.step_size, 0.5);
  EXPECT_EQ(d.continuous_states, 1u);
  EXPECT_EQ(d.event_indicators, 1u);
  ASSERT_NE(d.interface(describe::InterfaceType::model_exchange), nullptr);

  const describe::Variable& u = d[d.require_variable("u")];
  EXPECT_EQ(u.causality, describe::Causality::input);
  ASSERT_NE(d.display_unit(u), nullptr);
  EXPECT_NEAR(d.display_unit(u)->from_unit(3.14159265358979), 180, 1e-9);
  const describe::Variable& rate = d[d.require_variable("der(x)")];
  EXPECT_EQ(rate.derivative_of, d.require_variable("x"));
  EXPECT_EQ(d.unit_name(rate), "m/s");
  const describe::Variable& v = d[d.require_variable("v")];
  EXPECT_EQ(d.element_count(v), 2u);
  EXPECT_EQ(d.start(v)->elements<double>(), (std::vector<double>{1, 2}));
  EXPECT_EQ(d.start(d[d.require_variable("text")])->elements<std::string>(), std::vector<std::string>{"hello"});
  const describe::Variable& mode = d[d.require_variable("mode")];
  EXPECT_EQ(d.types.at(mode.declared_type).items.at(1).name, "on");
  EXPECT_EQ(d.start(mode)->elements<EnumValue>().at(0), 2);
}

TEST(DescribeModel, KnowsWhatDependsOnWhat) {
  const describe::Description d = describe_model(definition_of<Sample>, "Sample");
  ASSERT_EQ(d.structure.derivatives.size(), 1u);
  const auto known = d.structure.of(d.structure.derivatives[0]);
  ASSERT_EQ(known.size(), 2u);
  EXPECT_EQ(known[0].variable, d.require_variable("u"));
  EXPECT_EQ(known[1].variable, d.require_variable("x"));
  ASSERT_EQ(d.structure.outputs.size(), 1u);
  EXPECT_TRUE(d.structure.outputs[0].declared);
  EXPECT_EQ(d.structure.of(d.structure.outputs[0])[0].variable, d.require_variable("x"));
}

}  // namespace
}  // namespace consort::model::describe_model_test
