// Serves units in the thread of the caller, one after another.
#pragma once

#include <vector>

#include "fleet/local_units.hpp"
#include "fleet/sampling.hpp"

namespace consort::host {

class SerialUnits final : public fleet::LocalUnits {
 public:
  using LocalUnits::LocalUnits;

  void connect(const fleet::Wiring& wiring) override {
    LocalUnits::connect(wiring);
    waves_ = wiring.waves;
  }
  [[nodiscard]] bool submit(std::uint32_t wave, const fleet::Work& work) override {
    const std::span<const fleet::Local> units = waves_[wave].units;
    const bool sample = work.verb == fleet::Verb::step && sampling_(work.request->t);
    if (sample || timeline() != nullptr) [[unlikely]] {
      measure(units, work, served_, 0);
    } else {
      serve(units, work, served_);
    }
    return served_.is_quiet();
  }
  void finish(fleet::Served& served) override { served.add(served_); }

 private:
  std::vector<fleet::Wiring::Wave> waves_;
  fleet::Sampling sampling_;
};

}  // namespace consort::host
