#include "cli/progress.hpp"

#include <csignal>
#include <cstdio>

#include <fmt/core.h>
#include <unistd.h>

#include "base/text.hpp"
#include "os/crash_guard.hpp"

namespace consort::cli {

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void ProgressLine::show(const engine::Progress& p) {
  const double pause = terminal_ ? 0.1 : 1.0;
  if (quiet_ || p.wall_seconds - last_ < pause) return;
  last_ = p.wall_seconds;
  const double done = p.stop > p.start ? (p.t - p.start) / (p.stop - p.start) : 1;
  const double factor = (p.t - p.since) / p.wall_seconds;
  const double left = p.t > p.since ? p.wall_seconds * (p.stop - p.t) / (p.t - p.since) : 0;
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{:5.1f} %  t = {:.6g} s  {:.3g} × real time  step {:.3g} s  {} left", 100 * done, p.t,
               factor, p.step, duration_text(left));
    drawn_ = true;
  } else {
    fmt::print(stderr, "progress t={} stop={} done={:.4f} rtf={:.4g} step={} wall={:.1f} left={:.1f}\n", p.t, p.stop,
               done, factor, p.step, p.wall_seconds, left);
  }
  std::fflush(stderr);
}

namespace {

std::atomic<bool> stop_requested{false};

void on_signal(int signal) {
  if (!stop_requested.exchange(true)) return;
  os::end_process_from_handler(
      128 + signal, "consort: ended immediately by the second request to stop; the rows recorded so far are kept");
}

}  // namespace

StopOnSignal::StopOnSignal() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

StopOnSignal::~StopOnSignal() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

const std::atomic<bool>& StopOnSignal::requested() { return stop_requested; }

}  // namespace consort::cli
