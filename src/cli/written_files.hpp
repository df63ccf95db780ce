// Files that a command writes: checked before the run, since what cannot be written at its end need not be computed,
// and what is read must not be replaced.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace consort::cli {

struct WrittenFile {
  std::string_view option;  // "--report"
  std::string file;         // empty, or "-" for the standard output: nothing to check
};

// Throws Error (input) for a file that is among `read`, that is written twice, or that cannot be written.
void check_written_files(const std::vector<WrittenFile>& written, const std::vector<std::string>& read);

// Writes a file and reports it on stderr. Throws Error (run) that says `what` cannot be written: "the plot".
void write_file(const std::string& file, std::string_view text, std::string_view what);

}  // namespace consort::cli
