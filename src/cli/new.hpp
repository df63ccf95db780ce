// `consort new KIND`: each kind has one file and one row in the table in new.cpp.
#pragma once

#include "cli/command.hpp"

namespace consort::cli {

void add_new_model(CLI::App& app, Action& action);

}  // namespace consort::cli
