#include "host/process/worker.hpp"

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/error.hpp"
#include "host/process/channel.hpp"
#include "host/process/worker_units.hpp"
#include "os/crash_guard.hpp"

namespace consort::host {

namespace {

// A high number, out of reach of units that close descriptors that they did not open.
constexpr int first_descriptor = 500;

std::atomic<pid_t> engine{0};
static_assert(std::atomic<pid_t>::is_always_lock_free);

void on_signal(int) {}
// The system signals the end of the thread that started this process; the engine process may still run.
void on_parent_gone(int) {
  if (::getppid() != engine.load(std::memory_order_relaxed)) ::_exit(1);
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

// Ends this process together with `parent`. Returns false if the engine is already gone.
bool live_no_longer_than(pid_t parent) {
  engine = parent;
  handle(SIGHUP, on_parent_gone);
  ::prctl(PR_SET_PDEATHSIG, SIGHUP);
  return ::getppid() == parent;
}

Descriptor segment_of(int argc, char** argv) {
  int number = -1;
  if (argc >= 2) std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), number);
  require(number > STDERR_FILENO && ::fcntl(number, F_GETFD) >= 0,
          "Consort starts this program for units that run in their own processes; do not start it yourself");
  const int moved = ::fcntl(number, F_DUPFD_CLOEXEC, first_descriptor);
  if (moved >= 0) ::close(number);
  return Descriptor(moved >= 0 ? moved : number);
}

int serve(int argc, char** argv, WorkerFactory factory) {
  Channel channel(segment_of(argc, argv));
  if (!live_no_longer_than(channel.engine())) return 1;
  // The engine decides when to end. Use a handler instead of SIG_IGN, which child processes of the unit would inherit.
  for (const int signal : {SIGINT, SIGTERM}) handle(signal, on_signal);
  os::install_crash_report();
  UnitServer server(std::move(factory));
  while (channel.await_request()) channel.answer(server.serve(channel.message(), channel));
  return 0;
}

}  // namespace

int run_worker(int argc, char** argv, WorkerFactory factory) {
  try {
    return serve(argc, argv, std::move(factory));
  } catch (const Error& error) {
    std::fprintf(stderr, "consort-worker: %s\n", error.what());
    return error.exit_status();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "consort-worker: %s\n", error.what());
  }
  return 1;
}

WorkerFactory fmu_worker_factory() {
  auto units = std::make_shared<WorkerUnits>();
  return [units](const fleet::UnitSpec& spec, const Voice& voice) { return units->make(spec, voice); };
}

}  // namespace consort::host
