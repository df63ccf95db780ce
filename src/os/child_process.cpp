#include "os/child_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "os/temp_folder.hpp"

namespace consort::os {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_kept = 64 * 1024;
constexpr Clock::duration grace = std::chrono::seconds(10);
// Lets a child save its data after the second interrupt.
constexpr Clock::duration moment = std::chrono::milliseconds(500);

// --- signals while waiting

// Set by the handlers, which run only inside ppoll(): the signals are blocked at all other times.
volatile sig_atomic_t interrupts = 0;
volatile sig_atomic_t last_interrupt = 0;

void on_interrupt(int signal) {
  interrupts = interrupts + 1;
  last_interrupt = signal;
}
void on_child(int) {}  // only to wake ppoll()

// Blocks the signals and replaces their handlers; the destructor restores both. An ignored signal stays ignored.
class SignalWatch {
 public:
  SignalWatch() {
    interrupts = 0;
    sigset_t watched;
    ::sigemptyset(&watched);
    for (const int signal : signals) ::sigaddset(&watched, signal);
    ::sigprocmask(SIG_BLOCK, &watched, &mask_before_);
    waiting_mask_ = mask_before_;
    for (std::size_t i = 0; i < signals.size(); ++i) {
      ::sigaction(signals[i], nullptr, &before_[i]);
      const bool is_interrupt = signals[i] != SIGCHLD;
      if (is_interrupt && before_[i].sa_handler == SIG_IGN) continue;
      struct sigaction action {};
      action.sa_handler = is_interrupt ? on_interrupt : on_child;
      action.sa_mask = watched;
      ::sigaction(signals[i], &action, nullptr);
      ::sigdelset(&waiting_mask_, signals[i]);
    }
  }
  ~SignalWatch() { restore(); }
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  void restore() {
    if (std::exchange(restored_, true)) return;
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &before_[i], nullptr);
    ::sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
  }
  [[nodiscard]] const sigset_t& waiting_mask() const { return waiting_mask_; }

 private:
  static constexpr std::array<int, 3> signals = {SIGINT, SIGTERM, SIGCHLD};
  std::array<struct sigaction, 3> before_{};
  sigset_t mask_before_{};
  sigset_t waiting_mask_{};
  bool restored_ = false;
};

// --- in the child

int run_guarded(const std::function<int()>& work) {
  try {
    const int status = work();
    return status >= 0 && status <= 255 ? status : 1;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_status();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  } catch (...) {
    std::fprintf(stderr, "an exception of unknown type\n");
  }
  return 1;
}

[[noreturn]] void be_the_child(const std::function<int()>& work, const ChildOptions& options, int standard_error,
                               pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // the parent ended before prctl()
  if (standard_error >= 0) ::dup2(standard_error, STDERR_FILENO);
  if (options.silence_standard_output) {
    const Descriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    if (nowhere.valid()) ::dup2(nowhere.get(), STDOUT_FILENO);
  }
  const int status = run_guarded(work);
  TempFolder::remove_live();
  std::cout.flush();
  std::cerr.flush();
  std::fflush(nullptr);
  ::_exit(status);
}

// --- in the parent

class Watcher {
 public:
  Watcher(pid_t child, Descriptor standard_error, const ChildOptions& options)
      : child_(child), standard_error_(std::move(standard_error)) {
    // An overflowing timeout means no timeout.
    if (options.timeout_seconds && *options.timeout_seconds < 1e9) {
      const std::chrono::duration<double> patience(std::max(0.0, *options.timeout_seconds));
      deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(patience);
    }
  }

  ChildOutcome wait(const sigset_t& waiting_mask) {
    while (!has_ended()) {
      if (deadline_ && Clock::now() >= *deadline_) {
        outcome_.timed_out = !interrupted_;
        if (!impatient_) let_it_say_where_it_is();
        break;
      }
      sleep_until_something_happens(waiting_mask);
      read_standard_error();
      pass_interrupts_on();
    }
    // Kill before reaping: until then no other process group can have this id.
    ::kill(-child_, SIGKILL);
    reap();
    read_standard_error();
    keep_last(most_kept);
    return std::move(outcome_);
  }

 private:
  // The child's crash guard writes the recorded data and names the call that does not return.
  void let_it_say_where_it_is() {
    ::kill(child_, SIGXCPU);
    for (int i = 0; i < 50 && !has_ended(); ++i) {
      ::usleep(10'000);
      read_standard_error();
    }
  }

  [[nodiscard]] bool has_ended() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child_;
  }

  void sleep_until_something_happens(const sigset_t& waiting_mask) {
    timespec left{};
    if (deadline_) {
      const auto rest = std::max(Clock::duration::zero(), *deadline_ - Clock::now());
      const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(rest).count();
      left.tv_sec = static_cast<time_t>(nanoseconds / 1'000'000'000);
      left.tv_nsec = static_cast<long>(nanoseconds % 1'000'000'000);
    }
    pollfd input{standard_error_.get(), POLLIN, 0};
    ::ppoll(&input, standard_error_.valid() ? 1 : 0, deadline_ ? &left : nullptr, &waiting_mask);
  }

  void read_standard_error() {
    std::array<char, 16 * 1024> buffer;
    while (standard_error_.valid()) {
      const ssize_t got = ::read(standard_error_.get(), buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return;
      if (got <= 0) return standard_error_.reset();
      outcome_.standard_error.append(buffer.data(), static_cast<std::size_t>(got));
      keep_last(2 * most_kept);
      // A child that writes endlessly must not prevent the timeout.
      if (deadline_ && Clock::now() >= *deadline_) return;
    }
  }

  void keep_last(std::size_t most) {
    std::string& text = outcome_.standard_error;
    if (text.size() > most) text.erase(0, text.size() - most_kept);
  }

  void pass_interrupts_on() {
    if (interrupts == passed_on_) return;
    passed_on_ = interrupts;
    impatient_ = passed_on_ > 1;
    ::kill(-child_, passed_on_ > 2 ? SIGKILL : last_interrupt);
    const auto end = Clock::now() + (impatient_ ? moment : grace);
    if (!deadline_ || end < *deadline_) {
      deadline_ = end;
      interrupted_ = true;
    }
  }

  void reap() {
    int status = 0;
    while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) outcome_.exit_status = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) outcome_.signal = WTERMSIG(status);
  }

  pid_t child_;
  Descriptor standard_error_;
  std::optional<Clock::time_point> deadline_;
  ChildOutcome outcome_;
  int passed_on_ = 0;
  bool impatient_ = false;    // a second interrupt was received
  bool interrupted_ = false;  // the deadline is that of an interrupt
};

}  // namespace

ChildOutcome run_in_child(const std::function<int()>& work, const ChildOptions& options) {
  Descriptor read_end;
  Descriptor write_end;
  if (options.capture_standard_error) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw run_error("cannot make a pipe: {}; close some programs and try again",
                      std::generic_category().message(errno));
    }
    read_end.reset(ends[0]);
    write_end.reset(ends[1]);
    ::fcntl(read_end.get(), F_SETFL, O_NONBLOCK);
  }
  // Otherwise both processes would write the buffered text.
  std::cout.flush();
  std::fflush(nullptr);

  SignalWatch watch;
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    throw run_error("cannot start a process: {}; close some programs and try again",
                    std::generic_category().message(errno));
  }
  if (child == 0) {
    watch.restore();
    read_end.reset();
    be_the_child(work, options, write_end.get(), parent);
  }
  ::setpgid(child, child);  // both processes call it, in any order
  write_end.reset();
  ChildOutcome outcome = Watcher(child, std::move(read_end), options).wait(watch.waiting_mask());

  const int interrupt = interrupts > 0 ? last_interrupt : 0;
  watch.restore();
  if (outcome.timed_out || outcome.signal != 0) TempFolder::sweep();  // the child could not clean up
  if (interrupt != 0) ::raise(interrupt);
  return outcome;
}

}  // namespace consort::os
