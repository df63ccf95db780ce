#include "api/common.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "os/crash_guard.hpp"
#include "record/formats.hpp"

namespace consort::api {

std::optional<describe::InterfaceType> interface_of(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::string letters;
  std::copy_if(text.begin(), text.end(), std::back_inserter(letters), [](char c) { return c != '-' && c != ' '; });
  if (iequals(letters, "cs") || iequals(letters, "CoSimulation")) return describe::InterfaceType::co_simulation;
  if (iequals(letters, "me") || iequals(letters, "ModelExchange")) return describe::InterfaceType::model_exchange;
  throw input_error("there is no interface type {}; write cs (Co-Simulation) or me (Model Exchange)", quote(text));
}

Progress public_progress(const engine::Progress& p) { return {p.start, p.t, p.stop, p.step, p.wall_seconds}; }

std::optional<engine::Origin> origin_of(const std::filesystem::path& output_file) {
  if (output_file.empty() || record::format_of(output_file).read_facts == nullptr) return std::nullopt;
  return engine::Origin{.result_folder = output_file.parent_path()};
}

namespace {

std::uint64_t size_of(const describe::Description& d, const describe::Dimension& dimension,
                      const std::unordered_map<ValueReference, std::uint64_t>& sizes) {
  if (!dimension.is_reference) return dimension.size;
  if (const auto given = sizes.find(dimension.reference); given != sizes.end()) return given->second;
  const auto parameter = d.find(dimension.reference, Type::UInt64);
  const auto* const start = parameter == describe::no_variable ? nullptr : d.start(d[parameter]);
  return start == nullptr || start->type() != Type::UInt64 || start->size() == 0
             ? 0
             : start->elements<std::uint64_t>().front();
}

}  // namespace

VariableInfo variable_info(const describe::Description& d, const describe::Variable& v,
                           const std::unordered_map<ValueReference, std::uint64_t>& sizes) {
  const auto* const start = d.start(v);
  VariableInfo info{std::string(v.name),
                    std::string(name_of(v.type)),
                    std::string(name_of(v.causality)),
                    std::string(name_of(v.variability)),
                    start == nullptr ? "" : start->text(),
                    std::string(d.unit_name(v)),
                    std::string(v.description)};
  for (const auto& dimension : d.dimensions_of(v)) info.shape.push_back(size_of(d, dimension, sizes));
  info.value_reference = v.reference;
  return info;
}

}  // namespace consort::api

void consort::report_crashes() { os::install_crash_report(); }
