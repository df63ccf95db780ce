#include "host/process/worker_process.hpp"

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

#include "base/error.hpp"

extern char** environ;

namespace consort::host {

namespace fs = std::filesystem;

namespace {

constexpr const char* program_name = "consort-worker";
constexpr int inherited = 3;  // descriptor number of the segment in the worker

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
  if (::dladdr(reinterpret_cast<const void*>(&find_worker), &info) != 0 && info.dli_fname != nullptr)
    add(info.dli_fname);
  add("/proc/self/exe");
  return folders;
}

// Attributes of a spawned process.
class SpawnSetup {
 public:
  explicit SpawnSetup(int segment) {
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
    // Do this first: the segment may have the number of a standard descriptor that is closed in this process.
    ::posix_spawn_file_actions_adddup2(&actions, segment, inherited);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (::fcntl(STDERR_FILENO, F_GETFD) < 0 || segment == STDERR_FILENO)
      ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&actions, inherited + 1);
  }
  ~SpawnSetup() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  posix_spawnattr_t attributes{};
  posix_spawn_file_actions_t actions{};
};

}  // namespace

fs::path find_worker() {
  if (const char* const given = std::getenv("CONSORT_WORKER"); given != nullptr && *given != '\0') {
    if (!is_program(given))
      throw run_error("CONSORT_WORKER is set to '{}', which is not a program; correct or unset the variable", given);
    return given;
  }
  std::vector<std::string> tried;
  for (const auto& folder : own_folders()) {
    // Libraries may be one folder deeper, below lib/<architecture>.
    for (const char* const place : {".", "../bin", "../libexec/consort", "../../bin", "../../libexec/consort"}) {
      auto candidate = (folder / place / program_name).lexically_normal();
      if (is_program(candidate)) return candidate;
      tried.push_back(candidate.string());
    }
  }
  throw run_error(
      "units that run in their own processes need the program '{}', which is in none of: {}; install it, or set the "
      "environment variable CONSORT_WORKER to its path",
      program_name, fmt::join(tried, ", "));
}

WorkerProcess::WorkerProcess(const fs::path& program, const std::string& unit, int segment) {
  const SpawnSetup setup(segment);
  std::string path = program.string();
  std::string number = std::to_string(inherited);
  std::string name = unit;  // shows the unit in process lists
  std::array<char*, 4> arguments{path.data(), number.data(), name.data(), nullptr};
  const int error = ::posix_spawn(&id_, path.c_str(), &setup.actions, &setup.attributes, arguments.data(), environ);
  if (error != 0) {
    id_ = -1;
    throw run_error(
        "unit '{}': its process cannot be started from '{}': {}; check this file and the system limits for "
        "processes and open files",
        unit, path, std::generic_category().message(error));
  }
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : id_(std::exchange(other.id_, -1)),
      ended_(other.ended_),
      how_(std::move(other.how_)),
      advice_(std::move(other.advice_)) {}

WorkerProcess::~WorkerProcess() { kill(); }

bool WorkerProcess::has_ended() {
  if (!ended_ && id_ > 0) reap(WNOHANG);
  return ended_;
}

void WorkerProcess::kill() noexcept {
  if (id_ <= 0 || ended_) return;
  // Kill the group first, while its number cannot belong to another process.
  ::kill(-id_, SIGKILL);
  ::kill(id_, SIGKILL);
  reap(0);
}

void WorkerProcess::reap(int wait_options) noexcept {
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

void WorkerProcess::note(int status) {
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

}  // namespace consort::host
