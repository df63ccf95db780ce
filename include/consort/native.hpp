// Units that a program writes itself: models without an FMU, with the same rights – solver, start values, units of
// measure, events, rollback, checkpoints, directional derivatives.
//
// From a struct, as for consort_add_fmu (consort/model.hpp):
//
//   consort::System s;
//   s.add("ball", consort::native<BouncingBall>());
//
// From a few functions. x, u, p and memory are the values of states, inputs, parameters and memory in the order of
// their declaration; Booleans are 0 and 1:
//
//   s.add("mass", consort::Lambdas{
//       .states = {{"x", 1, "m"}, {"v", 0, "m/s"}},
//       .inputs = {{"F", 0, "N"}},
//       .outputs = {{"E", 0, "J"}},
//       .parameters = {{"k", 10, "N/m"}},
//       .f = [](const NativePoint& at, std::span<double> dx) { dx[0] = at.x[1]; dx[1] = at.u[0] - at.p[0] * at.x[0]; },
//       .g = [](const NativePoint& at, std::span<double> y) { y[0] = at.p[0] * at.x[0] * at.x[0] / 2; }});
//
// From a class of the program, for memory that is no number: NativeUnit. By name, for system files:
// System::define("pid", …) for `pid: {model: pid}`; built_in_models() lists the names that need no definition.
//
// Such units are variables of scalars; arrays need a struct. They run in the process of the program: not with `host:
// process`. Functions report failures by exceptions: model::Failure, model::Discard (the solver tries a shorter step),
// or any std::exception; the run then ends with an error that names the unit, the function and the time.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "consort/export.hpp"
#include "consort/model.hpp"

namespace consort {

enum class NativeType : std::uint8_t { real, integer, boolean };  // Float64, Int32, Boolean

struct NativeVariable {
  std::string name;
  double start = 0;
  std::string unit = {};  // of measure, one of consort/model/units.hpp; reals only
  std::string description = {};
  NativeType type = NativeType::real;
  bool discrete = false;  // changes at events only; integers and Booleans always are, and all of `memory`
  bool tunable = false;   // of a parameter: may be set at events
  double nominal = 0;     // of a state; 0: not declared
  // Of an output, or for the derivative of a state: the names of the states and inputs from which it is computed.
  // nullopt: all of them.
  std::optional<std::vector<std::string>> depends_on = {};
};

// What a model says about itself. Names are unique. States are outputs, too.
struct NativeDeclaration {
  std::string name = "model";
  std::string description = {};
  std::vector<NativeVariable> states = {};
  std::vector<NativeVariable> inputs = {};
  std::vector<NativeVariable> outputs = {};
  std::vector<NativeVariable> parameters = {};
  std::vector<NativeVariable> memory = {};  // values that only event() changes; saved with the state
  std::uint32_t indicators = 0;             // number of event indicators; a change of sign is an event
  double stop_time = 1;                     // of the default experiment
  double step = 1e-2;                       // its communication step
};

// Where a model is evaluated. Valid during the call only.
struct NativePoint {
  double time = 0;
  std::span<const double> x, u, p, memory;
};

// The argument of event() and initialize(). States and memory may be changed; the other members have their defaults at
// the call.
struct NativeEvent {
  double time = 0;
  std::span<double> x;
  std::span<const double> u, p;
  std::span<double> memory;
  double next_time = std::numeric_limits<double>::infinity();  // of the next time event
  bool again = false;                                          // call event() again before time advances
  bool terminate = false;                                      // the simulation has reached its end
};

// The direction of a directional derivative, and its result: `x` and `u` are seeds, `f` and `g` the changes of
// derivatives and outputs.
struct NativeDirection {
  std::span<const double> x, u;
  std::span<double> f, g;
};

// One unit of a program's own class. derivatives, outputs and indicators fill `to`, at any time and any number of
// times; they must change nothing else. initialize and event are called as those of a struct (consort/model.hpp).
class CONSORT_API NativeUnit {
 public:
  NativeUnit() = default;
  NativeUnit(const NativeUnit&) = delete;
  NativeUnit& operator=(const NativeUnit&) = delete;
  virtual ~NativeUnit() = default;
  virtual void initialize(NativeEvent&) {}
  virtual void derivatives(const NativePoint&, std::span<double>) {}
  virtual void outputs(const NativePoint&, std::span<double>) {}
  virtual void indicators(const NativePoint&, std::span<double>) {}
  virtual void event(NativeEvent&) {}
  // False: derivatives by differences.
  [[nodiscard]] virtual bool has_directional() const { return false; }
  virtual void directional(const NativePoint&, const NativeDirection&) {}

  // Memory beside the values of the declaration. What save() returns never changes, and may be restored any number of
  // times, also into another unit of the same model. A unit that cannot copy its memory returns the reason from
  // why_no_save(), as a clause ("its attribute 'file' cannot be copied"); it then runs without rollback.
  [[nodiscard]] virtual std::string why_no_save() const { return {}; }
  [[nodiscard]] virtual std::shared_ptr<const void> save() { return nullptr; }
  virtual void restore(const std::shared_ptr<const void>&) {}
  // The same as bytes, for checkpoints.
  [[nodiscard]] virtual std::string serialize(const std::shared_ptr<const void>&) { return {}; }
  [[nodiscard]] virtual std::shared_ptr<const void> deserialize(std::string_view) { return nullptr; }
};

// A model made of functions. They are shared by all units of the model: keep what changes in `memory`.
struct Lambdas {
  std::string name = "model";
  std::string description = {};
  std::vector<NativeVariable> states = {};
  std::vector<NativeVariable> inputs = {};
  std::vector<NativeVariable> outputs = {};
  std::vector<NativeVariable> parameters = {};
  std::vector<NativeVariable> memory = {};
  std::uint32_t indicators = 0;
  double stop_time = 1;
  double step = 1e-2;
  std::function<void(NativeEvent&)> initialize = {};
  std::function<void(const NativePoint&, std::span<double>)> f = {};  // derivatives of the states
  std::function<void(const NativePoint&, std::span<double>)> g = {};  // outputs
  std::function<void(const NativePoint&, std::span<double>)> z = {};  // event indicators
  std::function<void(NativeEvent&)> event = {};
  std::function<void(const NativePoint&, const NativeDirection&)> directional = {};
};

// A model of which units can be made. A copy stands for the same model.
class CONSORT_API NativeModel {
 public:
  // Throw Error (input) for names that are not unique, unknown units of measure and missing functions.
  NativeModel(Lambdas lambdas);  // NOLINT(google-explicit-constructor): System::add takes both
  NativeModel(NativeDeclaration declaration, std::function<std::unique_ptr<NativeUnit>()> make);
  // The definition must have static lifetime, as definition_of has.
  NativeModel(const model::Definition& definition, std::string name);

  [[nodiscard]] const std::string& name() const;

  struct Data;  // for the implementation
  [[nodiscard]] const std::shared_ptr<const Data>& data() const { return data_; }

 private:
  std::shared_ptr<const Data> data_;
};

namespace detail {

template <class M>
std::string name_of_struct() {
  std::string_view text = __PRETTY_FUNCTION__;  // "… [with M = a::Ball; …]"
  text = text.substr(text.find("M = ") + 4);
  text = text.substr(0, text.find_first_of(";]"));
  return std::string(text.substr(text.rfind(':') + 1));
}

}  // namespace detail

// The model of a struct with describe(). Its name is that of the struct unless another one is given.
template <class M>
[[nodiscard]] NativeModel native(std::string name = {}) {
  return {model::definition_of<M>, name.empty() ? detail::name_of_struct<M>() : std::move(name)};
}

// Models that every system can use by name, without a definition: `{model: pendulum}`.
struct BuiltInModel {
  std::string name;
  std::string description;
};
[[nodiscard]] CONSORT_API std::vector<BuiltInModel> built_in_models();

}  // namespace consort
