// The GUID (FMI 1.0, 2.0) or instantiation token (FMI 3.0) of an exported model. Equal models have equal tokens on
// every machine.
#pragma once

#include <cstdint>
#include <string>

#include "glue/exported.hpp"
#include "model/layout.hpp"

namespace consort::glue {

// A digest of the model's description and of its memory layout, so that any other model refuses a serialised state.
struct Token {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  [[nodiscard]] std::string text() const;  // "{01234567-89ab-cdef-0123-456789abcdef}"
};

[[nodiscard]] Token token_of(const Exported& exported, const model::Layout& layout);

}  // namespace consort::glue
