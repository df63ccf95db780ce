// FMUs from C++: open an FMU, inspect it, simulate it, use the results.
//
//   const consort::Fmu ball("BouncingBall.fmu");
//   const consort::Result result = ball.simulate({.stop_time = 2.0, .start_values = {{"e", "0.9"}}});
//   for (std::size_t i = 0; i < result.time().size(); ++i) use(result.time()[i], result["h"][i]);
//
// All functions report failures as consort::Error with a text for people. Coupled FMUs: consort/system.hpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "consort/error.hpp"
#include "consort/export.hpp"
#include "consort/linearise.hpp"
#include "consort/result.hpp"

namespace consort {

// Options that are not given come from the FMU's default experiment, then from defaults that Result::report() names.
struct SimulateOptions {
  std::optional<double> start_time = {};
  std::optional<double> stop_time = {};
  std::optional<double> step_size = {};        // between communication points
  std::optional<double> output_interval = {};  // between rows; default: every communication point
  std::optional<double> tolerance = {};
  std::vector<std::pair<std::string, std::string>> start_values = {};  // name, value as text
  std::filesystem::path input_file = {};                               // CSV: time first, then inputs
  std::vector<std::string> outputs = {};   // variables to record; default: the FMU's outputs
  std::filesystem::path output_file = {};  // also write the rows there
  std::string interface_type = {};         // "cs" or "me"; default: cs if the FMU has it
  std::string solver = {};                 // for Model Exchange; default: cvode
  std::string platform = {};  // the binary to run: "win64"; default: the first one that this machine can run
  std::function<void(const Progress&)> progress = {};  // a few times a second
  const std::atomic<bool>* stop_requested = nullptr;   // true ends the run cleanly; null: never
};

struct VariableInfo {
  std::string name;
  std::string type;         // "Float64", "Boolean", …
  std::string causality;    // "input", "output", "parameter", …
  std::string variability;  // "continuous", "discrete", …
  std::string start;        // empty: no start value
  std::string unit;
  std::string description;
  std::vector<std::uint64_t> shape = {};  // at the start values of structural parameters; empty for a scalar
  std::uint32_t value_reference = 0;
};

// An interface type of an FMU with its most requested capabilities.
struct InterfaceInfo {
  std::string type;  // "Co-Simulation", "Model Exchange", "Scheduled Execution"
  std::string model_identifier;
  bool needs_execution_tool = false;
  bool only_once_per_process = false;
  bool can_save_state = false;
  bool can_serialize_state = false;
  bool directional_derivatives = false;
  bool variable_step = false;
  bool event_mode = false;
  std::optional<double> fixed_internal_step = {};
};

// The model description without the variables.
struct ModelInfo {
  std::string model_name;
  std::string fmi_version;  // "2.0"
  std::string description;
  std::string author;
  std::string version;
  std::string copyright;
  std::string license;
  std::string generation_tool;
  std::string generation_date;
  std::string instantiation_token;
  std::optional<double> start_time = {};  // of the default experiment
  std::optional<double> stop_time = {};
  std::optional<double> tolerance = {};
  std::optional<double> step_size = {};
  std::uint32_t continuous_states = 0;
  std::uint32_t event_indicators = 0;
  std::vector<InterfaceInfo> interfaces = {};
};

class CONSORT_API Fmu {
 public:
  // Opens a .fmu file, or a folder that contains an unpacked FMU. Rule violations that do not prevent the use of the
  // FMU are accepted and listed in problems().
  explicit Fmu(const std::filesystem::path& path);
  Fmu(Fmu&&) noexcept;
  Fmu& operator=(Fmu&&) noexcept;
  ~Fmu();

  [[nodiscard]] const std::string& model_name() const;
  [[nodiscard]] const std::string& fmi_version() const;  // "2.0"
  [[nodiscard]] ModelInfo info() const;
  [[nodiscard]] std::vector<VariableInfo> variables() const;
  // All violations of the standard, one text each, with file and line.
  [[nodiscard]] std::vector<std::string> problems() const;

  // Runs the FMU once from start to stop, in this process. May be called any number of times. If the FMU fails during
  // the run, throws FailedRun with the rows up to the failure.
  [[nodiscard]] Result simulate(const SimulateOptions& options = {}) const;

  // The linear model at a point of the trajectory, of an FMU with Model Exchange. Inputs keep their start values.
  [[nodiscard]] Linearisation linearise(const LineariseOptions& options = {}) const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace consort
