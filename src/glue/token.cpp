#include "glue/token.hpp"

#include <cstdio>
#include <cstring>
#include <new>
#include <string_view>
#include <type_traits>

namespace consort::glue {
namespace {

// FNV-1a, twice with different start values: fast, without dependencies, not cryptographic.
class Hash {
 public:
  void add(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) {
      token_.high = (token_.high ^ bytes[i]) * 0x100000001b3ULL;
      token_.low = (token_.low ^ bytes[i]) * 0x100000001b3ULL;
    }
  }
  void add(std::string_view text) {
    add(text.size());
    add(text.data(), text.size());
  }
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void add(T value) { add(&value, sizeof value); }
  [[nodiscard]] Token token() const { return token_; }

 private:
  Token token_{0xcbf29ce484222325ULL, 0x9ae16a3b2f90404fULL};
};

void add_variable(Hash& hash, const model::Variable& v) {
  for (const std::string_view text : {v.name, v.unit, v.display_unit, v.quantity, v.description}) hash.add(text);
  hash.add(v.kind);
  hash.add(v.causality);
  hash.add(v.variability);
  hash.add(v.initial);
  for (const double number : {v.min, v.max, v.nominal}) hash.add(number);
  for (const std::uint32_t number : {v.rank, v.rows, v.columns, v.element_size}) hash.add(number);
  for (const auto& names : {v.sizes, v.items, v.dependencies}) {
    hash.add(names.count);
    for (const std::string_view name : names) hash.add(name);
  }
}

}  // namespace

std::string Token::text() const {
  char text[40];
  std::snprintf(text, sizeof text, "{%08llx-%04llx-%04llx-%04llx-%012llx}", static_cast<unsigned long long>(high >> 32),
                static_cast<unsigned long long>(high >> 16 & 0xffff), static_cast<unsigned long long>(high & 0xffff),
                static_cast<unsigned long long>(low >> 48), static_cast<unsigned long long>(low & 0xffffffffffffULL));
  return text;
}

Token token_of(const Exported& exported, const model::Layout& layout) {
  const model::Definition& definition = *exported.definition;
  Hash hash;
  hash.add(std::string_view(exported.name));
  hash.add(definition.info.description);
  hash.add(definition.info.version);
  for (const double number : {definition.info.stop_time, definition.info.step, definition.info.solver_step}) {
    hash.add(number);
  }
  hash.add(definition.info.method);
  for (std::size_t i = 0; i < definition.variable_count; ++i) add_variable(hash, definition.variables[i]);
  for (const model::Slot& slot : layout.slots()) hash.add(slot.offset);
  hash.add(layout.size());
  // Adds the start values as the bytes of a new model; its padding is zero.
  void* fresh = operator new(definition.size, std::align_val_t(definition.alignment));
  std::memset(fresh, 0, definition.size);
  definition.construct(fresh);
  hash.add(fresh, definition.size);
  operator delete(fresh, std::align_val_t(definition.alignment));
  return hash.token();
}

}  // namespace consort::glue
