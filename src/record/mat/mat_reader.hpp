// Reads trajectories in MAT files (version 4) of Consort, Dymola and OpenModelica.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "record/result.hpp"

namespace consort::record {

struct MatLimits {
  std::uint64_t cells = 500'000'000;  // limit of signals times rows of the result
};

// Supports both layouts (binTrans, binNormal), both byte orders and every element type. Aliases (also negated ones) and
// constants of data_1 become separate trajectories. If data_2 is shorter than announced and stored row by row, its
// complete rows are read. Throws Error (input) that names the file.
[[nodiscard]] Result read_mat_result(const std::filesystem::path& path);
[[nodiscard]] Result parse_mat_result(std::string_view bytes, const std::string& name_for_errors,
                                      const MatLimits& limits = {});

}  // namespace consort::record
