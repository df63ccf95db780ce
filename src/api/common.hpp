// What the parts of the public API share behind their faces.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "consort/fmu.hpp"
#include "consort/result.hpp"
#include "describe/description.hpp"
#include "engine/origin.hpp"
#include "engine/simulate_cs.hpp"
#include "record/result.hpp"

namespace consort {

struct Result::Data {
  record::Result rows;
  std::string report, report_json;
  std::string ended_early;
};

namespace api {

// "cs", "me" or the standard's names in any spelling; none for an empty text. Throws Error (input) for anything else.
[[nodiscard]] std::optional<describe::InterfaceType> interface_of(std::string_view text);

[[nodiscard]] Progress public_progress(const engine::Progress& progress);

// For results in a format that keeps it.
[[nodiscard]] std::optional<engine::Origin> origin_of(const std::filesystem::path& output_file);

// `sizes`: structural parameters that have other values than their start values.
[[nodiscard]] VariableInfo variable_info(const describe::Description& description, const describe::Variable& variable,
                                         const std::unordered_map<ValueReference, std::uint64_t>& sizes = {});

// Runs `run` (returning a report that has text() and ended_early), which fills data->rows. What was recorded before an
// Error goes along with it as a FailedRun.
template <class Run>
Result collect(std::unique_ptr<Result::Data> data, Run run) {
  try {
    const auto report = run(data->rows);
    data->report = report.text();
    if constexpr (requires { report.json(); }) data->report_json = report.json();
    data->ended_early = report.ended_early;
  } catch (const Error& error) {
    if (data->rows.time.empty()) throw;
    data->ended_early = error.what();
    throw FailedRun(error, std::make_shared<const Result>(std::move(data)));
  }
  return Result(std::move(data));
}

}  // namespace api
}  // namespace consort
