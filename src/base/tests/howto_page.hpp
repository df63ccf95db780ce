// Pages whose code is compiled: each C++ block of a page stands, line by line, in one of the page's source files.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/tests/places.hpp"
#include "base/text.hpp"

namespace consort::howto_page {

// Without the indentation, because a page shows parts of functions and tables at the margin.
inline std::vector<std::string> trimmed_lines(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.emplace_back(trim(line));
  return lines;
}

// Paths are relative to the repository. `blocks`: the number of C++ blocks on the page.
inline void expect_compiled(const std::string& page, const std::vector<std::string>& sources, int blocks) {
  const std::filesystem::path root = places::source();
  const auto text = trimmed_lines(root / page);
  ASSERT_FALSE(text.empty()) << page;
  std::vector<std::vector<std::string>> code;
  for (const auto& source : sources) {
    code.push_back(trimmed_lines(root / source));
    ASSERT_FALSE(code.back().empty()) << source;
  }
  int found = 0;
  for (auto line = text.begin(); line != text.end(); ++line) {
    if (*line != "```cpp") continue;
    const auto end = std::find(line, text.end(), "```");
    ASSERT_NE(end, text.end()) << page;
    EXPECT_TRUE(std::any_of(
        code.begin(), code.end(),
        [&](const auto& lines) { return std::search(lines.begin(), lines.end(), line + 1, end) != lines.end(); }))
        << page << ": no source file contains the block that begins with: " << *(line + 1);
    ++found;
    line = end;
  }
  EXPECT_EQ(found, blocks) << page;
}

}  // namespace consort::howto_page
