#include "os/emergency_drain.hpp"

#include <array>
#include <atomic>
#include <cstddef>

#include <time.h>
#include <unistd.h>

namespace consort::os {

namespace {

enum State : int { idle, wanted_now, finished };

struct Drainer {
  std::atomic<bool> taken = false;
  std::atomic<pid_t> process = 0;
  std::atomic<pid_t> thread = 0;
  std::atomic<int> state = idle;
};
constinit std::array<Drainer, 16> drainers;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free);

bool is_asked(const Drainer& slot, pid_t process, pid_t thread) {
  return slot.process.load(std::memory_order_acquire) == process &&
         slot.thread.load(std::memory_order_relaxed) != thread;
}

}  // namespace

void EmergencyDrain::attach() {
  detach();
  for (std::size_t i = 0; i < drainers.size(); ++i) {
    if (drainers[i].taken.exchange(true, std::memory_order_acquire)) continue;
    drainers[i].state.store(idle, std::memory_order_relaxed);
    drainers[i].thread.store(::gettid(), std::memory_order_relaxed);
    drainers[i].process.store(::getpid(), std::memory_order_release);
    slot_ = static_cast<int>(i);
    return;
  }
}

void EmergencyDrain::detach() {
  if (slot_ < 0) return;
  Drainer& slot = drainers[static_cast<std::size_t>(slot_)];
  slot.process.store(0, std::memory_order_relaxed);
  slot.taken.store(false, std::memory_order_release);
  slot_ = -1;
}

bool EmergencyDrain::wanted() const noexcept {
  return slot_ >= 0 && drainers[static_cast<std::size_t>(slot_)].state.load(std::memory_order_acquire) == wanted_now;
}

void EmergencyDrain::done() noexcept {
  if (slot_ >= 0) drainers[static_cast<std::size_t>(slot_)].state.store(finished, std::memory_order_release);
}

// Calls only functions that are allowed in a signal handler.
void drain_all_writers() noexcept {
  const pid_t process = ::getpid();
  const pid_t thread = ::gettid();
  for (Drainer& slot : drainers) {
    int expected = idle;
    if (is_asked(slot, process, thread)) slot.state.compare_exchange_strong(expected, wanted_now);
  }
  for (int i = 0; i < 100; ++i) {
    bool waiting = false;
    for (const Drainer& slot : drainers) {
      waiting |= is_asked(slot, process, thread) && slot.state.load(std::memory_order_acquire) == wanted_now;
    }
    if (!waiting) return;
    const timespec pause{0, 5'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

}  // namespace consort::os
