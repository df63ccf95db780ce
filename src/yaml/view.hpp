// Typed access to a tree: wrong kinds and unknown keys are errors with the place and what is expected. Internal to
// yaml/.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "yaml/keys.hpp"
#include "yaml/tree.hpp"

namespace consort::yaml {

// A node and the file that it is in; both must outlive it. `what` names it for messages ("the step"). The value of a
// setting knows its key ("iteration.reuse"), for the field of its errors.
class View {
 public:
  View(const Node& node, const std::string& file, std::string setting = {})
      : node_(&node), file_(&file), setting_(std::move(setting)) {}

  [[nodiscard]] const Node& node() const { return *node_; }
  [[nodiscard]] const std::string& file() const { return *file_; }
  [[nodiscard]] bool is(Node::Kind kind) const { return node_->kind == kind; }
  // "file:line:column", or the file alone for a node without a line.
  [[nodiscard]] std::string where() const {
    return node_->line == 0 ? *file_ : fmt::format("{}:{}:{}", *file_, node_->line, node_->column);
  }

  template <class... Args>
  [[nodiscard]] Error error(fmt::format_string<Args...> text, Args&&... args) const {
    return input_error("{}: {}", where(), fmt::format(text, std::forward<Args>(args)...)).of_setting(setting_);
  }

  // All throw Error (input) when the node is something else.
  [[nodiscard]] const std::string& text(std::string_view what) const;  // not empty
  [[nodiscard]] double number(std::string_view what) const;            // finite
  [[nodiscard]] double positive(std::string_view what) const;
  [[nodiscard]] std::int64_t integer(std::string_view what, std::int64_t least, std::int64_t most) const;
  [[nodiscard]] bool truth(std::string_view what) const;
  [[nodiscard]] double seconds(std::string_view what) const;  // 0.1, "100 ms", "2 min", "1 h"
  // The index of the choice.
  [[nodiscard]] std::size_t choice(std::string_view what, std::span<const std::string_view> choices) const;
  // One of a list, or each of several; a null is none.
  [[nodiscard]] std::vector<View> list(std::string_view what) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view what) const;  // a list, or one text
  // Of a mapping, in order; a null is none.
  [[nodiscard]] std::vector<std::pair<View, View>> entries(std::string_view what) const;

 private:
  [[nodiscard]] Error expected(std::string_view what, std::string_view kind) const;

  const Node* node_;
  const std::string* file_;
  std::string setting_;  // empty: it is none
};

// A mapping whose keys are known. Throws Error (input) for a key that is not, with the nearest.
class Fields {
 public:
  Fields(const View& view, const KeyTable& keys);

  [[nodiscard]] std::optional<View> find(std::string_view key) const;
  [[nodiscard]] View need(std::string_view key) const;  // throws Error (input) when it is missing
  [[nodiscard]] bool has(std::string_view key) const { return find(key).has_value(); }
  [[nodiscard]] const View& view() const { return view_; }

 private:
  // The name of a key in errors; empty where keys are no settings.
  [[nodiscard]] std::string setting(std::string_view key) const;

  View view_;
  const KeyTable& keys_;
};

// Whether the text is a number as YAML or FMI write them, and its value.
[[nodiscard]] std::optional<double> read_number(std::string_view text);
// Numbers with a unit of measure behind them, and that unit: "3 cm" and "1 2 3 cm", but not "1 2 3" or "two words".
[[nodiscard]] std::optional<std::pair<std::string_view, std::string_view>> split_unit(std::string_view text);

}  // namespace consort::yaml
