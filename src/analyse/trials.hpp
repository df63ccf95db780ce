// The trials of probe(), one row each in trials.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analyse/probe.hpp"
#include "analyse/subject.hpp"

namespace consort::analyse {

struct Finding {
  Verdict verdict = Verdict::absent;
  std::string text;
};

struct TrialRow {
  std::string_view name;
  // True if the FMU claims the capability; nullopt if the standard has no flag for it.
  std::optional<bool> (*claimed)(const describe::Description&, const describe::Interface&);
  // Runs in its own process. An error of the FMU counts as a failure.
  Finding (*run)(const fmi::Fmu&, const SubjectOptions&);
};

[[nodiscard]] std::span<const TrialRow> trial_rows();

}  // namespace consort::analyse
