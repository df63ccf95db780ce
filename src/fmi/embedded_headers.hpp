// The files below src/fmi/headers as text, so that an installed program can compile source FMUs. Made by CMake.
#pragma once

#include <span>
#include <string_view>

namespace consort::fmi {

struct EmbeddedHeader {
  std::string_view path;  // "fmi2/fmi2Functions.h"
  std::string_view text;
};

[[nodiscard]] std::span<const EmbeddedHeader> embedded_headers();

}  // namespace consort::fmi
