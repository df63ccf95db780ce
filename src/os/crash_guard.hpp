// When a unit crashes the process, reports the unit, the call and the time, and saves the recorded data.
//
// Around every call into foreign code the caller sets a CallSite. When a fatal signal arrives on that thread, the
// handler (on its own stack) flushes the registered buffers, writes one paragraph to stderr and ends the process with
// exit status 1.
#pragma once

#include <cstddef>

namespace consort::os {

// The foreign call that a thread is in. All strings must outlive the CallSite.
struct CallSite {
  const char* unit = nullptr;  // the instance's name
  const char* call = nullptr;  // "fmi2DoStep"
  double time = 0;             // simulated time
  void* owner = nullptr;       // the object that contains the CallSite
};

namespace detail {
// Set around every call of a step. Without the attribute, each access would call a function to find the address.
extern constinit thread_local const CallSite* call_site __attribute__((tls_model("initial-exec")));
}  // namespace detail

// The current thread's call site; null: not in foreign code. The CallSite must not move while it is set.
[[nodiscard]] inline const CallSite*& current_call_site() noexcept { return detail::call_site; }

// Installs handlers for SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and for SIGXCPU (timeout, see os/child_process.hpp),
// and an alternative stack for this thread. Call once from main. Every further thread of Consort calls
// use_crash_stack(), to survive a stack overflow and to be known as Consort's: a crash in an unknown thread is
// attributed to the loaded units.
void install_crash_guard();
void use_crash_stack();
// For host programs such as Python's interpreter: a crash in foreign code is reported and the buffers are flushed in
// the same way; then the host's own handling follows (a core file, faulthandler's traceback). Any other crash is left
// to the host. Repeated calls do no harm.
void install_crash_report();

// Registers a unit as loaded while the object lives; the unit may have started threads. The name is copied (at most 63
// bytes).
class LoadedUnit {
 public:
  explicit LoadedUnit(const char* name) noexcept;  // does nothing when all (64) slots are taken
  ~LoadedUnit();
  LoadedUnit(const LoadedUnit&) = delete;
  LoadedUnit& operator=(const LoadedUnit&) = delete;

 private:
  int slot_ = -1;
};

// For signal handlers: writes the registered buffers and `farewell` (to stderr), and ends the process. If the owner of
// a buffer is writing it, this function returns, and the owner ends the process after the write. The second call does
// not wait for the owner.
void end_process_from_handler(int exit_status, const char* farewell) noexcept;

// A buffer whose first `complete` bytes the handler writes to `fd` before the process ends. The owner keeps `complete`
// at the end of the last whole record, and stays attached only while `data` does not move. The owner holds a Writing
// while it writes to `fd` itself, so that no bytes are written twice. A fork of the process does not write the buffer.
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

  // Held while the owner writes the buffer. The destructor sets `complete` to 0.
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
