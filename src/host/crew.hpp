// A pool of threads for very short tasks: the caller and its helpers.
//
// A round of work has shares 0, 1, …: the caller does share 0, helper i does share i. An idle helper spins for a while,
// then sleeps. When the caller has finished its own share, it takes back and does every share that its helper has not
// begun. Therefore a helper that sleeps or has lost its core delays nothing.
//
// If the process has fewer cores than threads, no thread spins. Otherwise each helper is pinned to its own core.
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
  // Does share `share` in thread `thread` (0: the caller). Must not throw.
  using Task = void (*)(void* context, unsigned share, unsigned thread);

  // Uses the caller and threads - 1 helpers.
  explicit Crew(unsigned threads);  // throws Error (run) if the system cannot start the threads
  ~Crew();                          // do not destroy between start() and finish()
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  [[nodiscard]] unsigned threads() const { return static_cast<unsigned>(helpers_.size()) + 1; }

  // Starts a round of 1 <= shares <= threads(). The same thread must call start() and finish() alternately.
  void start(unsigned shares, Task task, void* context);
  // Does the remaining shares and waits for the helpers. Memory written by the tasks is visible afterwards.
  void finish();

 private:
  enum State : std::uint32_t { idle, called, working, ended };
  // State shared by a helper and the caller, on separate cache lines.
  struct alignas(128) Helper {
    std::atomic<std::uint32_t> state{working};  // until the helper is ready
    std::atomic<std::uint32_t> asleep{0};       // the helper sleeps or is about to
    std::atomic<std::uint32_t> awaited{0};      // the caller sleeps until the helper is done, or is about to
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
  // The current round:
  unsigned shares_ = 0;
  Task task_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace consort::host
