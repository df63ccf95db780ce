// A worker: the program that runs one unit, as the engine sees it.
#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string>

#include <sys/types.h>

namespace consort::host {

// The program `consort-worker`: $CONSORT_WORKER, or beside this program or library, or where an installation has it.
// Throws Error (run) that says where it was looked for.
[[nodiscard]] std::filesystem::path find_worker();

class WorkerProcess {
 public:
  // Starts it: nothing is forked, no descriptor but `segment` is inherited, its standard output goes to standard error,
  // and it is a process group of its own, so that what is typed on the terminal does not reach it. Throws Error (run).
  WorkerProcess(const std::filesystem::path& program, const std::string& unit, int segment);
  ~WorkerProcess();  // ends it, if it still runs
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;

  // Does not wait. What it was when it has ended stays known.
  [[nodiscard]] bool has_ended();
  // "was ended by signal 9 (Killed)", "ended with exit status 3"; of one that has ended.
  [[nodiscard]] const std::string& how() const { return how_; }
  // What to do about it.
  [[nodiscard]] const std::string& advice() const { return advice_; }
  [[nodiscard]] pid_t id() const { return id_; }
  void kill() noexcept;  // at once, with all that it started, and waits for that

 private:
  void reap(int wait_options) noexcept;
  void note(int status);

  pid_t id_ = -1;
  bool ended_ = false;
  std::string how_{};
  std::string advice_{};
};

}  // namespace consort::host
