#include "engine/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "api/common.hpp"
#include "api/system_data.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "consort/system.hpp"

namespace consort {

struct Simulation::Data {
  engine::Simulation simulation;
  bool initialized = false;

  // The system's own input of this name, or null.
  [[nodiscard]] const graph::ExternalSignal* external(std::string_view path) const {
    for (const auto& e : simulation.plan().externals)
      if (e.name == path) return &e;
    return nullptr;
  }
  [[nodiscard]] Type type(std::string_view path) const {
    if (const auto* const e = external(path)) return e->type;
    const auto [u, id] = simulation.plan().require_variable(path);
    return (*simulation.plan().units[u].description)[id].type;
  }
  // The plan was made for the sizes that the system says.
  void require_no_size(std::string_view path) const {
    if (external(path) != nullptr) return;
    const auto [u, id] = simulation.plan().require_variable(path);
    const auto& d = *simulation.plan().units[u].description;
    require(
        d[id].causality != describe::Causality::structural_parameter,
        "'{}' decides about sizes of arrays, which are settled when a simulation is made; set it in the system or in "
        "the settings of the run",
        path);
  }
  [[nodiscard]] Value value(std::string_view path) {
    require(initialized, "'{}' has no value before the simulation is initialised; call initialize() first", path);
    return simulation.value(path);
  }
};

// --- the run ---------------------------------------------------------------------------------------------------------

Simulation::Simulation(const System& system, const RunOptions& options) {
  const auto& data = *system.data_;
  auto all = api::simulation_options(data.document.run, options);
  auto library = api::library_of(data.models, all.library);
  data_.reset(new Data{engine::Simulation(data.document.system, std::move(all), std::move(library))});
}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

double Simulation::start_time() const { return data_->simulation.start(); }
double Simulation::stop_time() const { return data_->simulation.stop(); }
double Simulation::step_size() const { return data_->simulation.step_size(); }
bool Simulation::done() const { return data_->simulation.done(); }
double Simulation::time() const { return data_->simulation.time(); }
void Simulation::step() { data_->simulation.step(); }
void Simulation::terminate() { data_->simulation.terminate(); }
std::string Simulation::report() const { return data_->simulation.report().text(); }

void Simulation::initialize() {
  data_->simulation.initialize();
  data_->initialized = true;
}

void Simulation::save(const std::filesystem::path& file) { data_->simulation.save(file.string()); }
void Simulation::load(const std::filesystem::path& file) {
  data_->simulation.load(file.string());
  data_->initialized = true;
}

// --- names -----------------------------------------------------------------------------------------------------------

std::vector<std::string> Simulation::names() const {
  std::vector<std::string> names;
  const auto& plan = data_->simulation.plan();
  for (const auto& e : plan.externals) names.push_back(e.name);
  for (const auto& u : plan.units)
    for (const auto& v : u.description->variables) names.push_back(u.path_of(v.name));
  return names;
}

VariableInfo Simulation::variable(std::string_view path) const {
  if (const auto* const e = data_->external(path)) {
    VariableInfo info{
        e->name,       std::string(name_of(e->type)), "input", e->discrete ? "discrete" : "continuous", {}, e->unit,
        e->description};
    if (e->count != 1) info.shape.push_back(e->count);
    return info;
  }
  const auto& plan = data_->simulation.plan();
  const auto [u, id] = plan.require_variable(path);
  const auto& d = *plan.units[u].description;
  auto info = api::variable_info(d, d[id], plan.units[u].starts.sizes());
  info.name = std::string(path);
  return info;
}

// --- values ----------------------------------------------------------------------------------------------------------

namespace {

template <class T>
double number(std::string_view path, const T& element) {
  if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, Binary>) {
    throw input_error("'{}' is a text, not a number; read it as a text", path);
  } else {
    return static_cast<double>(element);
  }
}

// Every value that fits and none that would have to be changed.
template <class T>
T element_from(std::string_view path, double value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else if constexpr (std::is_base_of_v<Bool, T>) {
    require(value == 0 || value == 1, "'{}' is a {} and cannot be {}; give it 0 or 1", path, name_of(type_of<T>),
            value);
    return T(value != 0);
  } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, Binary>) {
    throw input_error("'{}' is of type {} and cannot be the number {}; give it a text", path, name_of(type_of<T>),
                      value);
  } else {
    using Whole = std::conditional_t<std::is_same_v<T, EnumValue>, std::int64_t, T>;
    using Limits = std::numeric_limits<Whole>;
    // The largest values of 64 bits are no doubles: compared with the power of two behind them.
    const double end = std::ldexp(1.0, Limits::digits);
    require(value == std::trunc(value) && value >= static_cast<double>(Limits::min()) && value < end,
            "'{}' is of type {} and cannot be {}; give it a whole number from {} to {}", path, name_of(type_of<T>),
            value, Limits::min(), Limits::max());
    return T(static_cast<Whole>(value));
  }
}

Value value_from(std::string_view path, Type type, std::span<const double> numbers) {
  Value value;
  with_type(type, [&]<class T>() {
    std::vector<T> elements;
    for (const double n : numbers) elements.push_back(element_from<T>(path, n));
    value = Value(std::move(elements));
  });
  return value;
}

Value value_from(Type type, std::span<const std::string> texts) {
  Value value;
  with_type(type, [&]<class T>() {
    std::vector<T> elements;
    for (const auto& text : texts) elements.push_back(parse_element<T>(text));
    value = Value(std::move(elements));
  });
  return value;
}

}  // namespace

std::vector<double> Simulation::values(std::string_view path) {
  const Value value = data_->value(path);
  std::vector<double> numbers;
  with_type(value.type(), [&]<class T>() {
    for (const T& element : value.elements<T>()) numbers.push_back(number(path, element));
  });
  return numbers;
}

double Simulation::value(std::string_view path) {
  const auto all = values(path);
  require(all.size() == 1, "'{}' is an array of {} elements, not one number; read its elements", path, all.size());
  return all.front();
}

std::vector<std::string> Simulation::texts(std::string_view path) {
  const Value value = data_->value(path);
  std::vector<std::string> texts;
  with_type(value.type(), [&]<class T>() {
    for (const T& element : value.elements<T>()) append_element(texts.emplace_back(), element);
  });
  return texts;
}

void Simulation::set(std::string_view path, double value) { set(path, std::span(&value, 1)); }

void Simulation::set(std::string_view path, std::span<const double> elements) {
  data_->require_no_size(path);
  data_->simulation.set(path, value_from(path, data_->type(path), elements));
}

void Simulation::set(std::string_view path, std::span<const std::string> elements) {
  data_->require_no_size(path);
  auto& simulation = data_->simulation;
  // By the words of start values: names of items stand for enumerations, and one text for an array.
  if (elements.size() == 1 && data_->external(path) == nullptr) {
    const auto [u, id] = simulation.plan().require_variable(path);
    const auto& d = *simulation.plan().units[u].description;
    return simulation.set(path, describe::read_start_value(d, d[id], elements.front()));
  }
  try {
    simulation.set(path, value_from(data_->type(path), elements));
  } catch (const Error& error) {
    throw Error(Fault::input, fmt::format("'{}': {}", path, error.what()), error.fields());
  }
}

}  // namespace consort
