// A system whose units run in their own processes, and which tests can inspect.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "base/tests/places.hpp"
#include "fleet/fleet.hpp"
#include "host/process/process_units.hpp"
#include "host/tests/test_fleets.hpp"
#include "host/tests/toy_system.hpp"

namespace consort::host {

// A process host that gives tests access to its units.
class Opened final : public fleet::Host {
 public:
  explicit Opened(Voice voice = {}) : voice_(std::move(voice)) {}
  [[nodiscard]] std::shared_ptr<const describe::Description> describe(const fleet::UnitSpec&) override {
    return nullptr;
  }
  [[nodiscard]] std::unique_ptr<fleet::HostedUnits> make(std::span<const fleet::UnitSpec> specs) override {
    auto made = std::make_unique<ProcessUnits>(specs, places::test_worker(), voice_);
    units = made.get();
    return made;
  }
  ProcessUnits* units = nullptr;

 private:
  Voice voice_;
};

// A toy system on a process host.
struct ProcessRun {
  explicit ProcessRun(std::vector<fleet::UnitSpec> specs, Voice voice = {})
      : system(std::move(specs)), host(std::move(voice)), fleet(std::make_unique<fleet::Fleet>(system.specs, host)) {
    system.connect(*fleet);
  }
  [[nodiscard]] pid_t process(fleet::Local unit) const { return host.units->process_of(unit); }
  bool step(Duration h = 0.5) { return system.step(*fleet, h); }
  [[nodiscard]] const std::vector<double>& outputs() const { return system.signals.outputs.column<double>(); }

  ToySystem system;
  Opened host;
  std::unique_ptr<fleet::Fleet> fleet;
};

}  // namespace consort::host
