// A system file as a whole: the system, and how it is run (include/consort/settings.hpp).
#pragma once

#include <memory>

#include "consort/settings.hpp"
#include "graph/sheet.hpp"
#include "graph/system.hpp"

namespace consort::graph {

using consort::Consistency;
using consort::EventSettling;
using consort::IterationSettings;
using consort::LoopSettings;
using consort::PowerBond;
using consort::RunSettings;
using consort::ScenarioAction;
using consort::ScheduleEntry;
using consort::StepControl;

struct Document {
  System system;
  RunSettings run;
  std::shared_ptr<const Sheet> sheet{};  // where things are drawn, if the file says so
};

}  // namespace consort::graph
