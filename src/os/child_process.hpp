// Runs work that may crash or hang in a child process with a time limit.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace consort::os {

struct ChildOutcome {
  bool timed_out = false;
  int exit_status = -1;        // if the child exited
  int signal = 0;              // that killed the child; 0: no signal
  std::string standard_error;  // the child's output, at most the last 64 KiB
  [[nodiscard]] bool succeeded() const { return !timed_out && signal == 0 && exit_status == 0; }
};

struct ChildOptions {
  std::optional<double> timeout_seconds{};  // nullopt: no timeout
  bool capture_standard_error = true;       // false: shares this process's stderr
  bool silence_standard_output = false;
};

// Runs `work` in a fork of this process; its return value is the exit status of the fork. An exception is written to
// stderr and gives status 1 or 2. Call only while this process has a single thread. The child is its own process group,
// so that all its descendants are killed with it; it is killed if this process ends. The child owns its TempFolders and
// does not remove those of this process. SIGINT and SIGTERM are passed on to the child. It is killed ten seconds after
// the first signal, half a second after the second, at once at the third. When the child has ended, the signal takes
// its usual effect in this process before this function returns. Throws Error (run) if no process can be made.
[[nodiscard]] ChildOutcome run_in_child(const std::function<int()>& work, const ChildOptions& options = {});

}  // namespace consort::os
