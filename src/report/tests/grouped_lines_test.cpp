#include "report/grouped_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace consort::report {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(GroupedLines, PutTheSameAssumptionOnManyVariablesOnOneLine) {
  EXPECT_THAT(grouped({"'a.x' has no source", "tolerance 1e-4", "'a.y' has no source", "'b.z' has no source"}),
              ElementsAre("'a.x' has no source (and the same 2 times more: 'a.y', 'b.z')", "tolerance 1e-4"));
}

TEST(GroupedLines, KnowVariablesThatStandBeforeAColon) {
  EXPECT_THAT(grouped({"a.x → b.y: no conversion from 'W'", "c.x → d.y: no conversion from 'kW'"}),
              ElementsAre("a.x → b.y: no conversion from 'W' (and the same 1 times more: c.x → d.y)"));
}

TEST(GroupedLines, KeepDifferentLinesAndTheirOrder) {
  EXPECT_THAT(grouped({"step 1 s", "step 2 s", "it's so"}), ElementsAre("step 1 s", "step 2 s", "it's so"));
  EXPECT_THAT(grouped({}), IsEmpty());
}

TEST(GroupedLines, NameAFewOnly) {
  std::vector<std::string> lines;
  for (int i = 0; i < 40; ++i) lines.push_back("'x" + std::to_string(i) + "' keeps its start value");
  EXPECT_THAT(grouped(lines),
              ElementsAre("'x0' keeps its start value (and the same 39 times more: 'x1', 'x2', 'x3' and 36 more)"));
}

}  // namespace
}  // namespace consort::report
