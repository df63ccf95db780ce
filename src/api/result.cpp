#include "consort/result.hpp"

#include "api/common.hpp"
#include "base/error.hpp"
#include "record/formats.hpp"

namespace consort {

// --- Result ----------------------------------------------------------------------------------------------------------

Result::Result(std::unique_ptr<Data> data) : data_(std::move(data)) {}
Result::Result(Result&&) noexcept = default;
Result& Result::operator=(Result&&) noexcept = default;
Result::~Result() = default;

Result Result::read(const std::filesystem::path& file) {
  auto data = std::make_unique<Data>();
  data->rows = record::read_result(file);
  return Result(std::move(data));
}

std::span<const double> Result::time() const { return data_->rows.time; }

std::vector<std::string> Result::names() const {
  std::vector<std::string> names;
  names.reserve(data_->rows.trajectories.size());
  for (const auto& t : data_->rows.trajectories) names.push_back(t.signal.name);
  return names;
}

std::vector<SignalInfo> Result::signals() const {
  std::vector<SignalInfo> all;
  all.reserve(data_->rows.trajectories.size());
  for (const auto& t : data_->rows.trajectories)
    all.push_back({t.signal.name, std::string(name_of(t.signal.type)), t.signal.unit, t.signal.description});
  return all;
}

std::span<const double> Result::operator[](std::string_view name) const {
  const auto& trajectory = data_->rows[name];
  require(!trajectory.is_text(), "'{}' is a text, not a number; read it as texts", name);
  return trajectory.numbers;
}

std::span<const std::string> Result::texts(std::string_view name) const {
  const auto& trajectory = data_->rows[name];
  require(trajectory.is_text(), "'{}' is a number, not a text; read it as numbers", name);
  return trajectory.texts;
}

const std::string& Result::unit(std::string_view name) const { return data_->rows[name].signal.unit; }
const std::string& Result::report() const { return data_->report; }
const std::string& Result::report_json() const { return data_->report_json; }
const std::string& Result::ended_early() const { return data_->ended_early; }

// --- FailedRun -------------------------------------------------------------------------------------------------------

FailedRun::FailedRun(const Error& error, std::shared_ptr<const Result> result)
    : Error(error), result_(std::move(result)) {}
FailedRun::~FailedRun() = default;
FailedRun::FailedRun(const FailedRun&) noexcept = default;
FailedRun& FailedRun::operator=(const FailedRun&) noexcept = default;

}  // namespace consort
