// Opens nothing, decides nothing: one FMU, described by options, run from start to stop.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "engine/simulate_cs.hpp"
#include "fmi/fmu.hpp"

namespace consort::engine {

struct FmuRun {
  SimulateOptions simulate{};
  std::optional<describe::InterfaceType> interface {};  // none: Co-Simulation where the FMU has it
  std::string solver = "cvode";                         // for Model Exchange, by name
  std::filesystem::path event_log{};                    // for Model Exchange: a CSV file with every event
  std::string instance_name{};                          // none: the model's name
  std::filesystem::path input_file{};                   // none: inputs keep their start values
  bool skip_unsettable_inputs = false;                  // columns of the input file that cannot be set are left out
  bool logging = false;
  LogSink log{};
  std::function<void(std::string_view)> trace{};
  bool use_event_mode = false;
  bool allow_early_return = false;
};

// Throws Error: input for what cannot be run, run for what failed; rows recorded until then stay.
report::FmuReport simulate_fmu(const fmi::Fmu& fmu, const FmuRun& run, std::span<record::Sink* const> sinks);

}  // namespace consort::engine
