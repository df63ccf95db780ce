#include "glue/description.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "glue/xml.hpp"

namespace consort::glue {

DescribedModel::DescribedModel(const Exported& model, model::Layout::Style style)
    : exported(model),
      layout(*model.definition, style),
      token(token_of(model, layout).text()),
      specimen(operator new(model.definition->size, std::align_val_t(model.definition->alignment))) {
  model.definition->construct(specimen);
}

DescribedModel::~DescribedModel() { operator delete(specimen, std::align_val_t(exported.definition->alignment)); }

std::string DescribedModel::name(const model::Slot& slot) const {
  const model::Variable& v = variable(slot);
  std::string text(v.name);
  if (layout.style() == model::Layout::Style::scalars && v.rank > 0) {
    std::uint64_t columns = v.columns;
    if (v.sizes.count == 2) {
      for (const model::Slot& other : layout.slots()) {
        if (other.variable != model::no_offset && variable(other).member == v.sizes.first[1]) {
          columns = *static_cast<const std::uint64_t*>(variable(other).locate(specimen));
        }
      }
    }
    text += v.rank == 1 ? "[" + std::to_string(slot.element + 1) + "]"
                        : "[" + std::to_string(slot.element / columns + 1) + "," +
                              std::to_string(slot.element % columns + 1) + "]";
  }
  return v.is_rate ? "der(" + text + ")" : text;
}

std::string DescribedModel::unit(const model::Slot& slot) const {
  const model::Variable& v = variable(slot);
  return v.is_rate ? model::rate_unit(v.unit) : std::string(v.unit);
}

bool DescribedModel::has_start(const model::Slot& slot) const {
  return variable(slot).initial != model::Initial::calculated;
}

std::string DescribedModel::start(const model::Slot& slot, std::size_t element) const {
  const auto* place = static_cast<const std::byte*>(variable(slot).locate(specimen));
  place += (slot.element + element) * slot.element_size;
  const auto as = [&]<class T>(T value) {
    std::memcpy(&value, place, sizeof value);
    return Xml::number(value);
  };
  switch (slot.kind) {
    case model::Kind::float32: return as(float{});
    case model::Kind::float64: return as(double{});
    case model::Kind::int8: return as(std::int8_t{});
    case model::Kind::uint8: return as(std::uint8_t{});
    case model::Kind::int16: return as(std::int16_t{});
    case model::Kind::uint16: return as(std::uint16_t{});
    case model::Kind::int32: return as(std::int32_t{});
    case model::Kind::uint32: return as(std::uint32_t{});
    case model::Kind::int64:
    case model::Kind::enumeration: return as(std::int64_t{});
    case model::Kind::uint64: return as(std::uint64_t{});
    case model::Kind::boolean: return as(bool{});
    case model::Kind::string: return {static_cast<const char*>(static_cast<const void*>(place))};
    case model::Kind::binary: break;
  }
  std::uint32_t size;
  std::memcpy(&size, place, sizeof size);
  std::string digits;
  for (std::uint32_t i = 0; i < size; ++i) {
    const auto byte = std::to_integer<unsigned>(place[sizeof size + i]);
    digits += "0123456789abcdef"[byte / 16];
    digits += "0123456789abcdef"[byte % 16];
  }
  return digits;
}

std::vector<std::uint32_t> DescribedModel::references(const model::Names& members) const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t reference = 1; reference < layout.slots().size(); ++reference) {
    const model::Variable& v = variable(layout.slots()[reference]);
    if (std::find(members.begin(), members.end(), v.member) != members.end()) found.push_back(reference);
  }
  return found;
}

std::vector<const model::Variable*> DescribedModel::enumerations() const {
  std::vector<const model::Variable*> found;
  for (std::size_t i = 0; i < exported.definition->variable_count; ++i) {
    const model::Variable& v = exported.definition->variables[i];
    const bool known = std::any_of(found.begin(), found.end(),
                                   [&](const model::Variable* other) { return other->items.first == v.items.first; });
    if (v.kind == model::Kind::enumeration && !known) found.push_back(&v);
  }
  return found;
}

std::string DescribedModel::type_name(const model::Variable& v) const {
  for (const model::Variable* first : enumerations()) {
    if (first->items.first == v.items.first) return "Values of " + std::string(first->name);
  }
  return {};
}

std::vector<UsedUnit> DescribedModel::units() const {
  std::vector<UsedUnit> used;
  for (const model::Slot& slot : layout.slots()) {
    if (slot.variable == model::no_offset) continue;
    const std::string name = unit(slot);
    if (name.empty()) continue;
    auto found = std::find_if(used.begin(), used.end(), [&](const UsedUnit& u) { return u.name == name; });
    if (found == used.end()) found = used.insert(used.end(), UsedUnit{name, {}});
    const std::string display(variable(slot).display_unit);
    auto& displays = found->display_units;
    if (!display.empty() && std::find(displays.begin(), displays.end(), display) == displays.end()) {
      displays.push_back(display);
    }
  }
  return used;
}

}  // namespace consort::glue
