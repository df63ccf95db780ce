// Names the unit, the call and the time when a unit takes the process down, and keeps what was recorded.
//
// Around every call into foreign code the caller keeps a CallSite in place; when a fatal signal arrives on that thread,
// the handler (on its own stack) flushes the registered buffers, writes one paragraph to stderr and ends the process
// with exit status 1.
#pragma once

#include <cstddef>

namespace consort::os {

// What a thread is doing in foreign code. All strings must outlive the CallSite.
struct CallSite {
  const char* unit = nullptr;  // the instance's name
  const char* call = nullptr;  // "fmi2DoStep"
  double time = 0;             // simulated time
  void* owner = nullptr;       // whoever keeps it
};

namespace detail {
// Around every call of a step: not to be found by a function call, as it would be without the attribute.
extern constinit thread_local const CallSite* call_site __attribute__((tls_model("initial-exec")));
}  // namespace detail

// The current thread's call site, null outside of foreign code. It must stay in place while it is set.
[[nodiscard]] inline const CallSite*& current_call_site() noexcept { return detail::call_site; }

// Installs the handlers for SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and for SIGXCPU (time is up, see
// base/child_process.hpp), and an alternative stack for this thread. Call once from main; further threads of ours call
// use_crash_stack(), to survive a stack overflow and to be known as ours: a crash in any other thread is put down to
// the units that are loaded.
void install_crash_guard();
void use_crash_stack();
// For programs that are not ours, such as Python's interpreter: a crash inside of foreign code is told and the buffers
// are flushed in the same way, and then happens what would have happened without us (a core file, faulthandler's
// traceback); any other crash is none of our business. Once is enough, and more do no harm.
void install_crash_report();

// Says that a unit is loaded while the object lives, and may have started threads. The name is copied (63 bytes of it).
class LoadedUnit {
 public:
  explicit LoadedUnit(const char* name) noexcept;  // does nothing when all (64) slots are taken
  ~LoadedUnit();
  LoadedUnit(const LoadedUnit&) = delete;
  LoadedUnit& operator=(const LoadedUnit&) = delete;

 private:
  int slot_ = -1;
};

// For handlers of signals: writes the registered buffers and `farewell` (to stderr), and ends the process. While a
// buffer is being written by its owner, the owner ends the process when it has done so, and this returns; at the second
// call it does not wait for that any more.
void end_process_from_handler(int exit_status, const char* farewell) noexcept;

// A buffer whose first `complete` bytes are written to `fd` by the handler before the process ends. The owner keeps
// `complete` at the end of the last whole record, and registers only while `data` stays in place. Whenever it writes to
// `fd` itself it holds a Writing, so that nothing is written twice. A fork of the process does not write it.
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

  // While it lives, its owner writes the buffer, whose `complete` is 0 afterwards.
  class Writing {
   public:
    explicit Writing(EmergencyFlush& flush) noexcept;
    ~Writing();
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;

   private:
    int slot_;
  };

 private:
  int slot_ = -1;
};

}  // namespace consort::os
