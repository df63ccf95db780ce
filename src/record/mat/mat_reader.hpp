// Trajectories in MAT files (version 4): ours, Dymola's and OpenModelica's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "record/result.hpp"

namespace consort::record {

struct MatLimits {
  std::uint64_t cells = 500'000'000;  // signals times rows of the result
};

// Both layouts (binTrans, binNormal), both byte orders, every element type. Aliases (also negated ones) and constants
// of data_1 become trajectories of their own. Of a data_2 that ends before its announced size the complete rows are
// taken if it is stored row by row. Throws Error (input) that names the file.
[[nodiscard]] Result read_mat_result(const std::filesystem::path& path);
[[nodiscard]] Result parse_mat_result(std::string_view bytes, const std::string& name_for_errors,
                                      const MatLimits& limits = {});

}  // namespace consort::record
