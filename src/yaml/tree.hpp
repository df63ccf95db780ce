// A YAML document as a tree with the places where things were written. Bounded: documents from anywhere end in an Error
// (input), never in unbounded memory or recursion.
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
  bool quoted = false;        // a scalar in quotes is a text, whatever it looks like
  std::uint32_t line = 0;     // from 1
  std::uint32_t column = 0;   // from 1
  std::string text{};         // of a scalar
  std::vector<Node> items{};  // of a list; of a mapping keys at even and values at odd places, keys unique scalars
};

// What is left of what one read may take, all its files together.
struct Budget {
  std::size_t bytes = std::size_t{64} << 20U;
  std::size_t nodes = 2'000'000;  // aliases count as often as they are used
};
inline constexpr std::size_t most_levels = 64;  // of lists and mappings inside of each other

// One document. Anchors, aliases and the merge key `<<` are resolved; tags are ignored. Takes what it uses off
// `budget`. Throws Error (input) that begins with "name:line:column: ".
[[nodiscard]] Node parse(std::string_view text, const std::string& name, Budget& budget);

}  // namespace consort::yaml
