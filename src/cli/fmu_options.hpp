// Options that every command opening an FMU has.
#pragma once

#include <CLI/CLI.hpp>

#include "fmi/fmu.hpp"

namespace consort::cli {

inline void add_open_options(CLI::App& command, fmi::OpenOptions& options) {
  command.add_flag("--strict", options.strict, "refuse an FMU that breaks a rule of the standard");
  command.add_option("--max-unpacked-bytes", options.archive.total_bytes, "refuse archives that unpack to more")
      ->capture_default_str();
  command.add_option("--max-entries", options.archive.entries, "refuse archives with more entries")
      ->capture_default_str();
  command.add_option("--max-ratio", options.archive.ratio, "refuse entries that unpack to more times their size")
      ->capture_default_str();
}

}  // namespace consort::cli
