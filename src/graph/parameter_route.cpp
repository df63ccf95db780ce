#include "graph/parameter_route.hpp"

#include <type_traits>

#include "base/error.hpp"
#include "base/text.hpp"
#include "graph/links.hpp"

namespace consort::graph {

namespace {

std::size_t place(const ParameterRoute& route, const Value& source, std::uint64_t element) {
  return source.size() == 1 ? 0 : static_cast<std::size_t>(route.from.first + element);
}

std::string mapped(const ParameterRoute& route, std::string text) {
  for (const auto& [from, to] : route.mapping)
    if (trim(from) == text) return to;
  require(route.mapping.empty() || route.partial, "the value '{}' is not in the mapping; add it there", text);
  return text;
}

template <class T>
std::string element_text(const ParameterRoute& route, const T& x, bool as_number) {
  if constexpr (std::is_arithmetic_v<T>) {
    if (route.factor != 1.0 || route.offset != 0.0)
      return mapped(route, Value::scalar(route.factor * static_cast<double>(x) + route.offset).text());
  } else if constexpr (std::is_same_v<T, Bool>) {
    // A mapping lists Booleans as words, not as numbers.
    if (as_number && route.mapping.empty()) return Value::scalar(route.factor * (x ? 1.0 : 0.0) + route.offset).text();
  }
  return mapped(route, Value::scalar(x).text());
}

}  // namespace

void require_fit(const ParameterRoute& route, bool transformed, const Flat& flat) {
  const auto& from = (*flat.units[route.from.unit].description)[route.from.variable];
  const auto& to = (*flat.units[route.to.unit].description)[route.to.variable];
  require(route.from.count == route.to.count, "{}: {} has {} elements and {} has {}; connect elements one by one",
          route.text, from.name, route.from.count, to.name, route.to.count);
  require(converts(from.type, to.type, transformed), "{}: {} cannot be taken as {}; give a transformation or a mapping",
          route.text, name_of(from.type), name_of(to.type));
}

Value taken(const ParameterRoute& route, const Value& source, const describe::Description& to) {
  const auto& v = to[route.to.variable];
  const bool plain = route.factor == 1.0 && route.offset == 0.0 && route.mapping.empty();
  return with_type(source.type(), [&]<class From>() {
    return with_type(v.type, [&]<class To>() {
      std::vector<To> elements;
      for (std::uint64_t i = 0; i < route.to.count; ++i) {
        const auto& x = source.elements<From>()[place(route, source, i)];
        if constexpr (std::is_same_v<From, To>) {
          if (plain) {
            elements.push_back(x);
            continue;
          }
        }
        const bool as_number = v.type != Type::Boolean && v.type != Type::String;
        elements.push_back(
            describe::read_start_value(to, v, element_text(route, x, as_number)).template elements<To>().front());
      }
      return Value(std::move(elements));
    });
  });
}

}  // namespace consort::graph
