// The page quotes compiled code: every block must occur in the example, line by line.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/tests/places.hpp"
#include "base/text.hpp"

namespace consort::solve {
namespace {

std::vector<std::string> trimmed_lines(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.emplace_back(trim(line));
  return lines;
}

TEST(HowToSolveAProblem, QuotesTheExampleThatIsCompiled) {
  const std::filesystem::path root = places::source();
  const auto page = trimmed_lines(root / "docs/howto/solve_a_problem.md");
  const auto code = trimmed_lines(root / "examples/solve_a_problem/main.cpp");
  ASSERT_FALSE(page.empty());
  ASSERT_FALSE(code.empty());
  int blocks = 0;
  for (auto line = page.begin(); line != page.end(); ++line) {
    if (*line != "```cpp") continue;
    const auto end = std::find(line, page.end(), "```");
    ASSERT_NE(end, page.end());
    const auto found = std::search(code.begin(), code.end(), line + 1, end);
    EXPECT_NE(found, code.end()) << "block that begins with: " << *(line + 1);
    ++blocks;
    line = end;
  }
  EXPECT_EQ(blocks, 7);
}

}  // namespace
}  // namespace consort::solve
