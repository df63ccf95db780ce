#include "host/cores.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>

namespace consort::host {

namespace {

// Returns the first hardware thread of the same physical core; `core` itself if the system does not provide it.
int first_sibling(int core) {
  std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", core));
  std::string text;
  int first = core;
  if (file >> text) std::from_chars(text.data(), text.data() + text.size(), first);
  return first;
}

std::vector<int> allowed_cores() {
  std::vector<int> cores;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(static_cast<std::size_t>(i), &set)) cores.push_back(i);
  } else {
    // The set is too small for the number of cores.
    for (int i = 0; i < static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); ++i) cores.push_back(i);
  }
  return cores;
}

}  // namespace

std::vector<int> usable_cores() {
  std::vector<int> cores = allowed_cores();
  std::vector<int> taken;
  std::vector<int> order;
  std::vector<int> later;
  for (const int core : cores) {
    const int physical = first_sibling(core);
    const bool shared = std::find(taken.begin(), taken.end(), physical) != taken.end();
    if (!shared) taken.push_back(physical);
    (shared ? later : order).push_back(core);
  }
  order.insert(order.end(), later.begin(), later.end());
  return order;
}

void pin_to_core(int core) noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  static_cast<void>(::pthread_setaffinity_np(::pthread_self(), sizeof set, &set));
}

}  // namespace consort::host
