// A worker process, as seen by the engine.
#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string>

#include <sys/types.h>

namespace consort::host {

// Finds the program `consort-worker`: $CONSORT_WORKER, next to this program or library, or in the folders of an
// installation. Throws Error (run) that lists the searched folders.
[[nodiscard]] std::filesystem::path find_worker();

class WorkerProcess {
 public:
  // Starts the program without fork. It inherits only the descriptor `segment`; its standard output goes to standard
  // error. It has its own process group, so that signals from the terminal do not reach it. Throws Error (run).
  WorkerProcess(const std::filesystem::path& program, const std::string& unit, int segment);
  ~WorkerProcess();  // kills the process if it still runs
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;

  // True if the process has ended. Does not wait.
  [[nodiscard]] bool has_ended();
  // How the process ended: "was ended by signal 9 (Killed)", "ended with exit status 3". Valid after has_ended().
  [[nodiscard]] const std::string& how() const { return how_; }
  // Advice to the user about such an end.
  [[nodiscard]] const std::string& advice() const { return advice_; }
  [[nodiscard]] pid_t id() const { return id_; }
  void kill() noexcept;  // kills it and its child processes, and waits for its end

 private:
  void reap(int wait_options) noexcept;
  void note(int status);

  pid_t id_ = -1;
  bool ended_ = false;
  std::string how_{};
  std::string advice_{};
};

}  // namespace consort::host
