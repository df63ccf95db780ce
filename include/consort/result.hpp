// The result of a run: rows by variable, and a report.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "consort/error.hpp"
#include "consort/export.hpp"

namespace consort {

// The progress of a run; passed to progress functions a few times a second.
struct Progress {
  double start_time = 0, time = 0, stop_time = 0;
  double step_size = 0;
  double wall_seconds = 0;  // since the first step
};

// One recorded variable, or one element of an array ("x[1]", "A[2,3]").
struct SignalInfo {
  std::string name;
  std::string type;  // "Float64", "Boolean", …
  std::string unit;
  std::string description;
};

// Rows of a run by variable. Returned views and references are valid as long as the result.
class CONSORT_API Result {
 public:
  // Reads a result file in any format that Consort writes, see docs/results.md.
  [[nodiscard]] static Result read(const std::filesystem::path& file);
  Result(Result&&) noexcept;
  Result& operator=(Result&&) noexcept;
  ~Result();

  [[nodiscard]] std::span<const double> time() const;
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] std::vector<SignalInfo> signals() const;  // in the order of names()
  // One number per row; Booleans are 0 and 1. Throws for an unknown name (with suggestions) and for a text variable.
  [[nodiscard]] std::span<const double> operator[](std::string_view name) const;
  // One text per row, for variables of type String and Binary (hexadecimal). Throws for an unknown name and for a
  // numeric variable.
  [[nodiscard]] std::span<const std::string> texts(std::string_view name) const;
  // The unit of measure; empty: no unit. Throws for an unknown name.
  [[nodiscard]] const std::string& unit(std::string_view name) const;
  // A short report of the run and its assumptions; empty for results that were read from files.
  [[nodiscard]] const std::string& report() const;
  // The report as JSON for programs. For a system run it includes errors per connection, bonds and iterations.
  [[nodiscard]] const std::string& report_json() const;
  // The reason why the run ended before its stop time; empty if it did not.
  [[nodiscard]] const std::string& ended_early() const;

  struct Data;  // of the library
  explicit Result(std::unique_ptr<Data> data);

 private:
  std::unique_ptr<Data> data_;
};

// A run that failed after recording began, with the rows recorded up to then.
class CONSORT_API FailedRun : public Error {
 public:
  FailedRun(const Error& error, std::shared_ptr<const Result> result);
  ~FailedRun() override;
  FailedRun(const FailedRun&) noexcept;
  FailedRun& operator=(const FailedRun&) noexcept;
  [[nodiscard]] const Result& result() const noexcept { return *result_; }
  [[nodiscard]] const std::shared_ptr<const Result>& shared_result() const noexcept { return result_; }

 private:
  std::shared_ptr<const Result> result_;
};

}  // namespace consort
