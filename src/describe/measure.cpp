#include "describe/measure.hpp"

namespace consort::describe {

std::optional<Conversion> conversion(const Measure& from, const Measure& to, bool relative) {
  if (from.base && to.base) {
    if (from.base->exponents != to.base->exponents) return std::nullopt;
    Conversion c;
    c.factor = from.base->factor / to.base->factor;
    c.offset = relative ? 0.0 : (from.base->offset - to.base->offset) / to.base->factor;
    return c;
  }
  if (from.name == to.name) return Conversion{};
  return std::nullopt;
}

const char* base_unit_name(std::size_t index) {
  static constexpr std::array<const char*, 8> names{"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
  return names.at(index);
}

}  // namespace consort::describe
