// The command line of this process, for the records of a run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/origin.hpp"

namespace consort::cli {

// "consort run car.yaml --set 'a.x=3 cm'": the arguments as a shell reads them.
[[nodiscard]] std::string command_line();

// For a result in a format that keeps it; else nothing.
[[nodiscard]] std::optional<engine::Origin> origin_of(const std::filesystem::path& result);

}  // namespace consort::cli
