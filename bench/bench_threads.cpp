// Benefit of threads: waves of expensive units compared with two independent threads, and waves of cheap units compared
// with one thread. Also the cost of processes: the round trip to a worker.
//
// All times are wall times. Both sides run alternately in slices of a few milliseconds, and the fastest slice of each
// side counts, so that other load of the machine disturbs both in the same way. The results mean nothing if the machine
// never has two free cores for a few milliseconds.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>

#include "callgrind.hpp"
#include "fleet/fleet.hpp"
#include "host/local_host.hpp"
#include "host/pooled_units.hpp"
#include "host/process/process_host.hpp"
#include "host/process/worker.hpp"
#include "unit/lambda_unit.hpp"

namespace consort::bench {
namespace {

using Clock = std::chrono::steady_clock;
using unit::LambdaUnit;

constexpr double patience = 8;  // seconds of alternating slices

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Work of `turns` iterations that no compiler removes. Not inlined, so that all callers run the same code.
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

// A unit with one input and one output; the name of its model is the number of iterations.
std::unique_ptr<unit::Unit> make_unit(const fleet::UnitSpec& spec) {
  auto unit = std::make_unique<LambdaUnit>(spec.name);
  const auto in = unit->input("u", 0.0);
  const auto out = unit->output("y", 0.5);
  unit->on_step([=, turns = std::stoi(spec.model)](LambdaUnit::Values& v, const unit::StepRequest& r) {
    v[out] = busy(v[in], turns);
    return completed(r);
  });
  return unit;
}

// A pool that can be forced to share every wave, and that counts how often it did.
class PoolHost final : public fleet::Host {
 public:
  explicit PoolHost(bool always) : always_(always) {}
  [[nodiscard]] std::shared_ptr<const describe::Description> describe(const fleet::UnitSpec&) override {
    return nullptr;
  }
  [[nodiscard]] std::unique_ptr<fleet::HostedUnits> make(std::span<const fleet::UnitSpec> specs) override {
    auto units = std::make_unique<host::PooledUnits>(specs, make_unit, 2);
    units->always_share(always_);
    pool = units.get();
    return units;
  }
  host::PooledUnits* pool = nullptr;

 private:
  bool always_;
};

std::unique_ptr<fleet::Host> serial_host() {
  host::HostSetup setup;
  setup.factory = make_unit;
  return host::make_serial_host(setup);
}
std::unique_ptr<fleet::Host> process_host() {
  host::HostSetup setup;
  setup.worker = "/proc/self/exe";  // see main()
  return host::make_process_host(setup);
}

// Units in a ring, with the fleet that runs them.
struct Ring {
  Ring(std::uint32_t count, int turns, std::unique_ptr<fleet::Host> on) : host(std::move(on)) {
    std::vector<fleet::UnitSpec> specs;
    std::vector<fleet::UnitId> all;
    std::vector<fleet::Blocks> blocks;
    for (std::uint32_t u = 0; u < count; ++u) {
      specs.push_back({.name = "unit" + std::to_string(u), .model = std::to_string(turns)});
      all.push_back(u);
      fleet::Blocks b;
      b.inputs = &input;
      b.outputs = &output;
      b.first_input.fill(u);
      b.first_output.fill(u);
      blocks.push_back(b);
    }
    fleet = std::make_unique<fleet::Fleet>(specs, *host);
    wave = fleet->declare_wave(all);
    fleet->connect(blocks);
    signals.inputs.column<double>().resize(count);
    signals.outputs.column<double>().resize(count);
    signals.order.assign(count, 0);
    signals.next_event.assign(count, fleet::never);
  }

  void run(int steps) {
    auto& in = signals.inputs.column<double>();
    const auto& out = signals.outputs.column<double>();
    for (int i = 0; i < steps; ++i) {
      for (std::size_t u = 0; u < in.size(); ++u) in[u] = out[u == 0 ? in.size() - 1 : u - 1];
      const unit::StepRequest request{1e-3 * static_cast<double>(done++), 1e-3, false};
      fleet->submit(wave, fleet::Verb::step, request, signals);
      fleet->wait();
    }
  }

  std::unique_ptr<unit::Unit> prototype = make_unit({.name = "unit", .model = "0"});
  describe::SignalSet input{prototype->description(), std::array<describe::VariableId, 1>{0}};
  describe::SignalSet output{prototype->description(), std::array<describe::VariableId, 1>{1}};
  std::unique_ptr<fleet::Host> host;
  std::unique_ptr<fleet::Fleet> fleet;
  fleet::WaveId wave;
  fleet::Signals signals;
  std::uint64_t done = 0;
};

// A ring on two threads.
struct PoolRing : Ring {
  PoolRing(std::uint32_t count, int turns, bool always = false)
      : Ring(count, turns, std::make_unique<PoolHost>(always)) {}
  [[nodiscard]] double shared_percent() const {
    const auto& pool = *static_cast<const PoolHost&>(*host).pool;
    return 100 * static_cast<double>(pool.shared_waves()) / static_cast<double>(done);
  }
};

// Time of steps in a running ring: two steps first wake up helpers that slept during the other slices.
double time_of(Ring& ring, int steps) {
  ring.run(2);
  const auto begin = Clock::now();
  ring.run(steps);
  return seconds_since(begin);
}

// Two independent threads that do half of the work each: the time of the slower one. For each thread, the best of
// several slices counts, while the other thread is working too.
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
  constexpr int steps = 10;  // short, so that some slices are not disturbed
  const int turns = turns_of(20e-6);
  Ring serial(8, turns, serial_host());
  PoolRing pool(8, turns);
  PoolRing shared(8, turns, true);
  double alone = 1e9;
  double chosen = 1e9;
  double together = 1e9;
  double uncoupled = 1e9;
  const auto begin = Clock::now();
  while (seconds_since(begin) < patience) {
    alone = std::min(alone, time_of(serial, steps));
    chosen = std::min(chosen, time_of(pool, steps));
    together = std::min(together, time_of(shared, steps));
    uncoupled = std::min(uncoupled, time_uncoupled(turns, 4 * steps));
  }
  fmt::print("8 units of 20 us: {:.1f} us per step on one thread, {:.1f} on two uncoupled threads (speed-up {:.2f})\n",
             1e6 * alone / steps, 1e6 * uncoupled / steps, alone / uncoupled);
  fmt::print("on two threads of the pool (target: ratio of the speed-ups at least 0.95)\n");
  fmt::print("  as it chooses   {:.1f} us, speed-up {:.2f}, ratio {:.3f}, {:.0f} % of waves shared\n",
             1e6 * chosen / steps, alone / chosen, uncoupled / chosen, pool.shared_percent());
  fmt::print("  always shared   {:.1f} us, speed-up {:.2f}, ratio {:.3f}\n", 1e6 * together / steps, alone / together,
             uncoupled / together);
}

void compare_cheap_units(std::uint32_t count, double cost) {
  const int turns = cost > 0 ? turns_of(cost) : 0;
  Ring serial(count, turns, serial_host());
  PoolRing pool(count, turns);
  serial.run(100);
  const int steps = std::max(10, static_cast<int>(2e-3 / (time_of(serial, 100) / 100)));
  std::vector<double> ratios;
  double alone = 1e9;
  double together = 1e9;
  const auto begin = Clock::now();
  while (seconds_since(begin) < patience) {
    const double a = time_of(serial, steps);
    const double b = time_of(pool, steps);
    alone = std::min(alone, a);
    together = std::min(together, b);
    ratios.push_back(b / a);
  }
  std::sort(ratios.begin(), ratios.end());
  fmt::print(
      "{:>5} units of {:>5.2f} us: {:>8.2f} us per step on one thread; on two {:.3f} of it, median {:.3f}, "
      "{:.0f} % of waves shared\n",
      count, 1e6 * cost, 1e6 * alone / steps, together / alone, ratios[ratios.size() / 2], pool.shared_percent());
}

// Round trip to worker processes. With one core per process, all stay awake; with fewer cores, processes sleep
// meanwhile.
void time_processes(std::uint32_t count) {
  constexpr int steps = 200;
  Ring ring(count, 0, process_host());
  double best = 1e9;
  const auto begin = Clock::now();
  while (seconds_since(begin) < patience / 4) best = std::min(best, time_of(ring, steps));
  fmt::print("{:>5} empty units in processes: {:.2f} us per step, {:.2f} per unit\n", count, 1e6 * best / steps,
             1e6 * best / steps / count);
}

// Instructions of a step of empty units in a pool that has fallen back to one thread; the same on every machine.
int run_for_callgrind(const std::string& which, std::uint32_t count, int steps) {
  if (which == "--serial") {
    Ring(count, 0, serial_host()).run(steps);
  } else {
    PoolRing(count, 0).run(steps);
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
  if (argc == 3) {  // started as a worker by process_host()
    return consort::host::run_worker(
        argc, argv, [](const consort::fleet::UnitSpec& spec, const consort::host::Voice&) { return make_unit(spec); });
  }
  if (argc == 4) return run_for_callgrind(argv[1], static_cast<std::uint32_t>(std::stoul(argv[2])), std::stoi(argv[3]));
  if (argc == 2) {  // --count: only these
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
  fmt::print("\nprocesses\n");
  for (const std::uint32_t count : {1U, 4U, 16U}) time_processes(count);
  if (!has_callgrind()) return 0;
  for (const std::uint32_t count : {2U, 8U, 100U}) count_cheap_units(argv[0], count);
}
