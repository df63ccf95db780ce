// Runs one open FMU from start to stop, as specified by options.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "engine/origin.hpp"
#include "engine/simulate_cs.hpp"
#include "fmi/fmu.hpp"

namespace consort::engine {

struct FmuRun {
  SimulateOptions simulate{};
  std::optional<describe::InterfaceType> interface {};  // none: Co-Simulation if the FMU supports it
  std::optional<fmi::Platform> platform{};              // of the binary; none: see fmi::find_binary()
  std::string solver{};                                 // for Model Exchange, by name; empty: cvode
  std::filesystem::path event_log{};                    // for Model Exchange: a CSV file with every event
  std::string instance_name{};                          // empty: the model's name
  std::optional<Origin> origin{};                       // results say where they come from
  std::filesystem::path input_file{};                   // empty: inputs keep their start values
  bool skip_unsettable_inputs = false;                  // ignores columns of the input file that cannot be set
  bool logging = false;
  LogSink log{};
  std::function<void(std::string_view)> trace{};
  bool use_event_mode = false;
  bool allow_early_return = false;
};

// Throws Error: input if the FMU cannot be run as specified, run if it fails; rows recorded until then are kept.
report::FmuReport simulate_fmu(const fmi::Fmu& fmu, const FmuRun& run, std::span<record::Sink* const> sinks);

}  // namespace consort::engine
