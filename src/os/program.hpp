// Programs that Consort starts: workers, and callers of foreign binaries.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace consort::os {

// Finds a program of this installation: the environment variable `variable`, next to this program or library, or in the
// folders of an installation. Throws Error (run) that lists the searched folders; `purpose` begins its text: "units
// that run in their own processes need".
[[nodiscard]] std::filesystem::path find_program(const std::string& name, const char* variable, const char* purpose);

struct ProgramStart {
  std::filesystem::path file;
  std::vector<std::string> arguments{};
  struct Passed {
    int own = -1;     // descriptor of this process
    int number = -1;  // its number in the program
  };
  std::vector<Passed> descriptors{};       // other descriptors are not inherited, except standard error
  std::vector<std::string> environment{};  // "NAME=value"; empty: that of this process
  std::string who{};                       // begins messages: "unit 'wheel'"
};

class Program {
 public:
  // Starts the program without fork. Standard input is empty and standard output goes to standard error unless they are
  // passed. It has its own process group, so that signals from the terminal do not reach it. Throws Error (run).
  explicit Program(const ProgramStart& start);
  ~Program();  // kills the process if it still runs
  Program(Program&& other) noexcept;
  Program& operator=(Program&&) = delete;

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

}  // namespace consort::os
