#include "os/program.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptor.hpp"
#include "base/error.hpp"

extern char** environ;

namespace consort::os {

namespace fs = std::filesystem;

namespace {

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

// Returns the folders of the library that contains this code and of the running program.
std::vector<fs::path> own_folders() {
  std::vector<fs::path> folders;
  const auto add = [&](const fs::path& file) {
    std::error_code error;
    const auto real = fs::canonical(file, error);
    if (error) return;
    if (folders.empty() || folders.back() != real.parent_path()) folders.push_back(real.parent_path());
  };
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&find_program), &info) != 0 && info.dli_fname != nullptr)
    add(info.dli_fname);
  add("/proc/self/exe");
  return folders;
}

// Attributes of a spawned process.
class SpawnSetup {
 public:
  explicit SpawnSetup(const std::vector<ProgramStart::Passed>& passed) {
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_init(&actions);
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);

    int last = STDERR_FILENO;
    for (const auto& p : passed) last = std::max(last, p.number);
    const auto gives = [&](int number) {
      return std::any_of(passed.begin(), passed.end(), [&](const auto& p) { return p.number == number; });
    };
    // Copies above all numbers of the program: a descriptor may have the number that another one gets, or that of a
    // standard descriptor which is closed in this process.
    for (const auto& p : passed) copies_.emplace_back(::fcntl(p.own, F_DUPFD_CLOEXEC, last + 1));
    const bool is_taken =
        std::any_of(passed.begin(), passed.end(), [](const auto& p) { return p.own == STDERR_FILENO; });
    if (!gives(STDERR_FILENO) && (is_taken || ::fcntl(STDERR_FILENO, F_GETFD) < 0)) open_null(STDERR_FILENO, O_WRONLY);
    if (!gives(STDIN_FILENO)) open_null(STDIN_FILENO, O_RDONLY);
    if (!gives(STDOUT_FILENO)) ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    for (std::size_t i = 0; i < passed.size(); ++i)
      ::posix_spawn_file_actions_adddup2(&actions, copies_[i].get(), passed[i].number);
    ::posix_spawn_file_actions_addclosefrom_np(&actions, last + 1);
  }
  ~SpawnSetup() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  posix_spawnattr_t attributes{};
  posix_spawn_file_actions_t actions{};

 private:
  void open_null(int number, int mode) { ::posix_spawn_file_actions_addopen(&actions, number, "/dev/null", mode, 0); }
  std::vector<Descriptor> copies_;
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (auto& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

fs::path find_program(const std::string& name, const char* variable, const char* purpose) {
  if (const char* const given = std::getenv(variable); given != nullptr && *given != '\0') {
    if (!is_program(given))
      throw run_error("{} is set to '{}', which is not a program; correct or unset the variable", variable, given);
    return given;
  }
  std::vector<std::string> tried;
  for (const auto& folder : own_folders()) {
    // Libraries may be one folder deeper, below lib/<architecture>.
    for (const char* const place : {".", "../bin", "../libexec/consort", "../../bin", "../../libexec/consort"}) {
      auto candidate = (folder / place / name).lexically_normal();
      if (is_program(candidate)) return candidate;
      tried.push_back(candidate.string());
    }
  }
  throw run_error(
      "{} the program '{}', which is in none of: {}; install it, or set the environment variable {} to its path",
      purpose, name, fmt::join(tried, ", "), variable);
}

Program::Program(const ProgramStart& start) {
  const SpawnSetup setup(start.descriptors);
  std::vector<std::string> arguments{start.file.string()};
  arguments.insert(arguments.end(), start.arguments.begin(), start.arguments.end());
  std::vector<std::string> variables = start.environment;
  const int error = ::posix_spawn(&id_, arguments.front().c_str(), &setup.actions, &setup.attributes,
                                  pointers(arguments).data(), variables.empty() ? environ : pointers(variables).data());
  if (error != 0) {
    id_ = -1;
    throw run_error(
        "{}: its process cannot be started from '{}': {}; check this file and the system limits for "
        "processes and open files",
        start.who, start.file.string(), std::generic_category().message(error));
  }
}

Program::Program(Program&& other) noexcept
    : id_(std::exchange(other.id_, -1)),
      ended_(other.ended_),
      how_(std::move(other.how_)),
      advice_(std::move(other.advice_)) {}

Program::~Program() { kill(); }

bool Program::has_ended() {
  if (!ended_ && id_ > 0) reap(WNOHANG);
  return ended_;
}

void Program::kill() noexcept {
  if (id_ <= 0 || ended_) return;
  // Kill the group first, while its number cannot belong to another process.
  ::kill(-id_, SIGKILL);
  ::kill(id_, SIGKILL);
  reap(0);
}

void Program::reap(int wait_options) noexcept {
  // Also kill the child processes of the worker.
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOWAIT | wait_options) == 0 && info.si_pid == id_)
    ::kill(-id_, SIGKILL);
  int status = 0;
  pid_t got = 0;
  do {
    got = ::waitpid(id_, &status, wait_options);
  } while (got < 0 && errno == EINTR);
  if (got == 0) return;
  ended_ = true;
  try {
    got == id_ ? note(status) : note(-1);
  } catch (...) {  // no memory for the text
  }
}

void Program::note(int status) {
  if (status >= 0 && WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    const char* const text = ::sigdescr_np(signal);
    how_ = fmt::format("was ended by signal {} ({})", signal, text != nullptr ? text : "unknown");
    advice_ = signal == SIGKILL ? "another program killed it, or the system ran out of memory"
                                : "its output on standard error may say why; report it to the maker of the unit";
  } else if (status >= 0) {
    how_ = fmt::format("ended with exit status {}", WEXITSTATUS(status));
    advice_ = "a unit must not end its process; report it to the maker of the unit";
  } else {
    how_ = "has ended (other code in this program collected its exit status)";
    advice_ = "other code must not wait for child processes that it did not start";
  }
}

}  // namespace consort::os
