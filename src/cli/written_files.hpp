// Files that a command writes. They are checked before the run, so that a run whose results cannot be written does not
// start, and no input file is replaced.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace consort::cli {

struct WrittenFile {
  std::string_view option;  // "--report"
  std::string file;         // empty, or "-" for the standard output: nothing to check
};

// Throws Error (input) if a file is also in `read`, is written twice, or cannot be written.
void check_written_files(const std::vector<WrittenFile>& written, const std::vector<std::string>& read);

// Writes a file and reports it on stderr. `what` names the contents in errors ("the plot"). Throws Error (run) if the
// file cannot be written.
void write_file(const std::string& file, std::string_view text, std::string_view what);

}  // namespace consort::cli
