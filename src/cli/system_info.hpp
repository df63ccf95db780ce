// The contents of a system as text and as JSON.
#pragma once

#include <string>

#include "graph/document.hpp"

namespace consort::cli {

[[nodiscard]] std::string system_text(const graph::Document& document);
[[nodiscard]] std::string system_json(const graph::Document& document);

}  // namespace consort::cli
