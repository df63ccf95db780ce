// Threads that stand by for short work: the caller and its helpers.
//
// A round of work has shares 0, 1, …: the caller does the first, every helper the one of its number. A helper that is
// called spins for a while, then sleeps; what it has not begun when the caller is through with its own share, the
// caller takes back and does itself. So a helper that sleeps, or whose core is taken by somebody else, delays nothing.
//
// Where the process has no core for each thread nobody spins. Otherwise helpers keep to a core of their own.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace consort::host {

class Crew {
 public:
  // Does share `share` in thread `thread` (0: the caller), and throws nothing.
  using Task = void (*)(void* context, unsigned share, unsigned thread);

  // The caller and threads - 1 helpers.
  explicit Crew(unsigned threads);  // throws Error (run) when the system gives no more threads
  ~Crew();                          // not between start() and finish()
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  [[nodiscard]] unsigned threads() const { return static_cast<unsigned>(helpers_.size()) + 1; }

  // Calls helpers for a round of 1 <= shares <= threads(). Both functions are called by the same thread, in turns.
  void start(unsigned shares, Task task, void* context);
  // Does what is left to the caller, and waits for the rest. What tasks wrote can be seen afterwards.
  void finish();

 private:
  enum State : std::uint32_t { idle, called, working, ended };
  // What a helper and the caller tell each other, on cache lines of its own.
  struct alignas(128) Helper {
    std::atomic<std::uint32_t> state{working};  // until it stands by
    std::atomic<std::uint32_t> asleep{0};       // the helper is, or is about to be
    std::atomic<std::uint32_t> awaited{0};      // the caller sleeps until it is done, or is about to
    std::thread thread;
  };

  void end();
  void help(unsigned number);
  bool await_call(Helper& self) const;
  static void report(Helper& self);
  void await(Helper& helper) const;

  std::vector<Helper> helpers_;
  std::chrono::nanoseconds idle_spin_{};
  std::chrono::nanoseconds await_spin_{};
  // Of the present round.
  unsigned shares_ = 0;
  Task task_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace consort::host
