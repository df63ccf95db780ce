#include "input/table.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "input/tests/allocations.hpp"

namespace consort::input {
namespace {

using describe::Causality;
using describe::Description;
using describe::Variability;
using testing::ElementsAre;
using testing::HasSubstr;

// A model with an input of every type, some variables that cannot be set, and arrays of one and two dimensions.
class Model {
 public:
  Model() {
    describe::TypeDefinition gear;
    gear.name = "Gear";
    gear.type = Type::Enumeration;
    gear.items = {{"park", "", -1}, {"drive", "", 5}};
    description.types.push_back(gear);
    add("u", Type::Float64, Variability::continuous);
    add("w", Type::Float64, Variability::continuous);
    add("level", Type::Float64, Variability::discrete);
    add("f32", Type::Float32, Variability::continuous);
    add("i8", Type::Int8, Variability::discrete);
    add("u64", Type::UInt64, Variability::discrete);
    add("on", Type::Boolean, Variability::discrete);
    add("text", Type::String, Variability::discrete);
    add("raw", Type::Binary, Variability::discrete);
    add("gear", Type::Enumeration, Variability::discrete).declared_type = 0;
    add("clock", Type::Clock, Variability::discrete);
    add("gain", Type::Float64, Variability::tunable).causality = Causality::parameter;
    add("mass", Type::Float64, Variability::fixed).causality = Causality::parameter;
    add("y", Type::Float64, Variability::continuous).causality = Causality::output;
    add("bus[1]", Type::Float64, Variability::continuous);  // FMI 2: a scalar with brackets in its name
    describe::Variable& n = add("n", Type::UInt64, Variability::fixed);
    n.causality = Causality::structural_parameter;
    n.start = 0;
    description.starts.push_back(Value::scalar<std::uint64_t>(3));
    description.dimensions = {{3, 0, false}, {2, 0, false}, {0, n.reference, true}};
    add("v", Type::Float64, Variability::continuous).dimensions = {0, 1};
    add("A", Type::Int32, Variability::discrete).dimensions = {1, 2};
    description.finish();
  }

  Description description;

 private:
  describe::Variable& add(const char* name, Type type, Variability variability) {
    describe::Variable v;
    v.name = description.arena().store(name);
    v.type = type;
    v.variability = variability;
    v.causality = Causality::input;
    v.reference = static_cast<ValueReference>(description.variables.size());
    return description.variables.emplace_back(v);
  }
};

class InputTableTest : public testing::Test {
 protected:
  InputTable parse(const std::string& text, const TableOptions& options = {}, Diagnostics* diagnostics = nullptr) {
    return InputTable::parse(text, "inputs.csv", model_.description, options, diagnostics);
  }
  void expect_refused(const std::string& text, const std::vector<std::string>& parts) {
    try {
      (void)parse(text);
      FAIL() << "accepted: " << text;
    } catch (const Error& e) {
      EXPECT_EQ(e.fault(), Fault::input);
      EXPECT_THAT(e.what(), HasSubstr("inputs.csv"));
      for (const std::string& part : parts) EXPECT_THAT(e.what(), HasSubstr(part));
    }
  }
  double u(const InputTable& table, Time t, Side side = Side::after) {
    table.at(t, side, cursor_, values_);
    return values_.column<double>().at(0);
  }
  double slope(const InputTable& table, Time t, Side side = Side::after) {
    std::vector<double> slopes;
    table.slopes(t, side, cursor_, slopes);
    return slopes.at(0);
  }
  static std::vector<Time> events(const InputTable& table) {
    std::vector<Time> all;
    Time t = -INFINITY;
    while (const auto next = table.next_event_after(t)) all.push_back(t = *next);
    return all;
  }

  Model model_;
  InputTable::Cursor cursor_;
  Columns values_;
};

// --- values over time

TEST_F(InputTableTest, MovesContinuousInputsLinearlyAndHoldsTheEnds) {
  const InputTable table = parse("\"time\",\"u\"\n1,10\n2,20\n4,0\n");
  EXPECT_EQ(u(table, -5), 10);
  EXPECT_EQ(u(table, 1), 10);
  EXPECT_EQ(u(table, 1.5), 15);
  EXPECT_EQ(u(table, 2, Side::before), 20);
  EXPECT_EQ(u(table, 2, Side::after), 20);
  EXPECT_EQ(u(table, 3), 10);
  EXPECT_EQ(u(table, 4), 0);
  EXPECT_EQ(u(table, 400), 0);
  EXPECT_TRUE(events(table).empty());
}

TEST_F(InputTableTest, GivesBothLimitsAtARepeatedTime) {
  const InputTable table = parse("time,u\n0,0\n2,4\n2,99\n2,1\n3,2\n");
  EXPECT_EQ(u(table, 2, Side::before), 4);
  EXPECT_EQ(u(table, 2, Side::after), 1);
  EXPECT_EQ(u(table, 1), 2);
  EXPECT_EQ(u(table, 2.5), 1.5);
  EXPECT_THAT(events(table), ElementsAre(2));
}

TEST_F(InputTableTest, GivesBothLimitsOfAJumpAtTheFirstAndLastRow) {
  const InputTable table = parse("time,u,level\n0,1,1\n0,2,2\n1,3,2\n1,4,4\n");
  EXPECT_EQ(u(table, 0, Side::before), 1);
  EXPECT_EQ(u(table, 0, Side::after), 2);
  EXPECT_EQ(u(table, 1, Side::before), 3);
  EXPECT_EQ(u(table, 1, Side::after), 4);
  EXPECT_EQ(u(table, 2, Side::before), 4);
  table.at(0, Side::before, cursor_, values_);
  EXPECT_EQ(values_.column<double>()[1], 1);
  table.at(1, Side::before, cursor_, values_);
  EXPECT_EQ(values_.column<double>()[1], 2);
}

TEST_F(InputTableTest, HoldsDiscreteAndTunableFloats) {
  const InputTable table = parse("time,level,gain\n0,1,10\n1,2,10\n2,2,30\n");
  table.at(0.999, Side::after, cursor_, values_);
  EXPECT_THAT(values_.column<double>(), ElementsAre(1, 10));
  table.at(1, Side::before, cursor_, values_);
  EXPECT_THAT(values_.column<double>(), ElementsAre(1, 10));
  table.at(1, Side::after, cursor_, values_);
  EXPECT_THAT(values_.column<double>(), ElementsAre(2, 10));
  table.at(7, Side::after, cursor_, values_);
  EXPECT_THAT(values_.column<double>(), ElementsAre(2, 30));
  EXPECT_THAT(events(table), ElementsAre(1, 2));
}

TEST_F(InputTableTest, ReadsEveryType) {
  const InputTable table = parse(
      "time,f32,i8,u64,on,text,raw,gear\n"
      "0,0.5,-128,18446744073709551615,true,\"a,\"\"b\"\"\",00fF,drive\n"
      "1,1.5,1.270E+02,0,0,,,-1\n");
  table.at(0.5, Side::after, cursor_, values_);
  EXPECT_THAT(values_.column<float>(), ElementsAre(1.0F));
  EXPECT_THAT(values_.column<std::int8_t>(), ElementsAre(-128));
  EXPECT_THAT(values_.column<std::uint64_t>(), ElementsAre(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_TRUE(values_.column<Bool>().at(0));
  EXPECT_THAT(values_.column<std::string>(), ElementsAre("a,\"b\""));
  EXPECT_THAT(values_.column<Binary>().at(0), ElementsAre(0x00, 0xff));
  EXPECT_EQ(values_.column<EnumValue>().at(0).value, 5);
  table.at(1, Side::after, cursor_, values_);
  EXPECT_THAT(values_.column<std::int8_t>(), ElementsAre(127));
  EXPECT_FALSE(values_.column<Bool>().at(0));
  EXPECT_THAT(values_.column<std::string>(), ElementsAre(""));
  EXPECT_TRUE(values_.column<Binary>().at(0).empty());
  EXPECT_EQ(values_.column<EnumValue>().at(0).value, -1);
  EXPECT_THAT(events(table), ElementsAre(1));
}

TEST_F(InputTableTest, TicksClocksAtTheirRowsOnly) {
  const InputTable table = parse("time,clock\n0,1\n1,0\n2,1\n2,0\n3,1\n");
  const auto ticks = [&](Time t, Side side) {
    table.at(t, side, cursor_, values_);
    return static_cast<bool>(values_.column<Tick>().at(0));
  };
  EXPECT_TRUE(ticks(0, Side::after));
  EXPECT_FALSE(ticks(0, Side::before));
  EXPECT_FALSE(ticks(0.5, Side::after));
  EXPECT_FALSE(ticks(1, Side::after));
  EXPECT_TRUE(ticks(2, Side::after));
  EXPECT_FALSE(ticks(2.5, Side::after));
  EXPECT_TRUE(ticks(3, Side::after));
  EXPECT_FALSE(ticks(3.5, Side::after));
  EXPECT_FALSE(ticks(-1, Side::after));
  EXPECT_THAT(events(table), ElementsAre(0, 2, 3));
}

TEST_F(InputTableTest, GivesSlopesFromBothSides) {
  const InputTable table = parse("time,u,level\n0,0,0\n1,2,0\n1,5,1\n3,4,9\n");
  EXPECT_EQ(slope(table, -1), 0);
  EXPECT_EQ(slope(table, 0, Side::before), 0);
  EXPECT_EQ(slope(table, 0, Side::after), 2);
  EXPECT_EQ(slope(table, 0.5), 2);
  EXPECT_EQ(slope(table, 1, Side::before), 2);
  EXPECT_EQ(slope(table, 1, Side::after), -0.5);
  EXPECT_EQ(slope(table, 3, Side::before), -0.5);
  EXPECT_EQ(slope(table, 3, Side::after), 0);
  std::vector<double> slopes;
  table.slopes(2, Side::after, cursor_, slopes);
  EXPECT_THAT(slopes, ElementsAre(-0.5, 0)) << "discrete values have no slope";
}

TEST_F(InputTableTest, FindsTheSameValuesInAnyOrderOfTimes) {
  std::string text = "time,u,level\n";
  std::mt19937 random(4);
  std::uniform_int_distribution<int> digit(0, 9);
  std::vector<std::array<double, 3>> rows;
  double t = 0;
  for (int i = 0; i < 200; ++i) {
    if (digit(random) > 2) t += 0.25 * digit(random);
    rows.push_back({t, double(digit(random)), double(digit(random))});
    text += fmt::format("{},{},{}\n", rows.back()[0], rows.back()[1], rows.back()[2]);
  }
  const InputTable table = parse(text);
  std::uniform_real_distribution<double> anywhere(-1, t + 1);
  for (int i = 0; i < 5000; ++i) {
    const double s = i % 2 == 0 ? anywhere(random) : rows[static_cast<std::size_t>(i) % rows.size()][0];
    // After: the last row with a time <= s, and the line to the next row.
    std::size_t k = 0;
    while (k + 1 < rows.size() && rows[k + 1][0] <= s) ++k;
    double expected = rows[k][1];
    if (s > rows[0][0] && k + 1 < rows.size()) {
      expected += (s - rows[k][0]) / (rows[k + 1][0] - rows[k][0]) * (rows[k + 1][1] - rows[k][1]);
    }
    if (s < rows[0][0]) expected = rows[0][1];
    table.at(s, Side::after, cursor_, values_);
    ASSERT_NEAR(values_.column<double>()[0], expected, 1e-12) << s;
    ASSERT_EQ(values_.column<double>()[1], s < rows[0][0] ? rows[0][2] : rows[k][2]) << s;
    // Before: the limit from the left, approximated by a point just before s.
    const double close = s - 1e-9;
    Columns left;
    table.at(s, Side::before, cursor_, values_);
    table.at(close, Side::after, cursor_, left);
    ASSERT_NEAR(values_.column<double>()[0], left.column<double>()[0], 1e-6) << s;
    ASSERT_EQ(values_.column<double>()[1], left.column<double>()[1]) << s;
  }
}

TEST_F(InputTableTest, AllocatesNothingAfterTheFirstLook) {
  std::string text = "time,u,level,text\n";
  for (int i = 0; i < 1000; ++i)
    text += fmt::format("{},{},{},a text that is not short at all\n", i / 2, i % 7, i / 100);
  const InputTable table = parse(text);
  std::vector<double> slopes;
  table.at(0, Side::after, cursor_, values_);
  table.slopes(0, Side::after, cursor_, slopes);
  const std::size_t before = allocations();
  for (int i = 0; i < 5000; ++i) {
    const Time t = 0.1 * i;
    for (const Side side : {Side::before, Side::after}) {
      table.at(t, side, cursor_, values_);
      table.slopes(t, side, cursor_, slopes);
    }
    (void)table.next_event_after(t);
  }
  EXPECT_EQ(allocations(), before);
}

TEST_F(InputTableTest, MayBeEmptyWithoutAnyColumn) {
  const InputTable none;
  none.at(1, Side::after, cursor_, values_);
  EXPECT_FALSE(none.next_event_after(0));
  EXPECT_TRUE(none.variables().empty());
  const InputTable only_time = parse("time\n0\n1\n1\n");
  only_time.at(1, Side::after, cursor_, values_);
  EXPECT_THAT(events(only_time), ElementsAre(1));
}

// --- which columns are accepted

TEST_F(InputTableTest, OrdersVariablesByDeclarationWhateverTheFileDoes) {
  const InputTable table = parse("time,w,level,u\n0,2,3,1\n");
  EXPECT_THAT(table.variables(), ElementsAre(0, 1, 2));
  table.at(0, Side::after, cursor_, values_);
  EXPECT_THAT(values_.column<double>(), ElementsAre(1, 2, 3));
}

TEST_F(InputTableTest, AddressesElementsOfArraysInRowMajorOrder) {
  const InputTable table = parse(
      "time,\"v[3]\",\"A[2,3]\",\"A[1,1]\",\"v[1]\",\"A[1, 2]\",\"A[1,3]\",\"A[2,1]\",\"A[2,2]\",\"v[2]\",\"bus[1]\"\n"
      "0,30,23,11,10,12,13,21,22,20,7\n");
  table.at(0, Side::after, cursor_, values_);
  EXPECT_THAT(values_.column<double>(), ElementsAre(7, 10, 20, 30));
  EXPECT_THAT(values_.column<std::int32_t>(), ElementsAre(11, 12, 13, 21, 22, 23));
  EXPECT_EQ(table.variables().size(), 3U);
}

TEST_F(InputTableTest, RefusesArraysThatAreNotComplete) {
  expect_refused("time,v[1],v[2]\n0,1,2\n", {"'v'", "3 elements", "2 of them"});
  expect_refused("time,v\n0,1\n", {"'v'", "array of 3", "v[1]"});
  expect_refused("time,v[1],v[2],v[4]\n0,1,2,3\n", {"v[4]", "between 1 and 3"});
  expect_refused("time,v[0],v[1],v[2]\n0,1,2,3\n", {"v[0]"});
  expect_refused("time,v[x]\n0,1\n", {"v[x]"});
  expect_refused("time,v[]\n0,1\n", {"v[]"});
  expect_refused("time,\"v[99999999999999999999999]\"\n0,1\n", {"v[9999"});
  expect_refused("time,\"v[1,1]\"\n0,1\n", {"2 indices", "1 dimensions"});
}

TEST_F(InputTableTest, SuggestsTheNearestNamesForAnUnknownColumn) {
  expect_refused("time,levle\n0,1\n", {"'levle'", "'level'"});
  expect_refused("time,\"u[1]\"\n0,1\n", {"'u[1]'"});
  expect_refused("time,\"]\"\n0,1\n", {"']'"});
}

TEST_F(InputTableTest, RefusesVariablesThatCannotBeSetWhileTheModelRuns) {
  expect_refused("time,mass\n0,1\n", {"'mass'", "parameter", "fixed"});
  expect_refused("time,y\n0,1\n", {"'y'", "output", "continuous"});
}

TEST_F(InputTableTest, LeavesUnsettableColumnsOutWhenAllowed) {
  Diagnostics diagnostics;
  const InputTable table = parse("time,y,u,mass\n0,oops,2,\n", {.allow_unsettable = true}, &diagnostics);
  EXPECT_EQ(table.variables().size(), 1U);
  EXPECT_EQ(u(table, 0), 2);
  ASSERT_EQ(diagnostics.all().size(), 2U);
  EXPECT_THAT(diagnostics.all()[0].message, HasSubstr("'y'"));
  EXPECT_NO_THROW((void)parse("time,y\n0,1\n", {.allow_unsettable = true})) << "without diagnostics too";
}

TEST_F(InputTableTest, RefusesTwoColumnsForOneVariable) {
  expect_refused("time,u,w,u\n0,1,2,3\n", {"columns 2", "4", "'u'"});
}

TEST_F(InputTableTest, RefusesATableThatForgotTheTime) { expect_refused("u,w\n0,1\n", {"'u'", "first column"}); }

// --- which cells are accepted

TEST_F(InputTableTest, NamesLineAndColumnOfACellThatIsNoValue) {
  expect_refused("time,u\n0,1\n1,x\n", {"3", "u", "x"});
  expect_refused("time,u\n0,\n", {"2", "u"});
  expect_refused("time,i8\n0,128\n", {"128", "Int8"});
  expect_refused("time,i8\n0,1.5\n", {"1.5"});
  expect_refused("time,i8\n0,NaN\n", {"NaN"});
  expect_refused("time,u64\n0,-1\n", {"-1"});
  expect_refused("time,u64\n0,18446744073709551616\n", {"18446744073709551616"});
  expect_refused("time,on\n0,2\n", {"0, 1, true or false"});
  expect_refused("time,on\n0,maybe\n", {"maybe"});
  expect_refused("time,raw\n0,abc\n", {"abc"});
  expect_refused("time,gear\n0,drvie\n", {"'drvie'", "park, drive"});
  expect_refused("time,clock\n0,3\n", {"0, 1"});
}

TEST_F(InputTableTest, RefusesTimesThatDecreaseOrAreNoNumbers) {
  expect_refused("time,u\n0,0\n2,0\n1,0\n", {"4", "goes back from 2 to 1"});
  expect_refused("time,u\nNaN,0\n", {"finite"});
  expect_refused("time,u\ninf,0\n", {"finite"});
  expect_refused("time,u\n", {"no rows"});
}

TEST_F(InputTableTest, ReadsFilesAndSaysWhichOneIsMissing) {
  const auto file = std::filesystem::path(places::scratch()) / "input_table.csv";
  std::ofstream(file) << "\"time\",\"u\"\r\n0,1\r\n1,3\r\n";
  const InputTable table = InputTable::read(file, model_.description);
  EXPECT_EQ(u(table, 0.5), 2);
  try {
    (void)InputTable::read("no_such_table.csv", model_.description);
    FAIL() << "a missing file was read";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("no_such_table.csv"));
  }
}

}  // namespace
}  // namespace consort::input
