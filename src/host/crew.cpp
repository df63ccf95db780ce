#include "host/crew.hpp"

#include <system_error>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/spin.hpp"
#include "host/cores.hpp"
#include "os/crash_guard.hpp"

namespace consort::host {

namespace {

// Sleeps while `word` is `expected`; may return early. The kernel compares and sleeps atomically, so that no change is
// missed.
void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t expected) {
  static_assert(sizeof word == sizeof(std::uint32_t));
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void wake(std::atomic<std::uint32_t>& word) { ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0); }

}  // namespace

Crew::Crew(unsigned threads) : helpers_(threads - 1) {
  CONSORT_ASSERT(threads >= 1);
  const auto cores = usable_cores();
  const bool enough = cores.size() >= threads;
  if (enough) {
    idle_spin_ = std::chrono::microseconds(100);
    await_spin_ = std::chrono::microseconds(200);
  }
  try {
    for (unsigned i = 1; i < threads; ++i) {
      const int core = enough ? cores[i] : -1;
      helpers_[i - 1].thread = std::thread([this, i, core] {
        os::use_crash_stack();
        if (core >= 0) pin_to_core(core);
        help(i);
      });
    }
  } catch (const std::system_error& error) {
    end();
    throw run_error("cannot start {} threads: {}; use fewer threads", threads, error.what());
  }
  // Wait here, so that the start of the threads is not part of a step.
  for (auto& helper : helpers_) await(helper);
}

Crew::~Crew() { end(); }

void Crew::end() {
  for (auto& helper : helpers_) {
    if (!helper.thread.joinable()) continue;
    await(helper);
    helper.state.store(ended);
    wake(helper.state);
  }
  for (auto& helper : helpers_)
    if (helper.thread.joinable()) helper.thread.join();
}

// --- the caller

void Crew::start(unsigned shares, Task task, void* context) {
  shares_ = shares;
  task_ = task;
  context_ = context;
  for (unsigned i = 1; i < shares; ++i) {
    Helper& helper = helpers_[i - 1];
    // Sequentially consistent with the stores of the helper: either this thread sees it asleep, or the helper sees the
    // call before it sleeps.
    helper.state.store(called, std::memory_order_seq_cst);
    if (helper.asleep.load(std::memory_order_seq_cst) != 0) wake(helper.state);
  }
}

void Crew::finish() {
  task_(context_, 0, 0);
  for (unsigned i = 1; i < shares_; ++i) {
    std::uint32_t expected = called;
    if (helpers_[i - 1].state.compare_exchange_strong(expected, idle, std::memory_order_acquire,
                                                      std::memory_order_relaxed))
      task_(context_, i, 0);
  }
  for (unsigned i = 1; i < shares_; ++i) await(helpers_[i - 1]);
}

void Crew::await(Helper& helper) const {
  const auto done = [&] { return helper.state.load(std::memory_order_acquire) == idle; };
  if (spin(await_spin_, done)) return;
  helper.awaited.store(1, std::memory_order_seq_cst);
  while (helper.state.load(std::memory_order_seq_cst) != idle) sleep_while(helper.state, working);
  helper.awaited.store(0, std::memory_order_relaxed);
}

// --- the helpers

void Crew::help(unsigned number) {
  Helper& self = helpers_[number - 1];
  report(self);
  while (await_call(self)) {
    task_(context_, number, number);
    report(self);
  }
}

void Crew::report(Helper& self) {
  self.state.store(idle, std::memory_order_seq_cst);
  if (self.awaited.load(std::memory_order_seq_cst) != 0) wake(self.state);
}

// Waits for a call and claims it, so that the caller cannot take it back. Returns false when the crew ends.
bool Crew::await_call(Helper& self) const {
  for (;;) {
    const auto changed = [&] { return self.state.load(std::memory_order_relaxed) != idle; };
    if (!spin(idle_spin_, changed)) {
      self.asleep.store(1, std::memory_order_seq_cst);
      sleep_while(self.state, idle);
      self.asleep.store(0, std::memory_order_relaxed);
    }
    std::uint32_t expected = called;
    if (self.state.compare_exchange_strong(expected, working, std::memory_order_acquire, std::memory_order_relaxed))
      return true;
    if (expected == ended) return false;
  }
}

}  // namespace consort::host
