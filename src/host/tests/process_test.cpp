// Units in their own processes: results equal to those of units in this process, and the worker program.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "fleet/fmu_factory.hpp"
#include "fmi/fmu.hpp"
#include "host/process/process_host.hpp"
#include "host/tests/process_run.hpp"
#include "solve/tests/allocations.hpp"

namespace consort::host {
namespace {

using fleet::UnitId;
using fleet::Verb;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

// --- equal results --------------------------------------------------------------------------------------------------

// Two systems of the same units that receive the same requests.
class Both {
 public:
  Both(const std::vector<fleet::UnitSpec>& specs, std::uint32_t seed, std::uint32_t substeps)
      : a_(specs, seed, substeps, true),
        b_(specs, seed, substeps, true),
        serial_(serial_fleet(specs)),
        process_(process_fleet(specs)),
        random_(seed) {
    for (auto* const fleet : {serial_.fleet.get(), process_.fleet.get()}) {
      for (UnitId u = 0; u < specs.size(); ++u)
        if (const int told = fleet->traits(u).output_order; told > 0) fleet->declare_derivatives(u, std::min(told, 2));
      second_ = fleet->reserve_snapshot(a_.all);
    }
    a_.connect(*serial_);
    b_.connect(*process_);
    each([&](ToySystem& s, fleet::Fleet& f) {
      f.enter_initialization(s.all, {0, 10.0, std::nullopt});
      f.exit_initialization(s.all);
      f.save(s.snapshot);
      f.save(second_);
      saved_ = s.signals;
    });
    saved_second_ = saved_;
  }

  void act() {
    switch (random_() % 12) {
      case 0: return save();
      case 1: return restore();
      case 2: return ask(random_() % 2 == 0 ? Verb::evaluate : Verb::read);
      case 3: return set();
      case 4: return get();
      case 5: return pass_bytes();
      case 6: return differentiate();
      case 7: return events();
      case 8: return update();
      default: return step();
    }
  }

  void check() const {
    const auto& a = a_.signals;
    const auto& b = b_.signals;
    for_each_type(
        [&]<class T>() { EXPECT_TRUE(a.outputs.column<T>() == b.outputs.column<T>()) << name_of(type_of<T>); });
    for_each_type([&]<class T>() { EXPECT_TRUE(a.inputs.column<T>() == b.inputs.column<T>()) << name_of(type_of<T>); });
    EXPECT_EQ(a.output_derivatives, b.output_derivatives);
    EXPECT_EQ(a.next_event, b.next_event);
    for (UnitId u = 0; u < a_.specs.size(); ++u) {
      const auto x = serial_->parts(u);
      const auto y = process_->parts(u);
      ASSERT_EQ(x.size(), y.size());
      for (std::size_t i = 0; i < x.size(); ++i)
        for_each_type([&]<class T>() { EXPECT_TRUE(x[i].column<T>() == y[i].column<T>()); });
    }
  }

 private:
  // Does the same with both systems, with the same random numbers.
  template <class Do>
  void each(Do&& work) {
    const auto before = random_;
    work(a_, *serial_);
    random_ = before;
    work(b_, *process_);
  }
  double number() { return std::uniform_real_distribution<double>(-1, 1)(random_); }
  UnitId any_unit() { return static_cast<UnitId>(random_() % a_.specs.size()); }

  void vary(Columns& columns) {
    for_each_type([&]<class T>() {
      for (auto& value : columns.column<T>()) {
        const auto n = random_();
        if constexpr (std::is_same_v<T, std::string>) {
          value = std::string(n % 40, static_cast<char>('a' + n % 26));
        } else if constexpr (std::is_same_v<T, Binary>) {
          value = Binary(n % 40, static_cast<std::uint8_t>(n));
        } else if constexpr (std::is_base_of_v<Bool, T>) {
          value = T(n % 2 == 0);
        } else if constexpr (std::is_same_v<T, EnumValue>) {
          value = EnumValue(static_cast<std::int64_t>(n));
        } else if constexpr (std::is_floating_point_v<T>) {
          value = static_cast<T>(number());
        } else {
          value = static_cast<T>(n);
        }
      }
    });
  }

  void step() {
    each([&](ToySystem& s, fleet::Fleet& f) {
      vary(s.signals.inputs);
      s.signals.set_order(static_cast<int>(random_() % 4));
      if (s.signals.highest > 0) s.signals.order[any_unit()] = 0;
      for (auto& x : s.signals.derivatives) x = number();
      const Duration h = 0.05 * (1 + static_cast<double>(random_() % 3));
      const unit::StepRequest request{s.t, h, random_() % 2 == 0, random_() % 4 == 0};
      s.t += h;
      f.submit(s.wave, Verb::step, request, s.signals);
      f.wait();
    });
    ASSERT_TRUE(
        std::equal(serial_->told().begin(), serial_->told().end(), process_->told().begin(), process_->told().end()));
    for (const auto u : serial_->told()) {
      const auto& x = serial_->reply(u);
      const auto& y = process_->reply(u);
      EXPECT_EQ(x.outcome.why, y.outcome.why);
      EXPECT_EQ(x.outcome.reached, y.outcome.reached);
      EXPECT_EQ(x.counts.events, y.counts.events);
      EXPECT_EQ(x.counts.early_returns, y.counts.early_returns);
      EXPECT_EQ(x.counts.discarded, y.counts.discarded);
      EXPECT_EQ(x.counts.repeated_as_is, y.counts.repeated_as_is);
      EXPECT_EQ(x.first_event, y.first_event);
      EXPECT_EQ(x.next_event_moved, y.next_event_moved);
    }
    a_.signals.set_order(0);
    b_.signals.set_order(0);
  }

  void ask(Verb verb) {
    each([&](ToySystem& s, fleet::Fleet& f) {
      vary(s.signals.inputs);
      f.ask(s.wave, verb, s.t, s.signals);
    });
  }

  void save() {
    each([&](ToySystem& s, fleet::Fleet& f) {
      f.save(s.snapshot);
      saved_ = s.signals;
    });
  }

  void restore() {
    each([&](ToySystem& s, fleet::Fleet& f) {
      const std::vector<UnitId> some = {any_unit()};
      if (random_() % 3 == 0) {
        f.restore(s.snapshot, some);
      } else {
        f.restore(s.snapshot);
        s.signals = saved_;
      }
    });
  }

  void set() {
    each([&](ToySystem& s, fleet::Fleet& f) {
      const auto u = any_unit();
      Columns values = s.blocks[u].inputs->make_columns();
      vary(values);
      f.set(u, *s.blocks[u].inputs, values);
    });
  }

  void get() {
    Columns got[2];
    int i = 0;
    each([&](ToySystem& s, fleet::Fleet& f) {
      const auto u = any_unit();
      std::vector<describe::VariableId> ids;
      for (describe::VariableId v = 0; v < s.description(u).variables.size(); ++v)
        if (random_() % 2 == 0) ids.push_back(v);
      std::reverse(ids.begin(), ids.end());
      const describe::SignalSet chosen(s.description(u), ids);
      describe::Offsets at{};
      at.fill(3);
      auto& values = got[i++] = chosen.make_columns();
      for_each_type([&]<class T>() { values.column<T>().resize(values.column<T>().size() + 5); });
      f.get(u, chosen, values, at);
    });
    for_each_type([&]<class T>() { EXPECT_TRUE(got[0].column<T>() == got[1].column<T>()); });
  }

  // Passes serialised states from one host to the other and back.
  void pass_bytes() {
    const auto u = any_unit();
    const auto here = serial_->serialise(a_.snapshot, u);
    const auto there = process_->serialise(b_.snapshot, u);
    EXPECT_EQ(here, there);
    serial_->deserialise(second_, u, there);
    process_->deserialise(second_, u, here);
    serial_->restore(second_, std::vector<UnitId>{u});
    process_->restore(second_, std::vector<UnitId>{u});
  }

  void differentiate() {
    std::vector<std::vector<double>> results[2];
    int i = 0;
    each([&](ToySystem& s, fleet::Fleet& f) {
      static const std::vector<ValueReference> unknowns = {2, 4, 3};
      static const std::vector<ValueReference> knowns = {1, 0};
      const std::vector<double> seed = {number(), number()};
      auto& all = results[i++];
      all.assign(2 * s.specs.size(), std::vector<double>(3));
      std::vector<fleet::DerivativeQuery> queries;
      for (std::size_t q = 0; q < all.size(); ++q) {
        const auto u = static_cast<UnitId>(q % s.specs.size());
        if (f.traits(u).derivatives) queries.push_back({u, unknowns, knowns, seed, all[q]});
      }
      f.differentiate(fleet::DerivativeOf::outputs, queries);
    });
    EXPECT_EQ(results[0], results[1]);
  }

  [[nodiscard]] std::vector<UnitId> with_events() const {
    std::vector<UnitId> units;
    for (UnitId u = 0; u < a_.specs.size(); ++u)
      if (serial_->traits(u).event_verbs) units.push_back(u);
    return units;
  }

  void events() {
    std::vector<fleet::EventOutcome> outcomes[2];
    int i = 0;
    each([&](ToySystem& s, fleet::Fleet& f) {
      f.enter_event_mode(with_events());
      for (const auto u : with_events()) outcomes[i].push_back(f.settle(u, s.t, s.signals));
      ++i;
    });
    for (std::size_t k = 0; k < outcomes[0].size(); ++k) {
      EXPECT_EQ(outcomes[0][k].next_event, outcomes[1][k].next_event);
      EXPECT_EQ(outcomes[0][k].terminate, outcomes[1][k].terminate);
    }
  }

  void update() {
    each([&](ToySystem& s, fleet::Fleet& f) {
      const auto units = with_events();
      f.enter_event_mode(units);
      vary(s.signals.inputs);
      for (const auto u : units) f.ask(f.wave_of(u), Verb::update, s.t, s.signals);
      f.leave_event_mode(units);
    });
  }

  ToySystem a_, b_;
  HostedFleet serial_, process_;
  fleet::SnapshotId second_{};
  fleet::Signals saved_{}, saved_second_{};
  std::mt19937 random_;
};

TEST(ProcessUnits, DoBitForBitWhatUnitsInThisProcessDo) {
  const std::vector<fleet::UnitSpec> specs = {
      {.name = "linear", .model = "linear 5"}, {.name = "linear too", .model = "linear 6"},
      {.name = "types", .model = "types"},     {.name = "event", .model = "event"},
      {.name = "toy", .model = "toy 3 1 40"},  {.name = "early", .model = "count early"},
      {.name = "event too", .model = "event"}, {.name = "discards", .model = "count discards"},
  };
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    Both both(specs, seed, seed);
    for (int i = 0; i < 400; ++i) {
      both.act();
      both.check();
      if (testing::Test::HasFailure()) FAIL() << "seed " << seed << ", action " << i;
    }
  }
}

TEST(ProcessUnits, PassTextsAndStatesOfAnySize) {
  ProcessRun run({{.name = "large", .model = "large 2000000"}, {.name = "small", .model = "large 10"}});
  run.step();
  run.system.signals.inputs.column<std::string>()[0] = std::string(3'000'000, 'x');
  run.step();
  EXPECT_EQ(run.system.signals.outputs.column<std::string>()[0], std::string(2'000'000, 'c'));
  EXPECT_EQ(run.system.signals.outputs.column<std::string>()[1], std::string(10, 'c'));
  run.fleet->save(run.system.snapshot);
  const auto bytes = run.fleet->serialise(run.system.snapshot, 0);
  EXPECT_GT(bytes.size(), 5'000'000U);
  run.step();
  run.fleet->deserialise(run.system.snapshot, 0, bytes);
  run.fleet->restore(run.system.snapshot);
  EXPECT_TRUE(run.step());
  EXPECT_EQ(run.outputs(), (std::vector<double>{3, 3}));
}

TEST(ProcessUnits, SayWhetherTheyCanBeConfigured) {
  ProcessRun run({{.name = "a", .model = "count plain"}, {.name = "b", .model = "count plain"}});
  const auto& set = *run.system.blocks[0].inputs;
  Columns values = set.make_columns();
  EXPECT_FALSE(run.fleet->configure(0, set, values));
}

TEST(ProcessUnits, AllocateNothingInTheEngineForSteps) {
  ProcessRun run({{.name = "a", .model = "linear 1"}, {.name = "b", .model = "linear 2"}});
  run.system.signals.set_order(3);
  for (int i = 0; i < 80; ++i) run.step(0.01);
  const auto before = allocations();
  for (int i = 0; i < 500; ++i) run.step(0.01);
  EXPECT_EQ(allocations(), before);
}

TEST(ProcessUnits, HaveSharedOnceAWaveHadTwoUnits) {
  ProcessRun run({{.name = "a", .model = "count plain"}, {.name = "b", .model = "count plain"}});
  run.fleet->ask(run.fleet->wave_of(0), Verb::read, 0, run.system.signals);
  EXPECT_FALSE(run.fleet->has_shared());
  run.step();
  EXPECT_TRUE(run.fleet->has_shared());
}

TEST(ProcessUnits, HandTheirLinesOnInTheOrderOfTheUnits) {
  std::vector<std::string> said;
  Voice voice;
  voice.log = [&](const LogMessage& m) { said.push_back(m.unit + "/" + m.category + ": " + m.text); };
  voice.trace = [&](std::string_view line) { said.emplace_back(line); };
  ProcessRun run({{.name = "a", .model = "talks"}, {.name = "b", .model = "talks"}}, voice);
  run.step();
  EXPECT_THAT(said, ElementsAre("a: step 1", "a/steps: this is step 1", "b: step 1", "b/steps: this is step 1"));
}

// --- the worker program ---------------------------------------------------------------------------------------------

// Restores the environment variable at the end of the scope.
class Environment {
 public:
  explicit Environment(const char* value) {
    if (const char* const before = std::getenv(name)) before_ = before;
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  }
  ~Environment() { before_ ? ::setenv(name, before_->c_str(), 1) : ::unsetenv(name); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  static constexpr const char* name = "CONSORT_WORKER";
  std::optional<std::string> before_;
};

TEST(WorkerProgram, IsFoundByTheVariableAndBesideTheProgram) {
  {
    const Environment environment(places::test_worker().c_str());
    EXPECT_EQ(find_worker(), places::test_worker());
  }
  {
    const Environment environment("/nowhere/to/be/found");
    EXPECT_THAT([] { static_cast<void>(find_worker()); },
                ThrowsMessage<Error>(HasSubstr("CONSORT_WORKER is set to '/nowhere/to/be/found'")));
  }
  const Environment environment(nullptr);
  EXPECT_EQ(std::filesystem::canonical(find_worker()), std::filesystem::canonical(places::worker()));
}

TEST(WorkerProgram, RunsFmusAsThisProcessDoes) {
  for (const char* const file : {"fmi1/cs/BouncingBall", "fmi1/me/BouncingBall", "fmi2/BouncingBall",
                                 "fmi3/BouncingBall", "fmi2/Dahlquist", "fmi3/Dahlquist"}) {
    const auto fmu = fmi::Fmu::open(places::fmus() + "/" + file + ".fmu");
    std::vector<fleet::UnitSpec> specs;
    for (const auto type : {describe::InterfaceType::co_simulation, describe::InterfaceType::model_exchange}) {
      if (fmu.description().interface(type) == nullptr) continue;
      specs.push_back({.name = "unit" + std::to_string(specs.size()),
                       .folder = fmu.folder().string(),
                       .interface = type,
                       .trace_calls = true});
    }
    ASSERT_FALSE(specs.empty()) << file;
    std::vector<std::string> lines[2];
    HostSetup setup;
    setup.factory = [&](const fleet::UnitSpec& spec) {
      return fleet::make_unit(fmu, spec, {}, [&](std::string_view line) { lines[0].emplace_back(line); });
    };
    setup.trace = [&](std::string_view line) { lines[1].emplace_back(line); };
    setup.worker = places::worker();
    const auto run = [&](std::unique_ptr<fleet::Host> host) {
      const auto hosted = on_one_host(specs, std::move(host));
      std::vector<describe::VariableId> ids;
      for (describe::VariableId v = 0; v < fmu.description().variables.size(); ++v)
        if (fmu.description()[v].causality == describe::Causality::output) ids.push_back(v);
      const describe::SignalSet none(fmu.description(), {});
      const describe::SignalSet outputs(fmu.description(), ids);
      std::vector<fleet::Blocks> blocks(specs.size());
      fleet::Signals signals;
      signals.order.assign(specs.size(), 0);
      signals.next_event.assign(specs.size(), fleet::never);
      for (UnitId u = 0; u < specs.size(); ++u) {
        blocks[u].inputs = &none;
        blocks[u].outputs = &outputs;
        const auto more = outputs.make_columns();
        for_each_type([&]<class T>() {
          auto& column = signals.outputs.column<T>();
          blocks[u].first_output[static_cast<std::size_t>(type_of<T>)] = static_cast<std::uint32_t>(column.size());
          column.insert(column.end(), more.column<T>().begin(), more.column<T>().end());
        });
      }
      std::vector<UnitId> all(specs.size());
      std::iota(all.begin(), all.end(), 0U);
      const auto wave = hosted->declare_wave(all);
      hosted->connect(blocks);
      hosted->enter_initialization(all, {0, 1.0, std::nullopt});
      hosted->exit_initialization(all);
      std::vector<double> rows;
      for (int i = 0; i < 100; ++i) {
        const unit::StepRequest request{0.01 * i, 0.01, false};
        hosted->submit(wave, Verb::step, request, signals);
        hosted->wait();
        const auto& row = signals.outputs.column<double>();
        rows.insert(rows.end(), row.begin(), row.end());
      }
      hosted->terminate(all);
      return rows;
    };
    const auto here = run(make_serial_host(setup));
    const auto there = run(make_process_host(setup));
    EXPECT_EQ(here, there) << file;
    EXPECT_FALSE(here.empty());
    EXPECT_FALSE(lines[1].empty());
    std::sort(lines[0].begin(), lines[0].end());
    std::sort(lines[1].begin(), lines[1].end());
    // A worker that is asked to end does not report the calls that free the unit.
    EXPECT_TRUE(std::includes(lines[0].begin(), lines[0].end(), lines[1].begin(), lines[1].end())) << file;
  }
}

TEST(WorkerProgram, KnowsNoModelsOfOtherPrograms) {
  HostSetup setup = test_setup();
  setup.worker = places::worker();
  const std::vector<fleet::UnitSpec> specs = {{.name = "own", .model = "count plain"}};
  EXPECT_THAT([&] { static_cast<void>(make_process_host(setup)->make(specs)); },
              ThrowsMessage<Error>(HasSubstr("unit 'own' is a model of the program itself ('count plain') and "
                                             "cannot run in another process; remove 'host: process' for it")));
}

TEST(WorkerProgram, SaysWhatItIsForToThoseWhoStartItByHand) {
  const std::string command = std::string("'") + places::worker() + "' 2>&1 </dev/null";
  FILE* const output = ::popen(command.c_str(), "r");
  ASSERT_NE(output, nullptr);
  std::string text(500, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), output));
  const int status = ::pclose(output);
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_THAT(text, HasSubstr("Consort starts this program"));
}

TEST(WorkerProgram, IsMissedWithTheUnitsName) {
  HostSetup setup = test_setup();
  setup.worker = "/nowhere/worker";
  const std::vector<fleet::UnitSpec> specs = {{.name = "wheel", .model = "count plain"}};
  EXPECT_THAT([&] { static_cast<void>(make_process_host(setup)->make(specs)); },
              ThrowsMessage<Error>(HasSubstr("unit 'wheel': its process cannot be started from '/nowhere/worker'")));
}

}  // namespace
}  // namespace consort::host
