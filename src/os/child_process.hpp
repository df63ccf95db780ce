// Work that may crash or hang, done in a child process that is ended when its time is up.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace consort::os {

struct ChildOutcome {
  bool timed_out = false;
  int exit_status = -1;        // of a child that ended by itself
  int signal = 0;              // that ended it otherwise
  std::string standard_error;  // what it wrote there, at most the last 64 KiB
  [[nodiscard]] bool succeeded() const { return !timed_out && signal == 0 && exit_status == 0; }
};

struct ChildOptions {
  std::optional<double> timeout_seconds{};  // none: wait for ever
  bool capture_standard_error = true;       // otherwise it goes where ours goes
  bool silence_standard_output = false;
};

// Runs `work` in a fork of this process and ends the fork with its return value as exit status; exceptions are written
// to stderr with status 1 or 2. Only while this process has a single thread. The child is its own process group, so
// that everything that it started is ended with it, and it is ended when this process ends. The child's TempFolders are
// its own; ours are not removed by it. SIGINT and SIGTERM that arrive meanwhile are passed on to the child (ten seconds
// without effect, half a second after the second one, end it) and take their usual course here once the child has
// ended, before this returns. Throws Error (run) when no process can be made.
[[nodiscard]] ChildOutcome run_in_child(const std::function<int()>& work, const ChildOptions& options = {});

}  // namespace consort::os
