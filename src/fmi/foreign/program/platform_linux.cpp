#include <cstdint>
#include <cstring>
#include <ctime>
#include <string>

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fmi/foreign/program/platform.hpp"
#include "fmi/foreign/wire.hpp"

namespace consort::fmi::foreign::platform {

namespace {

constexpr int first_descriptor = 500;  // out of reach of binaries that close what they did not open

int segment = -1;
int from_engine = -1;
int to_engine = -1;
int woken[2]{-1, -1};
Front* front = nullptr;

// Each byte wakes the serving thread; the end of the pipe is the end of the engine.
void* listen(void*) {
  char bytes[64];
  for (;;) {
    const ssize_t n = ::read(from_engine, bytes, sizeof bytes);
    if (n == 0 || (n < 0 && errno != EINTR)) ::_exit(0);
    if (n > 0 && ::write(woken[1], bytes, 1) < 0) ::_exit(0);
  }
}

}  // namespace

bool open_segment(const char* name) {
  segment = ::open(name, O_RDWR | O_CLOEXEC);
  return segment >= 0;
}

std::uint8_t* map_segment(std::size_t bytes) {
  void* const view = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, segment, 0);
  return view == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(view);
}

void begin(Front& shared) {
  front = &shared;
  from_engine = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, first_descriptor);
  to_engine = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, first_descriptor);
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  if (::pipe2(woken, O_CLOEXEC) != 0) ::_exit(3);
  pthread_t thread;
  if (::pthread_create(&thread, nullptr, listen, nullptr) != 0) ::_exit(3);
  ::pthread_detach(thread);
}

void wake_engine() {
  if (::write(to_engine, "!", 1) < 0) ::_exit(0);
}
void sleep_until_woken() {
  char byte = 0;
  if (::read(woken[0], &byte, 1) < 0 && errno != EINTR) ::_exit(0);
}
void relax() { __builtin_ia32_pause(); }
void yield() { ::sched_yield(); }
std::uint32_t core() { return static_cast<std::uint32_t>(::sched_getcpu()); }
double microseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}
void end(int status) { ::_exit(status); }

void* load(const std::string& path, std::string& problem) {
  void* const library = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) problem = std::string("cannot be loaded: ") + ::dlerror();
  return library;
}
void unload(void* library) {
  if (library != nullptr) ::dlclose(library);
}
void* find(void* library, const char* name) { return ::dlsym(library, name); }

namespace {

// Only functions that may be called in a handler.
void report_crash(int signal) {
  const char* const name = signal == SIGSEGV   ? "crashed: segmentation fault"
                           : signal == SIGFPE  ? "crashed: arithmetic error"
                           : signal == SIGABRT ? "aborted"
                           : signal == SIGILL  ? "crashed: illegal instruction"
                                               : "crashed: bus error";
  std::strcpy(front->failure, name);
  ::_exit(1);
}

alignas(16) char handler_stack[65536];

}  // namespace

void guard() {
  stack_t stack{};
  stack.ss_sp = handler_stack;
  stack.ss_size = sizeof handler_stack;
  ::sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = report_crash;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGFPE, SIGABRT, SIGILL, SIGBUS}) ::sigaction(signal, &action, nullptr);
}

std::string native_uri(const std::string& uri) { return uri; }
std::string native_path(const std::string& path) { return path; }

}  // namespace consort::fmi::foreign::platform
