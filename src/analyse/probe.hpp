// Tries what an FMU claims, and some of what importers take for granted: each trial in a process of its own that is
// ended when its time is up, so that an FMU which crashes or hangs in one of them still gets through the others.
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
  fails,      // it does not work, or not as it should
  absent,     // the FMU does not have it, or there is nothing to try it with
  crashed,    // the process ended
  timed_out,  // the process was ended
};
[[nodiscard]] std::string_view name_of(Verdict verdict);  // "holds", "timed out"

struct Trial {
  std::string name;             // "rollback"
  std::optional<bool> claimed;  // none: there is no way for an FMU to say so
  Verdict verdict = Verdict::absent;
  std::string text;  // what was seen, one line
};

struct ProbeOptions {
  fmi::OpenOptions open{};
  std::optional<describe::InterfaceType> interface {};  // default: Co-Simulation where the FMU has it
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

  [[nodiscard]] const Trial& operator[](std::string_view name) const;  // throws Error (input) when there is none
  // No claim failed, and no trial ended its process.
  [[nodiscard]] bool keeps_its_word() const;
};

// Only while this process has a single thread. Throws Error (input) for what cannot be opened, an interface that the
// FMU does not have and start values that do not fit.
[[nodiscard]] ProbeReport probe(const std::filesystem::path& file, const ProbeOptions& options = {});

}  // namespace consort::analyse
