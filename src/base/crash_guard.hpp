// Names the unit, the call and the time when a unit takes the process down, and keeps what was recorded.
//
// Around every call into foreign code the caller keeps a CallSite in place; when a fatal signal arrives on that thread,
// the handler (on its own stack) flushes the registered buffers, writes one paragraph to stderr and ends the process
// with exit status 1.
#pragma once

#include <cstddef>

namespace consort {

// What this thread is doing in foreign code. All strings must outlive the CallSite.
struct CallSite {
  const char* unit = nullptr;  // the instance's name
  const char* call = nullptr;  // "fmi2DoStep"
  double time = 0;             // simulated time
};

// The current thread's call site; `call` is null outside foreign code. Cheap: a thread-local variable.
[[nodiscard]] CallSite& current_call_site() noexcept;

// Installs the handlers for SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and for SIGXCPU (time is up, see
// base/child_process.hpp), and an alternative stack for this thread. Call
// once from main; further threads call use_crash_stack() to survive a stack overflow.
void install_crash_guard();
void use_crash_stack();

// A buffer whose first `complete` bytes are written to `fd` by the handler before the process ends. The owner keeps
// `complete` at the end of the last whole record, and registers only while `data` stays in place. A fork of the process
// does not write it.
class EmergencyFlush {
 public:
  EmergencyFlush() = default;
  EmergencyFlush(int fd, const char* data) { attach(fd, data); }
  ~EmergencyFlush() { detach(); }
  EmergencyFlush(const EmergencyFlush&) = delete;
  EmergencyFlush& operator=(const EmergencyFlush&) = delete;

  void attach(int fd, const char* data);  // does nothing when all (64) slots are taken
  void detach();
  void complete(std::size_t bytes) noexcept;

 private:
  int slot_ = -1;
};

}  // namespace consort
