#include "graph/pack.hpp"

#include <cstring>
#include <type_traits>

#include "base/error.hpp"

namespace consort::graph {

namespace {

constexpr int deepest = 64;

template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

// The last value of each enumeration, for range checks.
constexpr Type last_of(Type) { return Type::Clock; }
constexpr describe::Causality last_of(describe::Causality) { return describe::Causality::dependent; }
constexpr describe::InterfaceType last_of(describe::InterfaceType) {
  return describe::InterfaceType::scheduled_execution;
}
constexpr EventAction::Kind last_of(EventAction::Kind) { return EventAction::Kind::stop; }
constexpr System::Kind last_of(System::Kind) { return System::Kind::table; }

// --- both directions, for the fields() below -------------------------------------------------------------------------

class Writer {
 public:
  template <class... T>
  void operator()(T&... values) {
    (pass(values), ...);
  }
  std::string bytes;

 private:
  template <class T>
  void pass(T& value);
  void pass(std::string& text) {
    size(text.size());
    bytes += text;
  }
  void pass(std::filesystem::path& path) {
    std::string text = path.string();
    pass(text);
  }
  template <class T>
  void pass(std::vector<T>& values) {
    size(values.size());
    for (auto& value : values) pass(value);
  }
  template <class T>
  void pass(std::optional<T>& value) {
    flag(value.has_value());
    if (value) pass(*value);
  }
  template <class A, class B>
  void pass(std::pair<A, B>& both) {
    (*this)(both.first, both.second);
  }
  void pass(Transformation& value) {
    number(static_cast<std::uint8_t>(value.index()));
    if (auto* const linear = std::get_if<Linear>(&value)) pass(*linear);
    if (auto* const mapping = std::get_if<Mapping>(&value)) pass(*mapping);
  }
  void size(std::size_t value) { number(static_cast<std::uint64_t>(value)); }
  void flag(bool value) { number(static_cast<std::uint8_t>(value ? 1 : 0)); }
  template <class T>
  void number(T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof value);
    bytes.append(raw, sizeof value);
  }
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}
  template <class... T>
  void operator()(T&... values) {
    (pass(values), ...);
  }
  void expect_end() const { check(left_.empty()); }

 private:
  template <class T>
  void pass(T& value);
  void pass(std::string& text) { text = part(size()); }
  void pass(std::filesystem::path& path) { path = std::string(part(size())); }
  template <class T>
  void pass(std::vector<T>& values) {
    values.resize(size());
    for (auto& value : values) pass(value);
  }
  template <class T>
  void pass(std::optional<T>& value) {
    if (flag()) pass(value.emplace());
  }
  template <class A, class B>
  void pass(std::pair<A, B>& both) {
    (*this)(both.first, both.second);
  }
  void pass(Transformation& value) {
    const auto index = number<std::uint8_t>();
    check(index < std::variant_size_v<Transformation>);
    if (index == 1) pass(value.emplace<Linear>());
    if (index == 2) pass(value.emplace<Mapping>());
  }
  // Of texts and lists, whose elements have at least one byte each.
  std::size_t size() {
    const auto value = number<std::uint64_t>();
    check(value <= left_.size());
    return value;
  }
  bool flag() {
    const auto value = number<std::uint8_t>();
    check(value <= 1);
    return value == 1;
  }
  template <class T>
  T number() {
    T value{};
    std::memcpy(&value, part(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view part(std::size_t size) {
    check(size <= left_.size());
    const auto first = left_.substr(0, size);
    left_.remove_prefix(size);
    return first;
  }
  static void check(bool condition) {
    if (!condition) throw run_error("the description of a group is damaged on its way to the process of the group");
  }

  std::string_view left_;
  int level_ = 0;  // of nested systems
};

// --- the fields ------------------------------------------------------------------------------------------------------
// Structured bindings fail to compile when a member is added, which has to be passed on here.

template <class Archive>
void fields(Archive& archive, Linear& value) {
  auto& [factor, offset] = value;
  archive(factor, offset);
}

template <class Archive>
void fields(Archive& archive, Mapping& value) {
  auto& [entries, partial] = value;
  archive(entries, partial);
}

template <class Archive>
void fields(Archive& archive, describe::BaseUnit& value) {
  auto& [exponents, factor, offset] = value;
  for (auto& exponent : exponents) archive(exponent);
  archive(factor, offset);
}

template <class Archive>
void fields(Archive& archive, Setting& value) {
  auto& [name, text, unit, where, elements, measure, convert, transformation, dimensions, number, lenient] = value;
  archive(name, text, unit, where, elements, measure, convert, transformation, dimensions, number, lenient);
}

template <class Archive>
void fields(Archive& archive, Endpoint& value) {
  auto& [element, connector] = value;
  archive(element, connector);
}

template <class Archive>
void fields(Archive& archive, Connection& value) {
  auto& [from, to, transformation, unconverted, where, text, sample] = value;
  archive(from, to, transformation, unconverted, where, text, sample);
}

template <class Archive>
void fields(Archive& archive, Connector& value) {
  auto& [name, causality, type, unit, where, dimensions, number] = value;
  archive(name, causality, type, unit, where, dimensions, number);
}

template <class Archive>
void fields(Archive& archive, EventAction& value) {
  auto& [kind, target, text, where] = value;
  archive(kind, target, text, where);
}

template <class Archive>
void fields(Archive& archive, SystemEvent& value) {
  auto& [name, when, actions, where] = value;
  archive(name, when, actions, where);
}

template <class Archive>
void fields(Archive& archive, UnitOfMeasure& value) {
  auto& [name, base] = value;
  archive(name, base);
}

template <class Archive>
void fields(Archive& archive, ExperimentSettings& value) {
  auto& [start, stop, step, tolerance] = value;
  archive(start, stop, step, tolerance);
}

template <class Archive>
void fields(Archive& archive, Component& value) {
  auto& [name, source, group, interface, other, platform, solver, tolerance, substeps, host, event_mode, early_return,
         responds, settings, connectors, where] = value;
  require(group == nullptr, "the group '{}' is inside of another one; remove 'solver' from one of them", name);
  archive(name, source, interface, other, platform, solver, tolerance, substeps, host, event_mode, early_return,
          responds, settings, connectors, where);
}

// A system has members that are no data.
template <class Archive>
void fields(Archive& archive, System& value) {
  archive(value.name, value.description, value.components, value.systems, value.connectors, value.connections,
          value.events, value.kind, value.dictionary, value.table, value.solver, value.tolerance, value.host,
          value.settings, value.units, value.experiment, value.where);
}

template <class T>
void Writer::pass(T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    flag(value);
  } else if constexpr (is_number<T> || std::is_enum_v<T>) {
    number(value);
  } else {
    fields(*this, value);
  }
}

template <class T>
void Reader::pass(T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    value = flag();
  } else if constexpr (std::is_enum_v<T>) {
    const auto code = number<std::underlying_type_t<T>>();
    check(code <= static_cast<std::underlying_type_t<T>>(last_of(T{})));
    value = static_cast<T>(code);
  } else if constexpr (is_number<T>) {
    value = number<T>();
  } else if constexpr (std::is_same_v<T, System>) {
    check(++level_ <= deepest);
    fields(*this, value);
    --level_;
  } else {
    fields(*this, value);
  }
}

}  // namespace

std::string pack(const System& system, std::span<const Setting> settings) {
  Packed all{system, {settings.begin(), settings.end()}};
  Writer out;
  out(all.system, all.settings);
  return std::move(out.bytes);
}

Packed unpack(std::string_view bytes) {
  Packed all;
  Reader in(bytes);
  in(all.system, all.settings);
  in.expect_end();
  return all;
}

}  // namespace consort::graph
