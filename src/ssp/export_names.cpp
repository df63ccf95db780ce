#include "ssp/export_names.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "graph/indices.hpp"

namespace consort::ssp {

using describe::Causality;

std::string kind_of(Causality causality) {
  switch (causality) {
    case Causality::parameter: return "parameter";
    case Causality::calculated_parameter: return "calculatedParameter";
    case Causality::input: return "input";
    case Causality::output: return "output";
    case Causality::structural_parameter: return "structuralParameter";
    default: return "local";
  }
}

TypeKind kind_of(Type type, Version version) {
  const bool old = version == Version::v1_0;
  switch (type) {
    case Type::Float64: return TypeKind::real;
    case Type::Float32: return old ? TypeKind::none : TypeKind::float32;
    case Type::Int8: return old ? TypeKind::none : TypeKind::int8;
    case Type::UInt8: return old ? TypeKind::none : TypeKind::uint8;
    case Type::Int16: return old ? TypeKind::none : TypeKind::int16;
    case Type::UInt16: return old ? TypeKind::none : TypeKind::uint16;
    case Type::Int32: return TypeKind::integer;
    case Type::UInt32: return old ? TypeKind::none : TypeKind::uint32;
    case Type::Int64: return old ? TypeKind::none : TypeKind::int64;
    case Type::UInt64: return old ? TypeKind::none : TypeKind::uint64;
    case Type::Boolean: return TypeKind::boolean;
    case Type::String: return TypeKind::string;
    case Type::Binary: return TypeKind::binary;
    case Type::Enumeration: return TypeKind::none;  // names an enumeration, see data_type()
    case Type::Clock: return old ? TypeKind::none : TypeKind::clock;
  }
  return TypeKind::none;
}

TypeKind guess_kind(const std::string& value) {
  const auto parts = split_white(value);
  if (parts.size() == 1 && (parts[0] == "true" || parts[0] == "false")) return TypeKind::boolean;
  const auto is_number = [](std::string_view text) {
    try {
      static_cast<void>(parse_element<double>(text));
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  return !parts.empty() && std::all_of(parts.begin(), parts.end(), is_number) ? TypeKind::real : TypeKind::string;
}

BaseUnit base_of(const describe::BaseUnit& base) {
  BaseUnit b;
  for (std::size_t i = 0; i < b.exponents.size(); ++i) b.exponents[i] = base.exponents[i];
  b.factor = base.factor;
  b.offset = base.offset;
  return b;
}

std::vector<std::uint64_t> dimension_sizes(const describe::Description& d, const describe::Variable& v,
                                           const std::vector<graph::Setting>& settings) {
  std::vector<std::uint64_t> sizes;
  for (const auto& dimension : d.dimensions_of(v)) {
    auto& size = sizes.emplace_back(dimension.is_reference ? 0 : dimension.size);
    const auto id = dimension.is_reference ? d.find(dimension.reference, Type::UInt64) : describe::no_variable;
    if (id == describe::no_variable) continue;
    if (const auto* const start = d.start(d[id]); start != nullptr && start->size() == 1)
      size = start->elements<std::uint64_t>().front();
    for (const auto& s : settings)
      if (s.name == d[id].name) size = parse_element<std::uint64_t>(s.text());
  }
  return sizes;
}

namespace {

constexpr std::uint64_t most_elements = 1000;

}  // namespace

std::vector<std::string> element_names(const std::string& name, const std::vector<std::uint64_t>& sizes) {
  std::uint64_t count = 1;
  for (const auto size : sizes) count *= std::min<std::uint64_t>(size, most_elements + 1);
  std::vector<std::string> names;
  if (count > most_elements || sizes.empty()) return names;
  for (std::uint64_t e = 0; e < count; ++e) {
    std::vector<std::uint64_t> indices(sizes.size());
    std::uint64_t rest = e;
    for (std::size_t i = sizes.size(); i-- > 0;) {
      indices[i] = rest % sizes[i] + 1;
      rest /= sizes[i];
    }
    names.push_back(name + graph::indices_text(indices));
  }
  return names;
}

std::string escaped_uri(const std::string& path) {
  std::string out;
  for (const char c : path) {
    const auto u = static_cast<unsigned char>(c);
    const bool plain =
        u < 0x80 && (std::isalnum(u) != 0 || std::string_view("/._-~()+,=@!").find(c) != std::string_view::npos);
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", u);
  }
  return out;
}

}  // namespace consort::ssp
