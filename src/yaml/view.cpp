#include "yaml/view.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.hpp"
#include "graph/known_measures.hpp"

namespace consort::yaml {

namespace {

std::string_view kind_text(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null: return "nothing";
    case Node::Kind::list: return "a list";
    case Node::Kind::mapping: return "a mapping (key: value)";
    case Node::Kind::scalar: break;
  }
  return "a single value";
}

// "a:1" is one text in YAML, and "a: 1" a key and a value.
std::string blank_is_missing(const Node& node) {
  const auto colon = node.text.find(':');
  if (node.quoted || colon == 0 || colon == std::string::npos || colon + 1 == node.text.size()) return {};
  return fmt::format("; write a blank after the colon: '{}: {}'", node.text.substr(0, colon),
                     node.text.substr(colon + 1));
}

std::optional<double> seconds_of(std::string_view unit) {
  const auto measure = graph::known_measure(unit);
  constexpr std::array<std::int8_t, 8> time{0, 0, 1};
  return measure && measure->exponents == time ? std::optional(measure->factor) : std::nullopt;
}

}  // namespace

std::optional<double> read_number(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const bool minus = !text.empty() && text.front() == '-';
  const std::string_view rest = minus ? text.substr(1) : text;
  if (rest.empty() || rest.front() == '-' || rest.front() == '+') return std::nullopt;
  const double sign = minus ? -1 : 1;
  if (iequals(rest, ".inf") || iequals(rest, "inf")) return sign * std::numeric_limits<double>::infinity();
  if (!minus && (iequals(rest, ".nan") || iequals(rest, "nan"))) return std::numeric_limits<double>::quiet_NaN();
  const bool digit = rest.front() >= '0' && rest.front() <= '9';
  if (!digit && rest.front() != '.') return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error != std::errc()) return std::nullopt;
  return value;
}

std::optional<std::pair<std::string_view, std::string_view>> split_unit(std::string_view text) {
  const auto parts = split_white(text);
  if (parts.size() < 2 || graph::split_measure(parts.back()) || read_number(parts.back())) return std::nullopt;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i)
    if (!read_number(parts[i])) return std::nullopt;
  const auto unit = parts.back();
  const auto numbers = text.substr(0, static_cast<std::size_t>(unit.data() - text.data()));
  return std::pair{trim(numbers), unit};
}

Error View::expected(std::string_view what, std::string_view kind) const {
  if (is(Node::Kind::scalar))
    return error("{} must be {}, not {}{}", what, kind, quote(node_->text), blank_is_missing(*node_));
  return error("{} must be {}, not {}", what, kind, kind_text(*node_));
}

const std::string& View::text(std::string_view what) const {
  if (!is(Node::Kind::scalar)) throw expected(what, "a text");
  if (trim(node_->text).empty()) throw error("{} must not be empty", what);
  return node_->text;
}

double View::number(std::string_view what) const {
  const auto value = is(Node::Kind::scalar) && !node_->quoted ? read_number(node_->text) : std::nullopt;
  if (!value || !std::isfinite(*value)) throw expected(what, "a number");
  return *value;
}

double View::positive(std::string_view what) const {
  const double value = number(what);
  if (!(value > 0)) throw error("{} must be greater than 0, not {}", what, value);
  return value;
}

std::int64_t View::integer(std::string_view what, std::int64_t least, std::int64_t most) const {
  const bool is_limited = least != std::numeric_limits<std::int64_t>::min();
  const std::string kind = is_limited ? fmt::format("a whole number from {} to {}", least, most) : "a whole number";
  if (!is(Node::Kind::scalar) || node_->quoted) throw expected(what, kind);
  std::int64_t value = 0;
  const char* const end = node_->text.data() + node_->text.size();
  const auto read = std::from_chars(node_->text.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end || value < least || value > most) throw expected(what, kind);
  return value;
}

bool View::truth(std::string_view what) const {
  const bool plain = is(Node::Kind::scalar) && !node_->quoted;
  if (plain && iequals(node_->text, "true")) return true;
  if (plain && iequals(node_->text, "false")) return false;
  throw expected(what, "true or false");
}

double View::seconds(std::string_view what) const {
  if (is(Node::Kind::scalar)) {
    const auto parts = split_white(node_->text);
    const auto value = parts.empty() ? std::nullopt : read_number(parts.front());
    if (value && std::isfinite(*value) && parts.size() == 1 && !node_->quoted) return *value;
    // A number with a unit may be in quotes, as all texts of JSON are.
    if (value && std::isfinite(*value) && parts.size() == 2)
      if (const auto unit = seconds_of(parts[1])) return *value * *unit;
    if (const auto glued = graph::split_measure(node_->text)) {
      const auto number = read_number(glued->first);
      const auto unit = seconds_of(glued->second);
      if (number && unit) return *number * *unit;
    }
  }
  throw expected(what, "a time in seconds, or a number and s, ms, us, ns, min, h or d");
}

std::size_t View::choice(std::string_view what, std::span<const std::string_view> choices) const {
  const std::string& given = text(what);
  const auto found = std::find(choices.begin(), choices.end(), given);
  if (found == choices.end())
    throw error("{} must be one of {}, got {}{}", what, fmt::join(choices, ", "), quote(given),
                suggestion(given, choices));
  return static_cast<std::size_t>(found - choices.begin());
}

std::vector<View> View::list(std::string_view what) const {
  if (!is(Node::Kind::list) && !is(Node::Kind::null)) throw expected(what, "a list");
  std::vector<View> views;
  views.reserve(node_->items.size());
  for (const auto& item : node_->items) views.emplace_back(item, *origin_, setting_);
  return views;
}

std::vector<std::string> View::texts(std::string_view what) const {
  if (is(Node::Kind::scalar)) return {text(what)};
  std::vector<std::string> all;
  for (const auto& view : list(what)) all.push_back(view.text(what));
  return all;
}

std::vector<std::pair<View, View>> View::entries(std::string_view what) const {
  if (!is(Node::Kind::mapping) && !is(Node::Kind::null)) throw expected(what, "a mapping (key: value)");
  std::vector<std::pair<View, View>> all;
  all.reserve(node_->items.size() / 2);
  for (std::size_t i = 0; i + 1 < node_->items.size(); i += 2)
    all.emplace_back(View(node_->items[i], *origin_), View(node_->items[i + 1], *origin_));
  for (const auto& [key, value] : all)
    if (const auto hint = blank_is_missing(key.node()); value.is(Node::Kind::null) && !hint.empty())
      throw key.error("{} has no value{}", quote(key.node().text), hint);
  return all;
}

Fields::Fields(const View& view, const KeyTable& keys) : view_(view), keys_(keys) {
  for (const auto& entry : view.entries(keys.what)) {
    const auto& key = entry.first.node().text;
    if (std::find(keys.keys.begin(), keys.keys.end(), key) != keys.keys.end()) continue;
    entry.first.attempt([&] {
      if (const auto now = renamed(keys, key); !now.empty())
        throw entry.first.error("{}: the key '{}' is called '{}' now; rename it", keys.what, key, now)
            .of_setting(setting(key));
      throw entry.first
          .error("{} has no key {}{}{}; its keys are {}", keys.what, quote(key), suggestion(key, keys.keys),
                 blank_is_missing(entry.first.node()), fmt::join(keys.keys, ", "))
          .of_setting(setting(key));
    });
  }
}

std::string Fields::setting(std::string_view key) const {
  return keys_.settings == nullptr ? std::string() : std::string(keys_.settings).append(key);
}

std::optional<View> Fields::find(std::string_view key) const {
  CONSORT_ASSERT(std::find(keys_.keys.begin(), keys_.keys.end(), key) != keys_.keys.end());
  const auto& items = view_.node().items;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2)
    if (items[i].text == key) return View(items[i + 1], view_.origin(), setting(key));
  return std::nullopt;
}

View Fields::need(std::string_view key) const {
  if (const auto found = find(key)) return *found;
  throw view_.error("{} needs the key '{}'; add it", keys_.what, key).of_setting(setting(key));
}

}  // namespace consort::yaml
