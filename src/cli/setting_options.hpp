// Options of the command line that are settings of a run: made from the table of settings.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "consort/settings.hpp"
#include "settings/table.hpp"

namespace consort::cli {

class SettingOptions {
 public:
  // Adds an option for every row that has one, and `--setting KEY=VALUE` for all. Must outlive the parsing.
  void add_to(CLI::App& command);
  // Puts what was given in place of the settings of a file. Throws Error (input) that names the option.
  void apply(RunSettings& run) const;

 private:
  struct Given {
    const settings::Row* row = nullptr;
    std::vector<std::string> texts{};
  };
  std::vector<std::unique_ptr<Given>> given_;  // by row with an option
  std::vector<std::string> others_;            // of --setting
};

}  // namespace consort::cli
