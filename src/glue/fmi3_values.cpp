// The functions of an FMI 3.0 FMU that read and write values, and the clock functions, which these models do not
// support.
#include <cstring>

#include "glue/fmi3_component.hpp"
#include "glue/scalar_values.hpp"

namespace consort::glue {

const Facts& facts3() {
  static const Facts the_facts(exported_model(), model::Layout::Style::arrays);
  return the_facts;
}

void Host3::forward(const model::Host& host, model::Status status, const char* category, const char* format,
                    const void* argument) {
  const auto& self = static_cast<const Host3&>(host);
  if (!self.wants(status, category) || self.log_message == nullptr) return;
  // FMI 3.0 messages have no format: the text is the argument of "%s", or the format itself.
  const bool is_text = std::strcmp(format, "%s") == 0;
  self.log_message(self.environment, static_cast<fmi3Status>(status), category,
                   is_text ? static_cast<const char*>(argument) : format);
}

namespace {

constexpr const char* too_few = "the number of values differs from the number of elements of the variables";

bool is_kind(const model::Slot& slot, model::Kind kind) {
  return slot.kind == kind || (kind == model::Kind::int64 && slot.kind == model::Kind::enumeration);
}

struct Place {
  std::byte* first;
  std::size_t count;
  std::size_t size;  // of an element
  const model::Slot& slot;
};

// Calls `each(Place)` for every variable, and checks that the number of elements equals `values`.
template <class Each>
fmi3Status get(fmi3Instance instance, const char* function, model::Kind kind, const fmi3ValueReference* references,
               size_t n, size_t values, Each&& each) {
  return call3(instance, function, [&](Unit& u) {
    size_t left = values;
    for (size_t i = 0; i < n; ++i) {
      const model::Slot& slot = u.readable(references[i]);
      if (!is_kind(slot, kind)) u.refuse_type(slot, function + 7);
      const std::size_t count = u.instance.element_count(slot);
      if (count > left) throw model::Failure(too_few);
      left -= count;
      each(u, Place{u.instance.at(slot), count, slot.element_size, slot});
    }
    if (left != 0) throw model::Failure(too_few);
  });
}

template <class Each>
fmi3Status set(fmi3Instance instance, const char* function, model::Kind kind, const fmi3ValueReference* references,
               size_t n, size_t values, Each&& each) {
  return call3(instance, function, [&](Unit& u) {
    size_t left = values;
    for (size_t i = 0; i < n; ++i) {
      const model::Slot& slot = u.writable(references[i]);
      if (!is_kind(slot, kind)) u.refuse_type(slot, function + 7);
      const std::size_t count = u.instance.element_count(slot);
      if (count > left) throw model::Failure(too_few);
      left -= count;
      each(u, Place{u.instance.at(slot), count, slot.element_size, slot});
    }
    if (left != 0) throw model::Failure(too_few);
    u.instance.touch();
  });
}

template <class T>
fmi3Status get_numbers(fmi3Instance instance, const char* function, model::Kind kind,
                       const fmi3ValueReference* references, size_t n, T* values, size_t n_values) {
  return get(instance, function, kind, references, n, n_values, [&](Unit&, const Place& place) {
    std::memcpy(values, place.first, place.count * sizeof(T));
    values += place.count;
  });
}

template <class T>
fmi3Status set_numbers(fmi3Instance instance, const char* function, model::Kind kind,
                       const fmi3ValueReference* references, size_t n, const T* values, size_t n_values) {
  return set(instance, function, kind, references, n, n_values, [&](Unit&, const Place& place) {
    std::memcpy(place.first, values, place.count * sizeof(T));
    values += place.count;
  });
}

fmi3Status no_clocks(fmi3Instance instance, const char* function) {
  return call3(instance, function, [](Unit&) { throw model::Failure("the model has no clocks"); });
}

}  // namespace
}  // namespace consort::glue

namespace glue = consort::glue;
using consort::model::Kind;

#define CONSORT_FMI3_NUMBERS(TYPE, KIND)                                                                               \
  fmi3Status fmi3Get##TYPE(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences, \
                           fmi3##TYPE values[], size_t nValues) {                                                      \
    return glue::get_numbers(instance, "fmi3Get" #TYPE, KIND, valueReferences, nValueReferences, values, nValues);     \
  }                                                                                                                    \
  fmi3Status fmi3Set##TYPE(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences, \
                           const fmi3##TYPE values[], size_t nValues) {                                                \
    return glue::set_numbers(instance, "fmi3Set" #TYPE, KIND, valueReferences, nValueReferences, values, nValues);     \
  }
CONSORT_FMI3_NUMBERS(Float32, Kind::float32)
CONSORT_FMI3_NUMBERS(Float64, Kind::float64)
CONSORT_FMI3_NUMBERS(Int8, Kind::int8)
CONSORT_FMI3_NUMBERS(UInt8, Kind::uint8)
CONSORT_FMI3_NUMBERS(Int16, Kind::int16)
CONSORT_FMI3_NUMBERS(UInt16, Kind::uint16)
CONSORT_FMI3_NUMBERS(Int32, Kind::int32)
CONSORT_FMI3_NUMBERS(UInt32, Kind::uint32)
CONSORT_FMI3_NUMBERS(Int64, Kind::int64)
CONSORT_FMI3_NUMBERS(UInt64, Kind::uint64)
CONSORT_FMI3_NUMBERS(Boolean, Kind::boolean)
#undef CONSORT_FMI3_NUMBERS

fmi3Status fmi3GetString(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences,
                         fmi3String values[], size_t nValues) {
  return glue::get(instance, "fmi3GetString", Kind::string, valueReferences, nValueReferences, nValues,
                   [&](glue::Unit&, const glue::Place& place) {
                     for (std::size_t i = 0; i < place.count; ++i) {
                       *values++ = static_cast<fmi3String>(static_cast<void*>(place.first + i * place.size));
                     }
                   });
}

fmi3Status fmi3SetString(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences,
                         const fmi3String values[], size_t nValues) {
  return glue::set(instance, "fmi3SetString", Kind::string, valueReferences, nValueReferences, nValues,
                   [&](glue::Unit& u, const glue::Place& place) {
                     for (std::size_t i = 0; i < place.count; ++i) {
                       glue::write_string(u, place.slot, place.first + i * place.size, *values++);
                     }
                   });
}

// A binary is stored as its size, then its bytes (consort::model::Bytes).
fmi3Status fmi3GetBinary(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences,
                         size_t valueSizes[], fmi3Binary values[], size_t nValues) {
  return glue::get(instance, "fmi3GetBinary", Kind::binary, valueReferences, nValueReferences, nValues,
                   [&](glue::Unit&, const glue::Place& place) {
                     for (std::size_t i = 0; i < place.count; ++i) {
                       std::byte* const at = place.first + i * place.size;
                       *valueSizes++ = glue::detail::load<std::uint32_t>(at);
                       *values++ = static_cast<fmi3Binary>(static_cast<void*>(at + sizeof(std::uint32_t)));
                     }
                   });
}

fmi3Status fmi3SetBinary(fmi3Instance instance, const fmi3ValueReference valueReferences[], size_t nValueReferences,
                         const size_t valueSizes[], const fmi3Binary values[], size_t nValues) {
  return glue::set(instance, "fmi3SetBinary", Kind::binary, valueReferences, nValueReferences, nValues,
                   [&](glue::Unit& u, const glue::Place& place) {
                     for (std::size_t i = 0; i < place.count; ++i) {
                       std::byte* const at = place.first + i * place.size;
                       const std::size_t size = *valueSizes++;
                       const fmi3Binary value = *values++;
                       if (size > place.slot.element_size - sizeof(std::uint32_t)) {
                         u.refuse_type(place.slot, "Binary (it is too long)");
                       }
                       std::memset(at, 0, place.size);
                       glue::detail::store(at, static_cast<std::uint32_t>(size));
                       if (size > 0) std::memcpy(at + sizeof(std::uint32_t), value, size);
                     }
                   });
}

// --- clocks

fmi3Status fmi3GetClock(fmi3Instance instance, const fmi3ValueReference[], size_t, fmi3Clock[]) {
  return glue::no_clocks(instance, "fmi3GetClock");
}
fmi3Status fmi3SetClock(fmi3Instance instance, const fmi3ValueReference[], size_t, const fmi3Clock[]) {
  return glue::no_clocks(instance, "fmi3SetClock");
}
fmi3Status fmi3GetIntervalDecimal(fmi3Instance instance, const fmi3ValueReference[], size_t, fmi3Float64[],
                                  fmi3IntervalQualifier[]) {
  return glue::no_clocks(instance, "fmi3GetIntervalDecimal");
}
fmi3Status fmi3GetIntervalFraction(fmi3Instance instance, const fmi3ValueReference[], size_t, fmi3UInt64[],
                                   fmi3UInt64[], fmi3IntervalQualifier[]) {
  return glue::no_clocks(instance, "fmi3GetIntervalFraction");
}
fmi3Status fmi3GetShiftDecimal(fmi3Instance instance, const fmi3ValueReference[], size_t, fmi3Float64[]) {
  return glue::no_clocks(instance, "fmi3GetShiftDecimal");
}
fmi3Status fmi3GetShiftFraction(fmi3Instance instance, const fmi3ValueReference[], size_t, fmi3UInt64[], fmi3UInt64[]) {
  return glue::no_clocks(instance, "fmi3GetShiftFraction");
}
fmi3Status fmi3SetIntervalDecimal(fmi3Instance instance, const fmi3ValueReference[], size_t, const fmi3Float64[]) {
  return glue::no_clocks(instance, "fmi3SetIntervalDecimal");
}
fmi3Status fmi3SetIntervalFraction(fmi3Instance instance, const fmi3ValueReference[], size_t, const fmi3UInt64[],
                                   const fmi3UInt64[]) {
  return glue::no_clocks(instance, "fmi3SetIntervalFraction");
}
fmi3Status fmi3SetShiftDecimal(fmi3Instance instance, const fmi3ValueReference[], size_t, const fmi3Float64[]) {
  return glue::no_clocks(instance, "fmi3SetShiftDecimal");
}
fmi3Status fmi3SetShiftFraction(fmi3Instance instance, const fmi3ValueReference[], size_t, const fmi3UInt64[],
                                const fmi3UInt64[]) {
  return glue::no_clocks(instance, "fmi3SetShiftFraction");
}
