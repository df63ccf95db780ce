// Reads and writes values of the four types of FMI 1.0 and 2.0 in members of any type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include "glue/unit.hpp"

namespace consort::glue {

namespace detail {

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

// Calls f with an element of the slot's integer type; false if the slot has no integer type.
template <class F>
bool with_integer(model::Kind kind, F&& f) {
  switch (kind) {
    case model::Kind::int8: return f(std::int8_t{});
    case model::Kind::uint8: return f(std::uint8_t{});
    case model::Kind::int16: return f(std::int16_t{});
    case model::Kind::uint16: return f(std::uint16_t{});
    case model::Kind::int32: return f(std::int32_t{});
    case model::Kind::uint32: return f(std::uint32_t{});
    case model::Kind::int64:
    case model::Kind::enumeration: return f(std::int64_t{});
    case model::Kind::uint64: return f(std::uint64_t{});
    default: return false;
  }
}

template <class To, class From>
bool fits(From value) {
  if constexpr (std::numeric_limits<From>::is_signed == std::numeric_limits<To>::is_signed) {
    return value >= std::numeric_limits<To>::min() && value <= std::numeric_limits<To>::max();
  } else if constexpr (std::numeric_limits<From>::is_signed) {
    return value >= 0 && static_cast<std::uint64_t>(value) <= std::numeric_limits<To>::max();
  } else {
    return value <= static_cast<std::uint64_t>(std::numeric_limits<To>::max());
  }
}

}  // namespace detail

// Reals are transferred in bulk because every step does it: an inline loop for the usual case, and a function for all
// other cases.
[[gnu::noinline, gnu::cold]] inline void read_other_reals(Unit& u, const std::uint32_t* references, std::size_t n,
                                                          double* values) {
  for (std::size_t i = 0; i < n; ++i) {
    const model::Slot& slot = u.readable(references[i]);
    if (slot.kind == model::Kind::float64) {
      values[i] = detail::load<double>(u.instance.at(slot));
    } else if (slot.kind == model::Kind::float32) {
      values[i] = static_cast<double>(detail::load<float>(u.instance.at(slot)));
    } else {
      u.refuse_type(slot, "Real");
    }
  }
}

inline void read_reals(Unit& u, const std::uint32_t* references, std::size_t n, double* values) {
  const model::Slot* const slots = u.facts.layout.slots().data();
  const std::size_t count = u.facts.layout.slots().size();
  const std::byte* const memory = u.instance.memory();
  const model::Stages stale = u.instance.head().stale;
  std::size_t i = 0;
  for (; i < n && references[i] < count; ++i) {
    const model::Slot* const slot = slots + references[i];
    if (slot->kind != model::Kind::float64 || (slot->needs & stale) != 0) break;
    values[i] = detail::load<double>(memory + slot->offset);
  }
  if (i < n) read_other_reals(u, references + i, n - i, values + i);
}

[[gnu::noinline, gnu::cold]] inline void write_other_reals(Unit& u, const std::uint32_t* references, std::size_t n,
                                                           const double* values) {
  for (std::size_t i = 0; i < n; ++i) {
    const model::Slot& slot = u.writable(references[i]);
    if (slot.kind == model::Kind::float64) {
      detail::store(u.instance.at(slot), values[i]);
    } else if (slot.kind == model::Kind::float32) {
      detail::store(u.instance.at(slot), static_cast<float>(values[i]));
    } else {
      u.refuse_type(slot, "Real");
    }
  }
}

inline void write_reals(Unit& u, const std::uint32_t* references, std::size_t n, const double* values) {
  const model::Slot* const slots = u.facts.layout.slots().data();
  const std::size_t count = u.facts.layout.slots().size();
  std::byte* const memory = u.instance.memory();
  const model::Modes mode = u.instance.head().mode;
  u.instance.touch();
  std::size_t i = 0;
  for (; i < n && references[i] < count; ++i) {
    const model::Slot* const slot = slots + references[i];
    if (slot->kind != model::Kind::float64 || (slot->settable & mode) == 0) break;
    detail::store(memory + slot->offset, values[i]);
  }
  if (i < n) write_other_reals(u, references + i, n - i, values + i);
}

inline int read_integer(Unit& u, std::uint32_t reference) {
  const model::Slot& slot = u.readable(reference);
  int result = 0;
  const bool read = detail::with_integer(slot.kind, [&]<class T>(T) {
    const T value = detail::load<T>(u.instance.at(slot));
    if (!detail::fits<int>(value)) return false;
    result = static_cast<int>(value);
    return true;
  });
  if (!read) u.refuse_type(slot, "Integer");
  return result;
}

inline void write_integer(Unit& u, std::uint32_t reference, int value) {
  const model::Slot& slot = u.writable(reference);
  const bool written = detail::with_integer(slot.kind, [&]<class T>(T) {
    if (!detail::fits<T>(value)) return false;
    detail::store(u.instance.at(slot), static_cast<T>(value));
    return true;
  });
  if (!written) u.refuse_type(slot, "Integer");
}

inline bool read_boolean(Unit& u, std::uint32_t reference) {
  const model::Slot& slot = u.readable(reference);
  if (slot.kind != model::Kind::boolean) u.refuse_type(slot, "Boolean");
  return detail::load<bool>(u.instance.at(slot));
}

inline void write_boolean(Unit& u, std::uint32_t reference, bool value) {
  const model::Slot& slot = u.writable(reference);
  if (slot.kind != model::Kind::boolean) u.refuse_type(slot, "Boolean");
  detail::store(u.instance.at(slot), value);
}

// Points into the instance's memory; valid until the next call, as in FMI.
inline const char* read_string(Unit& u, std::uint32_t reference) {
  const model::Slot& slot = u.readable(reference);
  if (slot.kind != model::Kind::string) u.refuse_type(slot, "String");
  return static_cast<const char*>(static_cast<const void*>(u.instance.at(slot)));
}

inline void write_string(Unit& u, const model::Slot& slot, std::byte* to, const char* value) {
  const std::string_view text = value != nullptr ? value : "";
  if (text.size() >= slot.element_size) u.refuse_type(slot, "String (it is too long)");
  std::memset(to, 0, slot.element_size);
  std::memcpy(to, text.data(), text.size());
}

inline void write_string(Unit& u, std::uint32_t reference, const char* value) {
  const model::Slot& slot = u.writable(reference);
  if (slot.kind != model::Kind::string) u.refuse_type(slot, "String");
  write_string(u, slot, u.instance.at(slot), value);
}

}  // namespace consort::glue
