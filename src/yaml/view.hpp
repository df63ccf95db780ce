// Typed access to a tree. Errors for wrong kinds and unknown keys give the place and the expected kind or keys.
// Internal to yaml/.
#pragma once

#include <cstdint>
#include <functional>
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

// Takes errors of the reader; empty: the first one is thrown.
using Problems = std::function<void(const Error&)>;

// A file, as views refer to it.
struct Origin {
  std::string name;
  const Problems* problems = nullptr;  // null: errors are thrown
};

// A node and its file; both must outlive the view. `what` names the value in messages ("the step"). A view
// of a run setting has the name of its key ("iteration.reuse"), for the field `setting` of errors.
class View {
 public:
  View(const Node& node, const Origin& origin, std::string setting = {})
      : node_(&node), origin_(&origin), setting_(std::move(setting)) {}

  [[nodiscard]] const Node& node() const { return *node_; }
  [[nodiscard]] const Origin& origin() const { return *origin_; }
  [[nodiscard]] bool is(Node::Kind kind) const { return node_->kind == kind; }
  // "file:line:column", or the file alone for a node without a line.
  [[nodiscard]] std::string where() const {
    return node_->line == 0 ? origin_->name : fmt::format("{}:{}:{}", origin_->name, node_->line, node_->column);
  }

  // Runs `body`, which reads a part that others do not depend on. Returns false if an Error (input) was reported.
  template <class F>
  bool attempt(F&& body) const {
    try {
      body();
      return true;
    } catch (const Error& problem) {
      if (origin_->problems == nullptr || problem.fault() != Fault::input) throw;
      (*origin_->problems)(problem);
      return false;
    }
  }

  template <class... Args>
  [[nodiscard]] Error error(fmt::format_string<Args...> text, Args&&... args) const {
    return input_error("{}: {}", where(), fmt::format(text, std::forward<Args>(args)...)).of_setting(setting_);
  }

  // The following functions throw Error (input) if the node has another kind.
  [[nodiscard]] const std::string& text(std::string_view what) const;  // not empty
  [[nodiscard]] double number(std::string_view what) const;            // finite
  [[nodiscard]] double positive(std::string_view what) const;
  [[nodiscard]] std::int64_t integer(std::string_view what, std::int64_t least, std::int64_t most) const;
  [[nodiscard]] bool truth(std::string_view what) const;
  [[nodiscard]] double seconds(std::string_view what) const;  // 0.1, "100 ms", "2 min", "1 h"
  // Index of the node's text in `choices`.
  [[nodiscard]] std::size_t choice(std::string_view what, std::span<const std::string_view> choices) const;
  // The items of a list; empty for null.
  [[nodiscard]] std::vector<View> list(std::string_view what) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view what) const;  // a list, or one text
  // Keys and values of a mapping, in order; empty for null.
  [[nodiscard]] std::vector<std::pair<View, View>> entries(std::string_view what) const;

 private:
  [[nodiscard]] Error expected(std::string_view what, std::string_view kind) const;

  const Node* node_;
  const Origin* origin_;
  std::string setting_;  // empty: not a run setting
};

// A mapping with a fixed set of keys. Throws Error (input) with the nearest key for an unknown key.
class Fields {
 public:
  Fields(const View& view, const KeyTable& keys);

  [[nodiscard]] std::optional<View> find(std::string_view key) const;
  [[nodiscard]] View need(std::string_view key) const;  // throws Error (input) if it is missing
  [[nodiscard]] bool has(std::string_view key) const { return find(key).has_value(); }
  [[nodiscard]] const View& view() const { return view_; }

 private:
  // The name of a key in errors; empty if the keys are not run settings.
  [[nodiscard]] std::string setting(std::string_view key) const;

  View view_;
  const KeyTable& keys_;
};

// The value of a number in YAML or FMI notation; nullopt if the text is not a number.
[[nodiscard]] std::optional<double> read_number(std::string_view text);
// Splits numbers from the unit of measure after them: "3 cm" and "1 2 3 cm", but not "1 2 3" or "two words".
[[nodiscard]] std::optional<std::pair<std::string_view, std::string_view>> split_unit(std::string_view text);

}  // namespace consort::yaml
