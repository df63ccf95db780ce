#include "host/tests/test_units.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "../../../models/bouncing_ball.hpp"
#include "base/error.hpp"
#include "describe/tests/builder.hpp"
#include "graph/pack.hpp"
#include "host/process/worker_units.hpp"
#include "unit/lambda_unit.hpp"
#include "unit/linear_unit.hpp"
#include "unit/model_unit.hpp"

namespace consort::host {

namespace {

using unit::LambdaUnit;
using unit::StepOutcome;
using unit::StepRequest;
using unit::Why;
using Values = LambdaUnit::Values;
using Made = std::unique_ptr<unit::Unit>;

// Units with one to four inputs and outputs and with states; cheap and expensive units alternate.
Made make_toy(const std::string& name, std::uint32_t seed, std::uint32_t index, unsigned work) {
  std::mt19937 random(seed);
  random.discard(3ULL * index);  // random numbers of the units before it
  auto unit = std::make_unique<LambdaUnit>(name);
  std::vector<LambdaUnit::Handle<double>> in;
  std::vector<LambdaUnit::Handle<double>> out;
  for (auto i = random() % 4 + 1; i > 0; --i) in.push_back(unit->input("u" + std::to_string(i), 0.0));
  for (auto i = random() % 4 + 1; i > 0; --i) out.push_back(unit->output("y" + std::to_string(i), 0.0));
  const auto steps = unit->output("steps", std::int32_t{0});
  const auto text = unit->output("text", std::string("a"));
  const auto x = unit->local("x", 0.1 * (index + 1));
  const int turns = static_cast<int>(random() % work) + 1;
  unit->on_step([=](Values& v, const StepRequest& r) {
    double sum = 0;
    for (const auto i : in) sum += v[i];
    for (int i = 0; i < turns; ++i) v[x] += r.h * std::sin(v[x] + sum + r.t);
    for (std::size_t i = 0; i < out.size(); ++i) v[out[i]] = v[x] * static_cast<double>(i + 1) - 0.3 * sum;
    v[text] = std::string(1, static_cast<char>('a' + ++v[steps] % 26));
    return completed(r);
  });
  return unit;
}

Made make_count(const std::string& name, const std::string& behaviour, int n) {
  auto unit = std::make_unique<LambdaUnit>(name);
  unit->input("u", 0.0);
  const auto y = unit->output("y", 0.0);
  unit->on_step([=](Values& v, const StepRequest& r) -> StepOutcome {
    const int step = static_cast<int>(v[y] += 1);
    if (behaviour == "ends" && step == n) return {r.t + r.h / 2, Why::terminate};
    if (behaviour == "fails" && step % n == 0)
      throw run_error("unit {} says no at step {}; ask another one", name, step);
    if (behaviour == "bad_alloc") throw std::bad_alloc();
    if (behaviour == "early" && step % 2 == 1) return {r.t + r.h / 4, Why::early};
    if (behaviour == "discards" && step % 5 == 0 && r.h > 0.008) return {r.t, Why::discarded};
    return completed(r);
  });
  return unit;
}

Made make_linear(const std::string& name, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(-1, 1);
  const auto numbers = [&](std::size_t n) {
    std::vector<double> all(n);
    for (auto& x : all) x = any(random);
    return all;
  };
  unit::LinearSystem s;
  s.inputs = {"u1", "u2"};
  s.outputs = {"y1", "y2", "y3"};
  s.start = numbers(3);
  s.a = numbers(9);
  s.b = numbers(6);
  s.c = numbers(9);
  s.d = numbers(6);
  s.answers_at_once = true;
  return std::make_unique<unit::LinearUnit>(name, std::move(s));
}

template <class T>
T changed(const T& value, std::int32_t n) {
  if constexpr (std::is_same_v<T, std::string>) {
    return value + static_cast<char>('a' + n % 26);
  } else if constexpr (std::is_same_v<T, Binary>) {
    Binary more = value;
    more.push_back(static_cast<std::uint8_t>(n));
    return more;
  } else if constexpr (std::is_base_of_v<Bool, T>) {
    return T(!value);
  } else if constexpr (std::is_same_v<T, EnumValue>) {
    return {value.value + n};
  } else {
    return static_cast<T>(value + static_cast<T>(n));
  }
}

Made make_types(const std::string& name) {
  auto unit = std::make_unique<LambdaUnit>(name);
  const auto n = unit->local("n", std::int32_t{0});
  std::vector<std::function<void(Values&, std::int32_t)>> steps;
  int number = 0;
  for_each_type([&]<class T>() {
    const auto in = unit->input("u" + std::to_string(++number), T{});
    const auto out = unit->output("y" + std::to_string(number), T{});
    steps.emplace_back([=](Values& v, std::int32_t i) { v[out] = changed(v[in], i); });
  });
  unit->on_step([=](Values& v, const StepRequest& r) {
    ++v[n];
    for (const auto& step : steps) step(v, v[n]);
    return completed(r);
  });
  return unit;
}

// y' = u + a[1] - a[2] + d, where d is a discrete input; announces an event every 0.07 s, at which n is increased.
class EventUnit final : public unit::Unit, public unit::Rollback, public unit::Events {
 public:
  explicit EventUnit(std::string name) : name_(std::move(name)) {
    describe::Builder b;
    b.add_input("u", 1);
    b.add_input("d", 2).variability = describe::Variability::discrete;
    b.dimensions(b.add_input("a", 3, Value(std::vector<double>{0, 0})), {describe::fixed_size(2)});
    b.add("y", 4).causality = describe::Causality::output;
    b.add("n", 5, Type::Int32).causality = describe::Causality::output;
    description_ = b.finish();
  }
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const describe::Description& description() const override { return description_; }
  [[nodiscard]] bool variable_step() const override { return true; }
  [[nodiscard]] int input_order() const override { return 2; }
  [[nodiscard]] int output_order() const override { return 2; }
  [[nodiscard]] Rollback* rollback() override { return this; }
  [[nodiscard]] Events* events() override { return this; }
  void enter_initialization(const unit::Experiment&) override {}
  void exit_initialization() override {}
  void terminate() override {}

  void set(const describe::SignalSet& signals, Columns& values) override {
    for (const auto& group : signals.groups()) {
      for (std::size_t i = 0; i < group.references.size(); ++i) {
        if (group.references[i] > 3) continue;
        for (auto e = group.offsets[i]; e < group.offsets[i + 1]; ++e)
          s_.inputs.at(group.references[i] - 1 + e - group.offsets[i]) = values.column<double>()[e];
      }
    }
    slopes_ = {};
  }
  void get(const describe::SignalSet& signals, Columns& values) override {
    for (const auto& group : signals.groups()) {
      for (std::size_t i = 0; i < group.references.size(); ++i) {
        const auto reference = group.references[i];
        if (reference == 5) values.column<std::int32_t>()[group.offsets[i]] = s_.n;
        if (reference == 4) values.column<double>()[group.offsets[i]] = s_.y;
        if (reference > 3) continue;
        for (auto e = group.offsets[i]; e < group.offsets[i + 1]; ++e)
          values.column<double>()[e] = s_.inputs.at(reference - 1 + e - group.offsets[i]);
      }
    }
  }
  void set_input_derivatives(std::span<const ValueReference>, std::span<const std::int32_t> orders,
                             std::span<const double> values) override {
    for (std::size_t i = 0; i < orders.size(); ++i) slopes_.at(static_cast<std::size_t>(orders[i])) = values[i];
  }
  void get_output_derivatives(std::span<const ValueReference>, std::span<const std::int32_t> orders,
                              std::span<double> values) override {
    for (std::size_t i = 0; i < orders.size(); ++i) values[i] = orders[i] == 1 ? rate() : slopes_[1];
  }
  StepOutcome step(const StepRequest& r) override {
    s_.t = r.t + r.h;
    s_.y += r.h * (rate() + r.h / 2 * (slopes_[1] + r.h / 3 * slopes_[2]));
    return completed(r);
  }

  void enter_event_mode() override { s_.updates = 0; }
  unit::EventOutcome update() override {
    ++s_.n;
    return {++s_.updates < 2, false, s_.t + 0.07};
  }
  void leave_event_mode() override {}

  std::unique_ptr<unit::Snapshot> save(std::unique_ptr<unit::Snapshot> reuse) override {
    if (!reuse) reuse = std::make_unique<Saved>();
    static_cast<Saved&>(*reuse).state = s_;
    return reuse;
  }
  void restore(const unit::Snapshot& snapshot) override { s_ = static_cast<const Saved&>(snapshot).state; }
  [[nodiscard]] bool can_serialize() const override { return true; }
  [[nodiscard]] std::vector<std::uint8_t> serialize(const unit::Snapshot& snapshot) override {
    std::vector<std::uint8_t> bytes(sizeof(State));
    std::memcpy(bytes.data(), &static_cast<const Saved&>(snapshot).state, sizeof(State));
    return bytes;
  }
  [[nodiscard]] std::unique_ptr<unit::Snapshot> deserialize(std::span<const std::uint8_t> bytes) override {
    require(bytes.size() == sizeof(State), "the state of unit '{}' has another size; take its own", name_);
    auto saved = std::make_unique<Saved>();
    std::memcpy(&saved->state, bytes.data(), sizeof(State));
    return saved;
  }

 private:
  struct State {
    std::array<double, 4> inputs{};  // u, d, a
    double y = 0;
    double t = 0;
    std::int32_t n = 0;
    std::int32_t updates = 0;
  };
  struct Saved : unit::Snapshot {
    State state;
  };
  [[nodiscard]] double rate() const { return s_.inputs[0] + s_.inputs[2] - s_.inputs[3] + s_.inputs[1]; }

  std::string name_;
  describe::Description description_;
  State s_;
  std::array<double, 3> slopes_{};
};

void* volatile nowhere = nullptr;

void misbehave(const std::string& how) {
  if (how == "exits") std::_Exit(7);
  if (how == "aborts") std::abort();
  if (how == "crashes") *static_cast<volatile int*>(nowhere) = 1;
  if (how == "raises") std::raise(SIGSEGV);
  if (how == "sleeps") std::this_thread::sleep_for(std::chrono::hours(1));
  if (how == "prints") std::puts("this must not disturb the engine");
  if (how == "closes")
    for (int fd = 0; fd < 1024; ++fd) ::close(fd);
  if (how == "throws") throw 42;  // NOLINT(hicpp-exception-baseclass): some units do this
}

Made make_bad(const std::string& name, const std::string& how, int n) {
  auto unit = std::make_unique<LambdaUnit>(name);
  unit->input("u", 0.0);
  const auto y = unit->output("y", 0.0);
  unit->on_step([=](Values& v, const StepRequest& r) {
    if (static_cast<int>(v[y] += 1) == n) misbehave(how);
    return completed(r);
  });
  return unit;
}

Made make_talking(const std::string& name, const Voice& voice) {
  auto unit = std::make_unique<LambdaUnit>(name);
  const auto y = unit->output("y", 0.0);
  unit->on_step([=](Values& v, const StepRequest& r) {
    v[y] += 1;
    if (voice.trace) voice.trace(fmt::format("{}: step {}", name, v[y]));
    if (voice.log) voice.log({LogLevel::warning, name, "steps", fmt::format("this is step {}", v[y])});
    return completed(r);
  });
  return unit;
}

Made make_large(const std::string& name, std::size_t bytes) {
  auto unit = std::make_unique<LambdaUnit>(name);
  unit->input("u", std::string());
  const auto y = unit->output("y", std::string());
  const auto n = unit->output("n", 0.0);
  unit->on_step([=](Values& v, const StepRequest& r) {
    v[n] += 1;
    v[y] = std::string(bytes, static_cast<char>('a' + static_cast<int>(v[n]) % 26));
    return completed(r);
  });
  return unit;
}

// Two pendula that are joined by a spring, as a worker makes them.
Made make_pendula(const std::string& name) {
  static WorkerUnits units;  // outlives its units
  fleet::UnitSpec spec;
  spec.name = name;
  spec.interface = describe::InterfaceType::model_exchange;
  spec.solver = "dopri5";
  graph::System system(name);
  for (const std::string member : {"left", "right"}) {
    system.add(member, "model:pendulum").set("theta", "0.3");
    auto& made = spec.members.emplace_back();
    made.name = name + "." + member;
    made.model = "pendulum";
    made.built_in = true;
    made.interface = describe::InterfaceType::model_exchange;
  }
  system.connectors.push_back({"push", describe::Causality::input, {}, "N"});
  system.connectors.push_back({"gap", describe::Causality::output, {}, "m"});
  system.connect_value("right.x - left.x", "gap");
  system.connect_value("3 [N/m] * (right.x - left.x) + sin(push / 1 [N]) * 1 [N]", "left.F_x");
  system.connect_value("3 [N/m] * (left.x - right.x)", "right.F_x");
  spec.system = graph::pack(system);
  return units.make(spec, {});
}

}  // namespace

Made make_test_unit(const fleet::UnitSpec& spec, const Voice& voice) {
  std::istringstream words(spec.model);
  std::string kind;
  std::string how;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 40;
  words >> kind;
  if (kind == "toy" && words >> a >> b >> c) return make_toy(spec.name, a, b, c);
  if (kind == "count" && words >> how) return words >> a, make_count(spec.name, how, static_cast<int>(a));
  if (kind == "linear" && words >> a) return make_linear(spec.name, a);
  if (kind == "types") return make_types(spec.name);
  if (kind == "event") return std::make_unique<EventUnit>(spec.name);
  if (kind == "ball") return unit::make_model_unit<BouncingBall>("BouncingBall", {.name = spec.name});
  if (kind == "group") return make_pendula(spec.name);
  if (kind == "bad" && words >> how >> a) return make_bad(spec.name, how, static_cast<int>(a));
  if (kind == "talks") return make_talking(spec.name, voice);
  if (kind == "large" && words >> a) return make_large(spec.name, a);
  throw input_error("there is no test unit '{}'; see test_units.hpp", spec.model);
}

}  // namespace consort::host
