// `consort analyse WHAT`: each analysis has one file and one row in the table in analyse.cpp.
#pragma once

#include "cli/command.hpp"

namespace consort::cli {

void add_analyse_linearise(CLI::App& app, Action& action);

}  // namespace consort::cli
