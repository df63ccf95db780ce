// FMUs from C++: open one, look into it, simulate it, use the numbers.
//
//   const consort::Fmu ball("BouncingBall.fmu");
//   const consort::Result result = ball.simulate({.stop_time = 2.0, .start_values = {{"e", "0.9"}}});
//   for (std::size_t i = 0; i < result.time().size(); ++i) use(result.time()[i], result["h"][i]);
//
// Everything throws consort::Error with a text for people; nothing else is thrown on purpose.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "consort/error.hpp"
#include "consort/export.hpp"

namespace consort {

// What is not given comes from the FMU's default experiment, then from defaults that Result::report() names.
struct SimulateOptions {
  std::optional<double> start_time = {};
  std::optional<double> stop_time = {};
  std::optional<double> step_size = {};        // between communication points
  std::optional<double> output_interval = {};  // between rows; default: every communication point
  std::optional<double> tolerance = {};
  std::vector<std::pair<std::string, std::string>> start_values = {};  // name, value as text
  std::filesystem::path input_file = {};                               // CSV: time first, then inputs
  std::vector<std::string> outputs = {};                               // what to record; default: the FMU's outputs
  std::filesystem::path output_file = {};                              // also write the rows there
};

struct VariableInfo {
  std::string name;
  std::string type;         // "Float64", "Boolean", …
  std::string causality;    // "input", "output", "parameter", …
  std::string variability;  // "continuous", "discrete", …
  std::string start;        // empty when there is none
  std::string unit;
  std::string description;
};

// Rows of a run, variable by variable.
class CONSORT_API Result {
 public:
  Result(Result&&) noexcept;
  Result& operator=(Result&&) noexcept;
  ~Result();

  [[nodiscard]] std::span<const double> time() const;
  [[nodiscard]] std::vector<std::string> names() const;
  // One number per row; Booleans are 0 and 1. Throws for an unknown name (with suggestions) and for texts.
  [[nodiscard]] std::span<const double> operator[](std::string_view name) const;
  // What was done and assumed, in a few lines.
  [[nodiscard]] const std::string& report() const;

 private:
  friend class Fmu;
  struct Data;
  explicit Result(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

class CONSORT_API Fmu {
 public:
  // A .fmu file or a folder that one was unpacked into. Tolerant: what breaks a rule but can be used is in problems().
  explicit Fmu(const std::filesystem::path& path);
  Fmu(Fmu&&) noexcept;
  Fmu& operator=(Fmu&&) noexcept;
  ~Fmu();

  [[nodiscard]] const std::string& model_name() const;
  [[nodiscard]] const std::string& fmi_version() const;  // "2.0"
  [[nodiscard]] std::vector<VariableInfo> variables() const;
  // Every rule of the standard that it breaks, one text each, with file and line.
  [[nodiscard]] std::vector<std::string> problems() const;

  // Runs it once from start to stop, in this process. May be called any number of times.
  [[nodiscard]] Result simulate(const SimulateOptions& options = {}) const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace consort
