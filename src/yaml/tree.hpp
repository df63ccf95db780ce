// A YAML document as a tree with line and column of every node. Memory and recursion are bounded: a document that
// exceeds the limits gives an Error (input).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace consort::yaml {

struct Node {
  enum class Kind : std::uint8_t { null, scalar, list, mapping };
  Kind kind = Kind::null;
  bool quoted = false;        // a scalar in quotes is always a text
  std::uint32_t line = 0;     // from 1
  std::uint32_t column = 0;   // from 1
  std::string text{};         // of a scalar
  std::vector<Node> items{};  // of a list; of a mapping: keys (unique scalars) at even and values at odd positions
};

// Remaining limits of one read operation, for all its files together.
struct Budget {
  std::size_t bytes = std::size_t{64} << 20U;
  std::size_t nodes = 2'000'000;  // an alias counts each time it is used
};
inline constexpr std::size_t most_levels = 64;  // of nested lists and mappings

// Parses one document. Resolves anchors, aliases and the merge key `<<`; ignores tags. Subtracts its use from `budget`.
// Throws Error (input) that begins with "name:line:column: ".
[[nodiscard]] Node parse(std::string_view text, const std::string& name, Budget& budget);

}  // namespace consort::yaml
