// Models of the conformance suite as classes of a program (consort/native.hpp).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/text.hpp"
#include "consort/native.hpp"
#include "unit/me_unit.hpp"
#include "unit/model_source.hpp"
#include "unit/tests/adapted_units.hpp"

namespace consort::unit {

struct CustomLinear final : NativeUnit {
  static NativeDeclaration declaration() {
    return {.name = "LinearUnit",
            .states = {{.name = "x", .start = 1}},
            .inputs = {{.name = "u"}},
            .outputs = {{.name = "y"}},
            .parameters = {{.name = "d", .start = 0.5, .tunable = true}}};
  }
  void derivatives(const NativePoint& at, std::span<double> to) override { to[0] = at.u[0] - at.x[0]; }
  void outputs(const NativePoint& at, std::span<double> to) override { to[0] = at.x[0] + at.p[0] * at.u[0]; }
};

struct CustomMass final : NativeUnit {
  static NativeDeclaration declaration() {
    return {.name = "CoupledMass",
            .states = {{.name = "x", .start = 1, .depends_on = {{"v"}}}, {.name = "v"}},
            .inputs = {{.name = "x_other"}, {.name = "v_other"}},
            .outputs = {{.name = "dx", .depends_on = {{"x_other", "x"}}},
                        {.name = "dv", .depends_on = {{"v_other", "v"}}}}};
  }
  void derivatives(const NativePoint& at, std::span<double> to) override {
    to[0] = at.x[1];
    to[1] = 25 * (at.u[0] - at.x[0]) + 0.1 * (at.u[1] - at.x[1]) - 10 * at.x[0] - at.x[1];
  }
  void outputs(const NativePoint& at, std::span<double> to) override {
    to[0] = at.x[0] - at.u[0];
    to[1] = at.x[1] - at.u[1];
  }
  [[nodiscard]] bool has_directional() const override { return true; }
  void directional(const NativePoint&, const NativeDirection& d) override {
    d.f[0] = d.x[1];
    d.f[1] = 25 * (d.u[0] - d.x[0]) + 0.1 * (d.u[1] - d.x[1]) - 10 * d.x[0] - d.x[1];
    d.g[0] = d.x[0] - d.u[0];
    d.g[1] = d.x[1] - d.u[1];
  }
};

// Its memory is not in the declaration.
struct CustomStair final : NativeUnit {
  static NativeDeclaration declaration() {
    return {.name = "Stair",
            .outputs = {{.name = "counter",
                         .start = 1,
                         .type = NativeType::integer,
                         .depends_on = std::vector<std::string>{}}},
            .parameters = {{.name = "last", .start = 10, .type = NativeType::integer}}};
  }
  struct Memory {
    int counter = 1;
    double next = 0;
  } memory;
  void initialize(NativeEvent& e) override { memory = {1, e.time + 1}; }
  void outputs(const NativePoint&, std::span<double> to) override { to[0] = memory.counter; }
  void event(NativeEvent& e) override {
    if (e.time >= memory.next) {
      ++memory.counter;
      memory.next += 1;
    }
    e.next_time = memory.next;
    e.terminate = memory.counter > e.p[0];
  }
  std::shared_ptr<const void> save() override { return std::make_shared<Memory>(memory); }
  void restore(const std::shared_ptr<const void>& from) override { memory = *static_cast<const Memory*>(from.get()); }
  std::string serialize(const std::shared_ptr<const void>& from) override {
    const auto& m = *static_cast<const Memory*>(from.get());
    return fmt::format("{} {}", m.counter, m.next);
  }
  std::shared_ptr<const void> deserialize(std::string_view bytes) override {
    const auto parts = split_white(bytes);
    if (parts.size() != 2) throw model::Failure("this is no stair");
    return std::make_shared<Memory>(Memory{std::stoi(std::string(parts[0])), std::stod(std::string(parts[1]))});
  }
};

// The sources live as long as the program, since units refer to them.
template <class U>
const ModelSource& custom_source() {
  static const auto source = make_model_source(U::declaration(), [] { return std::make_unique<U>(); });
  return *source;
}

template <class U>
Adapted adapt_custom() {
  const auto& source = custom_source<U>();
  return {nullptr, make_me_unit(source.instantiate({.name = "adapted"}), source.description())};
}

inline Adapted make_custom(const std::string& model) {
  if (model == "LinearUnit") return adapt_custom<CustomLinear>();
  if (model == "CoupledMass") return adapt_custom<CustomMass>();
  if (model == "Stair") return adapt_custom<CustomStair>();
  return {};
}

}  // namespace consort::unit
