#include "settings/table.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tests/error_text.hpp"

namespace consort::settings {
namespace {

using ::testing::HasSubstr;

// A valid value that is not the default.
Value another(const Row& row) {
  switch (row.kind) {
    case Kind::truth: return true;
    case Kind::integer: return static_cast<std::int64_t>(row.least) + 2;
    case Kind::number:
    case Kind::seconds: return std::max(row.least, 0.0) + 0.625;
    case Kind::choice: return std::string(row.choices.back());
    case Kind::texts: return std::vector<std::string>{"a", "b"};
    case Kind::text:
    case Kind::file:
    case Kind::approximation: return std::string("another");
  }
  return {};
}

TEST(Settings, KeepWhatTheyAreGivenAndNothingElse) {
  for (const auto& row : rows()) {
    RunSettings settings;
    EXPECT_FALSE(is_set(row, settings)) << path_of(row);
    assign(row, settings, another(row));
    EXPECT_EQ(value(row, settings), another(row)) << path_of(row);
    for (const auto& other : rows()) EXPECT_EQ(is_set(other, settings), &other == &row) << path_of(other);
    reset(row, settings);
    EXPECT_FALSE(is_set(row, settings)) << path_of(row);
  }
}

TEST(Settings, HaveNamesAndOptionsOfTheirOwn) {
  std::set<std::string> paths, options;
  for (const auto& row : rows()) {
    EXPECT_TRUE(paths.insert(path_of(row)).second) << path_of(row);
    if (!row.option.empty()) {
      EXPECT_TRUE(options.emplace(row.option).second) << row.option;
    }
    EXPECT_EQ(&find(path_of(row)), &row);
    EXPECT_FALSE(row.help.empty() || row.help.ends_with('.')) << path_of(row);
    EXPECT_FALSE(range_text(row).empty() || default_text(row).empty()) << path_of(row);
  }
}

TEST(Settings, AreSuggestedWhereANameIsMisspelt) {
  EXPECT_THAT(error_text([] { static_cast<void>(find("control.safty")); }), HasSubstr("control.safety"));
}

TEST(Settings, RefuseWhatIsOutOfRangeByTheirName) {
  const auto refusal = [](std::string_view path, const Value& value) {
    RunSettings settings;
    try {
      assign(find(path), settings, value);
    } catch (const Error& error) {
      EXPECT_EQ(error.setting(), path);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal("iteration.reuse", std::int64_t{-1}), "iteration.reuse must be 0 to 1000000, got -1");
  EXPECT_EQ(refusal("iteration.reuse", std::int64_t{0}), "");
  EXPECT_EQ(refusal("experiment.step", 0.0), "experiment.step must be > 0, got 0");
  EXPECT_EQ(refusal("experiment.start", -5.0), "");
  EXPECT_EQ(refusal("iteration.relaxation", 2.5), "iteration.relaxation must be > 0 and <= 2, got 2.5");
  EXPECT_EQ(refusal("control.rule", std::string("pid")), "control.rule must be elementary, pi, got 'pid'");
}

}  // namespace
}  // namespace consort::settings
