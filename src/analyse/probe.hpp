// Tests the capabilities that an FMU claims, and some that importers assume. Each trial runs in its own process with a
// time limit, so that a crash or a hang in one trial does not affect the others.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "describe/description.hpp"
#include "fmi/fmu.hpp"

namespace consort::analyse {

enum class Verdict : std::uint8_t {
  holds,
  fails,      // does not work, or gives wrong results
  absent,     // the FMU does not have the capability, or the trial is not possible
  crashed,    // the process ended by itself
  timed_out,  // the process was killed at the time limit
};
[[nodiscard]] std::string_view name_of(Verdict verdict);  // "holds", "timed out"

struct Trial {
  std::string name;             // "rollback"
  std::optional<bool> claimed;  // nullopt: the standard has no flag for it
  Verdict verdict = Verdict::absent;
  std::string text;  // the observation, one line
};

struct ProbeOptions {
  fmi::OpenOptions open{};
  std::optional<describe::InterfaceType> interface {};  // default: Co-Simulation if the FMU supports it
  std::optional<Duration> step{};                       // default: the FMU's own, or a hundredth of its experiment
  double timeout_seconds = 10;                          // for each trial
  std::vector<std::pair<std::string, std::string>> start_values{};
  std::string only{};  // the name of a trial; empty: all of them
};

struct ProbeReport {
  std::string model;
  describe::FmiVersion version = describe::FmiVersion::v2;
  describe::InterfaceType interface = describe::InterfaceType::co_simulation;
  Duration step = 0;
  std::vector<Trial> trials;

  [[nodiscard]] const Trial& operator[](std::string_view name) const;  // throws Error (input) for an unknown name
  // True if no claimed capability failed and no trial crashed or timed out.
  [[nodiscard]] bool keeps_its_word() const;
};

// Call it only while the process has a single thread. Throws Error (input) if the FMU cannot be opened, does not have
// the interface, or does not accept the start values.
[[nodiscard]] ProbeReport probe(const std::filesystem::path& file, const ProbeOptions& options = {});

}  // namespace consort::analyse
