// States of exported FMUs are saved, restored and serialised in random order.
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "tests/models/helpers.hpp"

namespace consort::models_test {
namespace {

struct Remembered {
  std::unique_ptr<fmi::SavedState> state;
  Time t = 0;
  std::vector<double> now;     // all Float64 values
  std::vector<double> future;  // the same after three more steps
};

class Game {
 public:
  Game(const std::string& name, const std::string& folder, unsigned seed)
      : fmu_(open(name, folder)), random_(seed), instance_(fmu_.co_simulation({.name = name})) {
    const describe::Description& d = fmu_.description();
    inputs_ = reals(d, describe::Causality::input);
    for (const auto causality : {describe::Causality::input, describe::Causality::output, describe::Causality::local}) {
      for (const ValueReference r : reals(d, causality)) all_.push_back(r);
    }
    h_ = d.default_experiment.stop_time.value_or(1) / 200;
    instance_->enter_initialization({});
    instance_->exit_initialization();
  }

  void play(int moves) {
    for (int i = 0; i < moves; ++i) {
      switch (random_() % 5) {
        case 0: shake(); break;
        case 1: step(1 + static_cast<double>(random_() % 3) / 2); break;
        case 2: remember(); break;
        case 3: go_back(false); break;
        case 4: go_back(true); break;
      }
    }
  }

 private:
  void shake() {
    std::vector<double> u = get(*instance_, fmu_.description(), inputs_);
    std::uniform_real_distribution<double> part(-0.01, 0.01);
    for (double& value : u) value += part(random_) * std::max(1.0, std::abs(value));
    instance_->set<double>(inputs_, std::span<const double>(u));
  }
  void step(double steps) {
    instance_->do_step(t_, steps * h_, true);
    t_ += steps * h_;
  }
  std::vector<double> values() { return get(*instance_, fmu_.description(), all_); }
  std::vector<double> future() {
    const Time t = t_;
    std::vector<double> seen;
    for (int i = 0; i < 3; ++i) {
      step(1);
      for (const double v : values()) seen.push_back(v);
    }
    t_ = t;
    return seen;
  }

  void remember() {
    fmi::StateSaving& saving = *instance_->state_saving();
    Remembered r;
    r.state = saving.save();
    r.t = t_;
    r.now = values();
    r.future = future();
    saving.restore(*r.state);
    kept_.push_back(std::move(r));
    if (kept_.size() > 8) kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(random_() % kept_.size()));
  }

  void go_back(bool through_bytes) {
    if (kept_.empty()) return;
    fmi::StateSaving& saving = *instance_->state_saving();
    const Remembered& r = kept_[random_() % kept_.size()];
    if (through_bytes) {
      const auto bytes = saving.serialize(*r.state);
      const auto copy = saving.deserialize(bytes);
      EXPECT_EQ(saving.serialize(*copy), bytes);
      saving.restore(*copy);
    } else {
      saving.restore(*r.state);
    }
    t_ = r.t;
    expect_equal(values(), r.now);
    expect_equal(future(), r.future);
    saving.restore(*r.state);
    t_ = r.t;
  }
  static void expect_equal(const std::vector<double>& a, const std::vector<double>& b) {
    ASSERT_EQ(a.size(), b.size());
    if (a.empty()) return;
    ASSERT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0);
  }

  fmi::Fmu fmu_;
  std::mt19937 random_;
  std::unique_ptr<fmi::CoSimulation> instance_;
  std::vector<ValueReference> inputs_, all_;
  std::vector<Remembered> kept_;  // must be destroyed before the instance
  double h_ = 0;
  Time t_ = 0;
};

// All models that keep their state in the instance. Twins and variants count calls in the whole library.
std::vector<std::string> models_with_state() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(places::fmus()) / "fmi3")) {
    const std::string name = entry.path().stem().string();
    if (name != "BadStart" && !name.starts_with("Twin") && !name.starts_with("Variant")) names.insert(name);
  }
  return {names.begin(), names.end()};
}

TEST(SavedStates, AreExactInAnyOrderOfOperations) {
  unsigned seed = 1;
  for (const char* folder : {"fmi2", "fmi3"}) {
    for (const std::string& name : models_with_state()) {
      SCOPED_TRACE(std::string(folder) + " " + name + ", seed " + std::to_string(seed));
      Game(name, folder, seed++).play(150);
    }
  }
}

TEST(SavedStates, OfOneModelAreRefusedByAnother) {
  const fmi::Fmu node = open("Node", "fmi2");
  const fmi::Fmu mass = open("OneMass", "fmi2");
  auto a = node.co_simulation({.name = "a"});
  auto b = mass.co_simulation({.name = "b"});
  const auto state = a->state_saving()->save();
  const auto bytes = a->state_saving()->serialize(*state);
  EXPECT_THROW((void)b->state_saving()->deserialize(bytes), Error);
}

TEST(SavedStates, GoToAnotherInstanceOfTheModel) {
  const fmi::Fmu fmu = open("VanDerPol", "fmi3");
  const auto& d = fmu.description();
  auto a = fmu.co_simulation({.name = "a"});
  auto b = fmu.co_simulation({.name = "b"});
  a->enter_initialization({});
  a->exit_initialization();
  for (int i = 0; i < 10; ++i) a->do_step(i * 0.1, 0.1);
  const auto bytes = a->state_saving()->serialize(*a->state_saving()->save());
  b->state_saving()->restore(*b->state_saving()->deserialize(bytes));
  a->do_step(1.0, 0.1);
  b->do_step(1.0, 0.1);
  EXPECT_EQ(get(*a, d, "x0"), get(*b, d, "x0"));
}

}  // namespace
}  // namespace consort::models_test
