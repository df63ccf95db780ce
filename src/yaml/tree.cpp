#include "yaml/tree.hpp"

#include <algorithm>
#include <istream>
#include <map>
#include <streambuf>
#include <unordered_map>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "base/error.hpp"
#include "base/text.hpp"

namespace consort::yaml {

namespace {

// Reads from memory without a copy.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* const begin = const_cast<char*>(text.data());  // NOLINT: streambuf wants char*, and is never written to
    setg(begin, begin, begin + text.size());
  }
};

class Builder : public YAML::EventHandler {
 public:
  Builder(const std::string& name, Budget& budget) : name_(name), budget_(budget) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(make(Node::Kind::null, mark), anchor); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      throw error(mark, "this alias refers to a node that contains the alias; write the contents out");
    take(found->second.nodes, mark);
    add(Node(found->second.node), YAML::NullAnchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node node = make(Node::Kind::scalar, mark);
    node.quoted = tag != "?" && tag != "";
    node.text = value;
    add(std::move(node), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::list, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::mapping, mark, anchor);
  }
  void OnMapEnd() override {
    finish_mapping(open_.back().node);
    close();
  }

  [[nodiscard]] Node take_root() { return std::move(root_); }

 private:
  struct Open {
    Node node;
    YAML::anchor_t anchor = YAML::NullAnchor;
    std::size_t nodes_before = 0;
  };
  struct Anchored {
    Node node;
    std::size_t nodes = 0;
  };

  [[nodiscard]] Error error(std::size_t line, std::size_t column, std::string_view why) const {
    return input_error("{}:{}:{}: {}", name_, line, column, why);
  }
  [[nodiscard]] Error error(const YAML::Mark& mark, std::string_view why) const {
    return error(static_cast<std::size_t>(std::max(mark.line, 0)) + 1,
                 static_cast<std::size_t>(std::max(mark.column, 0)) + 1, why);
  }

  void take(std::size_t nodes, const YAML::Mark& mark) {
    if (nodes > budget_.nodes) {
      throw error(mark,
                  "the system has more values than allowed (aliases and files count each time they are used); "
                  "split it, or check the aliases");
    }
    budget_.nodes -= nodes;
    used_ += nodes;
  }

  Node make(Node::Kind kind, const YAML::Mark& mark) {
    take(1, mark);
    Node node;
    node.kind = kind;
    node.line = static_cast<std::uint32_t>(std::max(mark.line, 0)) + 1;
    node.column = static_cast<std::uint32_t>(std::max(mark.column, 0)) + 1;
    return node;
  }

  void open(Node::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (open_.size() >= most_levels) {
      throw error(mark, fmt::format("more than {} levels of lists and mappings; use fewer levels", most_levels));
    }
    const std::size_t before = used_;
    open_.push_back({make(kind, mark), anchor, before});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    const std::size_t nodes = used_ - done.nodes_before;
    remember(done.anchor, done.node, nodes);
    place(std::move(done.node));
  }

  void add(Node node, YAML::anchor_t anchor) {
    remember(anchor, node, 1);
    place(std::move(node));
  }

  void remember(YAML::anchor_t anchor, const Node& node, std::size_t nodes) {
    if (anchor == YAML::NullAnchor) return;
    // The stored copy also counts against the budget.
    take(nodes, YAML::Mark::null_mark());
    anchors_[anchor] = {node, nodes};
  }

  void place(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
    } else {
      open_.back().node.items.push_back(std::move(node));
    }
  }

  // Checks that keys are unique scalars, and adds entries merged by `<<` whose keys the mapping does not have.
  void finish_mapping(Node& mapping) {
    std::vector<Node> merged;
    std::unordered_map<std::string_view, const Node*> seen;
    auto& items = mapping.items;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
      const Node& key = items[i];
      if (key.kind != Node::Kind::scalar)
        throw error(key.line, key.column, "a key must be a text, not a list or a map");
      const auto [other, is_new] = seen.emplace(key.text, &key);
      if (!is_new) {
        throw error(
            key.line, key.column,
            fmt::format("{} is given twice, first in line {}; remove one", quote(key.text), other->second->line));
      }
      if (key.text == "<<" && !key.quoted) merged.push_back(std::move(items[i + 1]));
    }
    if (merged.empty()) return;
    std::vector<Node> own;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
      if (items[i].text == "<<" && !items[i].quoted) continue;
      own.push_back(std::move(items[i]));
      own.push_back(std::move(items[i + 1]));
    }
    items = std::move(own);
    merge(mapping, merged.front());
  }

  void merge(Node& mapping, Node& from) {
    if (from.kind == Node::Kind::list) {
      for (auto& one : from.items) merge(mapping, one);
      return;
    }
    if (from.kind != Node::Kind::mapping) {
      throw error(from.line, from.column, "'<<' needs a mapping, or a list of mappings");
    }
    std::unordered_map<std::string, bool> has;
    for (std::size_t i = 0; i < mapping.items.size(); i += 2) has.emplace(mapping.items[i].text, true);
    for (std::size_t i = 0; i + 1 < from.items.size(); i += 2) {
      if (has.contains(from.items[i].text)) continue;
      mapping.items.push_back(std::move(from.items[i]));
      mapping.items.push_back(std::move(from.items[i + 1]));
    }
  }

  const std::string& name_;
  Budget& budget_;
  std::size_t used_ = 0;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  Node root_;
};

// Rejects text that yaml-cpp would misread without an error: other encodings, and U+0004, which it takes for the end.
void require_text(std::string_view text, const std::string& name) {
  std::size_t line = 1;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '\n') {
      ++line;
      begin = i + 1;
    }
    const bool control = (c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7F;
    require(!control, "{}:{}:{}: a control character (code {}) is not allowed in YAML; remove it", name, line,
            i - begin + 1, static_cast<int>(c));
  }
  require(is_utf8(text), "{}: the file is not UTF-8; save it in that encoding", name);
}

// The usual causes of an error in this line, or in the line before, where the parser did not notice them.
std::string what_to_write(const std::vector<std::string_view>& lines, std::size_t line) {
  for (const std::size_t back : {0U, 1U}) {
    if (line < back || line - back >= lines.size()) continue;
    const auto text = trim(lines[line - back]);
    const auto blank = lines[line - back].substr(0, lines[line - back].find_first_not_of(" \t"));
    if (blank.find('\t') != std::string_view::npos)
      return fmt::format("line {} is indented with a tab; use blanks instead", line - back + 1);
    const auto colon = text.find(':');
    const bool is_glued = colon != std::string_view::npos && colon + 1 < text.size() && text[colon + 1] != ' ' &&
                          text.substr(0, colon).find_first_of(" \"'#") == std::string_view::npos;
    if (is_glued && colon > 0)
      return fmt::format("write a blank after the colon in line {}: '{}: {}'", line - back + 1, text.substr(0, colon),
                         text.substr(colon + 1));
  }
  return "correct the line, and put names with special characters in quotes";
}

}  // namespace

Node parse(std::string_view text, const std::string& name, Budget& budget) {
  require(text.size() <= budget.bytes,
          "{}: the files of a system are larger than allowed ({} bytes here); split the system", name, text.size());
  budget.bytes -= text.size();
  require_text(text, name);
  ViewBuffer buffer(text);
  std::istream stream(&buffer);
  Builder builder(name, budget);
  try {
    YAML::Parser parser(stream);
    require(parser.HandleNextDocument(builder), "{}: the file is empty; docs/systems.md shows what a system looks like",
            name);
    Node root = builder.take_root();
    Builder second(name, budget);
    require(!parser.HandleNextDocument(second), "{}: the file has more than one document; keep one system per file",
            name);
    return root;
  } catch (const YAML::Exception& e) {
    const int line = std::max(e.mark.line, 0);
    throw input_error("{}:{}:{}: this is not valid YAML ({}); {}", name, line + 1, std::max(e.mark.column, 0) + 1,
                      e.msg, what_to_write(split(text, '\n'), static_cast<std::size_t>(line)));
  }
}

}  // namespace consort::yaml
