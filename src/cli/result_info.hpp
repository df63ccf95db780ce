// The contents of a result as text and as JSON.
#pragma once

#include <string>
#include <string_view>

#include "record/result.hpp"

namespace consort::cli {

// `format`: the name of its format.
[[nodiscard]] std::string result_text(const record::Result& result, std::string_view format);
[[nodiscard]] std::string result_json(const record::Result& result, std::string_view format);

}  // namespace consort::cli
