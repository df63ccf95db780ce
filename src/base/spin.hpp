// Busy waiting for events that are expected soon.
#pragma once

#include <chrono>
#include <thread>

namespace consort {

inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

// Spins until `done()` returns true, at most for `time`. Returns the last result of `done()`.
template <class Done>
bool spin(std::chrono::nanoseconds time, Done&& done) {
  constexpr int between_looks_at_the_clock = 64;
  for (int i = 0; i < between_looks_at_the_clock; ++i) {
    if (done()) return true;
    relax();
  }
  if (time.count() == 0) return done();
  const auto until = std::chrono::steady_clock::now() + time;
  do {
    for (int i = 0; i < between_looks_at_the_clock; ++i) {
      if (done()) return true;
      relax();
    }
  } while (std::chrono::steady_clock::now() < until);
  return done();
}

// The same, but yields regularly, in case the awaited thread needs the same core.
template <class Done>
bool spin_politely(std::chrono::nanoseconds time, Done&& done) {
  constexpr std::chrono::nanoseconds moment{2000};
  if (time.count() == 0) return spin(time, done);
  const auto until = std::chrono::steady_clock::now() + time;
  do {
    if (spin(moment, done)) return true;
    std::this_thread::yield();
  } while (std::chrono::steady_clock::now() < until);
  return done();
}

}  // namespace consort
