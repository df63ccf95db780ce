// What probe() tries, one row each in trials.cpp.
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
  // Whether the FMU says that it can; none: there is no way to say so.
  std::optional<bool> (*claimed)(const describe::Description&, const describe::Interface&);
  // Runs in a process of its own. What the FMU throws counts as a failure.
  Finding (*run)(const fmi::Fmu&, const SubjectOptions&);
};

[[nodiscard]] std::span<const TrialRow> trial_rows();

}  // namespace consort::analyse
