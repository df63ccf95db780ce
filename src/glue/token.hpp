// The GUID (FMI 1.0, 2.0) or instantiation token (FMI 3.0) of an exported model: equal for equal models, whoever builds
// them.
#pragma once

#include <cstdint>
#include <string>

#include "glue/exported.hpp"
#include "model/layout.hpp"

namespace consort::glue {

// Of everything that the description of the model says and of the layout of its memory, so that a serialised state is
// refused by any other model.
struct Token {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  [[nodiscard]] std::string text() const;  // "{01234567-89ab-cdef-0123-456789abcdef}"
};

[[nodiscard]] Token token_of(const Exported& exported, const model::Layout& layout);

}  // namespace consort::glue
