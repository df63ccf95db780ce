#include "describe/description.hpp"

#include <bit>

#include "base/error.hpp"
#include "base/text.hpp"

namespace consort::describe {

// A hash table with open addressing over variable indices: 4 bytes per slot, no copies of the names.
struct Description::Index {
  std::vector<std::uint32_t> names;       // 1-based: variables first, then aliases
  std::vector<std::uint32_t> references;  // 1-based variables
  std::size_t mask = 0;
};

namespace {

std::size_t hash_name(std::string_view name) { return std::hash<std::string_view>{}(name); }

// FMI 1 and 2 have one number space per kind of call, shared by Enumeration and Integer; FMI 3 has one for all types.
std::uint32_t reference_space(Type type, FmiVersion version) {
  if (version == FmiVersion::v3 || version == FmiVersion::native) return 0;
  return static_cast<std::uint32_t>(type == Type::Enumeration ? Type::Int32 : type);
}

std::size_t hash_reference(ValueReference reference, std::uint32_t space) {
  const std::uint64_t key = (std::uint64_t{space} << 32) | reference;
  return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ULL) >> 20);
}

}  // namespace

Description::Description() = default;
Description::Description(Description&&) noexcept = default;
Description& Description::operator=(Description&&) noexcept = default;
Description::~Description() = default;

void Description::finish() {
  index_ = std::make_unique<Index>();
  const std::size_t names = variables.size() + aliases.size();
  index_->mask = std::bit_ceil(names * 2 + 2) - 1;
  index_->names.assign(index_->mask + 1, 0);
  index_->references.assign(index_->mask + 1, 0);
  for (std::size_t i = 0; i < names; ++i) {
    const std::string_view name = i < variables.size() ? variables[i].name : aliases[i - variables.size()].name;
    std::size_t slot = hash_name(name) & index_->mask;
    while (index_->names[slot] != 0) slot = (slot + 1) & index_->mask;
    index_->names[slot] = static_cast<std::uint32_t>(i + 1);
  }
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto& v = variables[i];
    std::size_t slot = hash_reference(v.reference, reference_space(v.type, version)) & index_->mask;
    while (index_->references[slot] != 0) slot = (slot + 1) & index_->mask;
    index_->references[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

VariableId Description::find(std::string_view name) const {
  if (!index_) return no_variable;
  for (std::size_t slot = hash_name(name) & index_->mask; index_->names[slot] != 0; slot = (slot + 1) & index_->mask) {
    const std::size_t i = index_->names[slot] - 1;
    if (i < variables.size()) {
      if (variables[i].name == name) return static_cast<VariableId>(i);
    } else if (aliases[i - variables.size()].name == name) {
      return aliases[i - variables.size()].variable;
    }
  }
  return no_variable;
}

VariableId Description::find(ValueReference reference, Type type) const {
  if (!index_) return no_variable;
  const auto space = reference_space(type, version);
  for (std::size_t slot = hash_reference(reference, space) & index_->mask; index_->references[slot] != 0;
       slot = (slot + 1) & index_->mask) {
    const std::size_t i = index_->references[slot] - 1;
    if (variables[i].reference == reference && reference_space(variables[i].type, version) == space) {
      return static_cast<VariableId>(i);
    }
  }
  return no_variable;
}

VariableId Description::require_variable(std::string_view name) const {
  const VariableId found = find(name);
  if (found != no_variable) return found;
  std::vector<std::string_view> names;
  names.reserve(variables.size());
  for (const auto& v : variables) names.push_back(v.name);
  throw input_error("'{}' has no variable '{}'{}; 'consort info' lists all variables", model_name, name,
                    suggestion(name, names));
}

const Interface* Description::interface(InterfaceType type) const {
  for (const auto& i : interfaces) {
    if (i.type == type) return &i;
  }
  return nullptr;
}

std::uint64_t Description::element_count(const Variable& v) const {
  std::uint64_t count = 1;
  for (const auto& d : dimensions_of(v)) {
    std::uint64_t size = d.size;
    if (d.is_reference) {
      const VariableId id = find(d.reference, Type::UInt64);
      const Value* s = id == no_variable ? nullptr : start(variables[id]);
      size = s != nullptr && s->type() == Type::UInt64 && s->size() == 1 ? s->elements<std::uint64_t>()[0] : 0;
    }
    // A product that overflows belongs to an unusable description; saturate instead of wrapping around.
    if (size != 0 && count > std::numeric_limits<std::uint64_t>::max() / size)
      return std::numeric_limits<std::uint64_t>::max();
    count *= size;
  }
  return count;
}

std::string_view Description::unit_name(const Variable& v) const {
  return v.unit == no_measure ? std::string_view() : units[v.unit].name;
}

const DisplayUnit* Description::display_unit(const Variable& v) const {
  return v.unit == no_measure || v.display_unit == no_display_unit ? nullptr
                                                                   : &units[v.unit].display_units[v.display_unit];
}

}  // namespace consort::describe
