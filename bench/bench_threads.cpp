// What threads bring: waves of dear units against two threads that have nothing to do with each other, and waves of
// cheap units against one thread.
//
// Everything is wall time, since that is what threads are for. Both sides take turns in slices of a few milliseconds,
// and the fastest slice of each side counts, so that what else the machine does disturbs both alike. A machine that has
// no two cores free for a few milliseconds shows nothing.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>

#include "callgrind.hpp"
#include "host/fleets.hpp"
#include "host/pool_fleet.hpp"
#include "unit/lambda_unit.hpp"
#include "unit/serial_fleet.hpp"

namespace consort::bench {
namespace {

using Clock = std::chrono::steady_clock;
using unit::LambdaUnit;

constexpr double patience = 8;  // seconds of turns

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Work that no compiler takes away, of so many turns; the same code for everybody.
[[gnu::noinline]] double busy(double x, int turns) {
  for (int i = 0; i < turns; ++i) x = 1.0 / (1.0 + x);
  return x;
}

int turns_of(double seconds) {
  constexpr int many = 200'000;
  double best = 1e9;
  for (int i = 0; i < 20; ++i) {
    const auto begin = Clock::now();
    volatile double sink = busy(0.5, many);
    static_cast<void>(sink);
    best = std::min(best, seconds_since(begin));
  }
  return std::max(1, static_cast<int>(many * seconds / best));
}

// Units of one input and one output each, in a ring.
struct Ring {
  Ring(std::uint32_t count, int turns) {
    for (std::uint32_t u = 0; u < count; ++u) {
      auto unit = std::make_unique<LambdaUnit>("unit" + std::to_string(u));
      const auto in = unit->input("u", 0.0);
      const auto out = unit->output("y", 0.5);
      unit->on_step([=](LambdaUnit::Values& v, const unit::StepRequest& r) {
        v[out] = busy(v[in], turns);
        return completed(r);
      });
      const auto& d = unit->description();
      const describe::VariableId choice[] = {0, 1};
      unit::Ports p;
      p.inputs = &sets.emplace_back(d, std::span(choice).first(1));
      p.outputs = &sets.emplace_back(d, std::span(choice).last(1));
      p.first_input.fill(u);
      p.first_output.fill(u);
      ports.push_back(p);
      all.push_back(u);
      units.push_back(std::move(unit));
    }
    signals.inputs.column<double>().resize(count);
    signals.outputs.column<double>().resize(count);
    signals.next_event.assign(count, unit::never);
  }

  void run(unit::Fleet& fleet, int steps) {
    auto& in = signals.inputs.column<double>();
    const auto& out = signals.outputs.column<double>();
    for (int i = 0; i < steps; ++i) {
      for (std::size_t u = 0; u < in.size(); ++u) in[u] = out[u == 0 ? in.size() - 1 : u - 1];
      const unit::StepRequest request{1e-3 * static_cast<double>(done++), 1e-3, false};
      fleet.submit(all, unit::Verb::step, request, signals);
      fleet.wait();
    }
  }

  std::deque<describe::SignalSet> sets;
  std::vector<std::unique_ptr<unit::Unit>> units;
  std::vector<unit::Ports> ports;
  std::vector<unit::UnitId> all;
  unit::Signals signals;
  std::uint64_t done = 0;
};

// Of a run that goes on: helpers that slept while others had their turn are awake again.
double time_of(Ring& ring, unit::Fleet& fleet, int steps) {
  ring.run(fleet, 2);
  const auto begin = Clock::now();
  ring.run(fleet, steps);
  return seconds_since(begin);
}

// Two threads that do half of the work each and know nothing of each other: the slower of the two, each at its best of
// several slices while the other is at it, too.
double time_uncoupled(int turns, int calls) {
  constexpr int slices = 10;
  std::atomic<int> ready{0};
  const auto half = [&] {
    ++ready;
    while (ready < 2) {
    }
    double x = 0.5;
    double best = 1e9;
    for (int s = 0; s < slices; ++s) {
      const auto begin = Clock::now();
      for (int i = 0; i < calls; ++i) x = busy(x, turns);
      best = std::min(best, seconds_since(begin));
    }
    volatile double sink = x;
    static_cast<void>(sink);
    return best;
  };
  double others = 0;
  std::thread other([&] { others = half(); });
  const double own = half();
  other.join();
  return std::max(own, others);
}

void compare_dear_units() {
  constexpr int steps = 10;  // short, so that some slices are disturbed by nobody
  const int turns = turns_of(20e-6);
  Ring serial_ring(8, turns);
  Ring pool_ring(8, turns);
  Ring shared_ring(8, turns);
  unit::SerialFleet serial(serial_ring.units, serial_ring.ports);
  host::PoolFleet pool(pool_ring.units, pool_ring.ports, 2);
  host::PoolFleet shared(shared_ring.units, shared_ring.ports, 2);
  shared.always_share(true);
  double alone = 1e9;
  double chosen = 1e9;
  double together = 1e9;
  double uncoupled = 1e9;
  const auto begin = Clock::now();
  while (seconds_since(begin) < patience) {
    alone = std::min(alone, time_of(serial_ring, serial, steps));
    chosen = std::min(chosen, time_of(pool_ring, pool, steps));
    together = std::min(together, time_of(shared_ring, shared, steps));
    uncoupled = std::min(uncoupled, time_uncoupled(turns, 4 * steps));
  }
  fmt::print("8 units of 20 us: {:.1f} us per step on one thread, {:.1f} on two that are uncoupled (speed-up {:.2f})\n",
             1e6 * alone / steps, 1e6 * uncoupled / steps, alone / uncoupled);
  fmt::print("on two threads of the pool (target: ratio of the speed-ups at least 0.95)\n");
  fmt::print("  as it chooses   {:.1f} us, speed-up {:.2f}, ratio {:.3f}, {:.0f} % of waves shared\n",
             1e6 * chosen / steps, alone / chosen, uncoupled / chosen,
             100 * static_cast<double>(pool.shared_waves()) / static_cast<double>(pool_ring.done));
  fmt::print("  always shared   {:.1f} us, speed-up {:.2f}, ratio {:.3f}\n", 1e6 * together / steps, alone / together,
             uncoupled / together);
}

void compare_cheap_units(std::uint32_t count, double cost) {
  const int turns = cost > 0 ? turns_of(cost) : 0;
  Ring serial_ring(count, turns);
  Ring pool_ring(count, turns);
  unit::SerialFleet serial(serial_ring.units, serial_ring.ports);
  host::PoolFleet pool(pool_ring.units, pool_ring.ports, 2);
  serial_ring.run(serial, 100);
  const int steps = std::max(10, static_cast<int>(2e-3 / (time_of(serial_ring, serial, 100) / 100)));
  std::vector<double> ratios;
  double alone = 1e9;
  double together = 1e9;
  const auto begin = Clock::now();
  while (seconds_since(begin) < patience) {
    const double a = time_of(serial_ring, serial, steps);
    const double b = time_of(pool_ring, pool, steps);
    alone = std::min(alone, a);
    together = std::min(together, b);
    ratios.push_back(b / a);
  }
  std::sort(ratios.begin(), ratios.end());
  fmt::print(
      "{:>5} units of {:>5.2f} us: {:>8.2f} us per step on one thread; on two {:.3f} of it, median {:.3f}, "
      "{:.0f} % of waves shared\n",
      count, 1e6 * cost, 1e6 * alone / steps, together / alone, ratios[ratios.size() / 2],
      100 * static_cast<double>(pool.shared_waves()) / static_cast<double>(pool_ring.done));
}

// What a step of empty units costs a pool that has fallen back, in instructions: that is the same on every machine.
int run_for_callgrind(const std::string& which, std::uint32_t count, int steps) {
  Ring ring(count, 0);
  if (which == "--serial") {
    unit::SerialFleet serial(ring.units, ring.ports);
    ring.run(serial, steps);
  } else {
    host::PoolFleet pool(ring.units, ring.ports, 2);
    ring.run(pool, steps);
  }
  return 0;
}

void count_cheap_units(const std::string& program, std::uint32_t count) {
  const auto per_step = [&](const char* which) {
    constexpr int steps = 20'000;
    const auto all = [&](int n) {
      const auto c = count_instructions(fmt::format("'{}' {} {} {}", program, which, count, n));
      return c.inside + c.outside;
    };
    return (all(2 * steps) - all(steps)) / steps;
  };
  const double serial = per_step("--serial");
  const double pool = per_step("--pool");
  fmt::print("{:>5} empty units: {:.0f} instructions per step on one thread, {:.0f} on two, ratio {:.3f}\n", count,
             serial, pool, pool / serial);
}

}  // namespace
}  // namespace consort::bench

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  using namespace consort::bench;
  if (argc == 4) return run_for_callgrind(argv[1], static_cast<std::uint32_t>(std::stoul(argv[2])), std::stoi(argv[3]));
  if (argc == 2) {  // --count: these alone
    for (const std::uint32_t count : {2U, 8U, 100U}) count_cheap_units(argv[0], count);
    return 0;
  }
  compare_dear_units();
  fmt::print("\ncheap units (target: at most 1.1)\n");
  compare_cheap_units(2, 0);
  compare_cheap_units(8, 0);
  compare_cheap_units(8, 0.1e-6);
  compare_cheap_units(8, 0.5e-6);
  compare_cheap_units(100, 0);
  compare_cheap_units(768, 0);
  compare_cheap_units(768, 0.1e-6);
  if (!has_callgrind()) return 0;
  for (const std::uint32_t count : {2U, 8U, 100U}) count_cheap_units(argv[0], count);
}
