#include "analyse/linearise.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <numeric>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "describe/signals.hpp"
#include "fleet/fmu_factory.hpp"
#include "group/instance.hpp"
#include "group/model.hpp"
#include "solve/solvers.hpp"
#include "unit/me_unit.hpp"

namespace consort::analyse {

using describe::Causality;
using describe::InterfaceType;
using describe::Variable;
using describe::VariableId;

namespace {

constexpr double usual_tolerance = 1e-6;
constexpr Duration usual_step = 1e-3;  // of solvers with steps of a fixed size

// --- the system as one group -----------------------------------------------------------------------------------------

template <class AnySystem, class F>
void for_components(AnySystem& system, const F& f, const std::string& prefix = {}) {
  for (auto& component : system.components) f(component, prefix + component.name);
  for (auto& inner : system.systems) for_components(inner, f, prefix + inner.name + ".");
}

double finest_tolerance(const graph::System& system) {
  double finest = std::numeric_limits<double>::infinity();
  const auto offer = [&](const std::optional<double>& tolerance) {
    if (tolerance) finest = std::min(finest, *tolerance);
  };
  offer(system.tolerance);
  offer(system.experiment.tolerance);
  for (const auto& component : system.components) offer(component.tolerance);
  for (const auto& inner : system.systems) finest = std::min(finest, finest_tolerance(inner));
  return finest;
}

// Units that have no states and derivatives to ask for.
void require_model_exchange(const graph::System& system, engine::Library& library) {
  std::vector<std::string> without, unnamed;
  for_components(system, [&](const graph::Component& component, const std::string& path) {
    const auto& d = library.description(component);
    if (d.interface(InterfaceType::model_exchange) == nullptr)
      without.push_back(path);
    else if (d.version == describe::FmiVersion::v1 && d.continuous_states > 0)
      unnamed.push_back(path);
  });
  const auto fail = [](const std::vector<std::string>& units, std::string_view one, std::string_view many,
                       std::string_view rest) {
    throw input_error("the system cannot be linearised: {} '{}' {}{}", units.size() == 1 ? "unit" : "units",
                      fmt::join(units, "', '"), units.size() == 1 ? one : many, rest)
        .in_unit(units.front());
  };
  if (!without.empty())
    fail(without, "offers", "offer",
         " Co-Simulation only, which shows no states and no derivatives; use FMUs with Model Exchange or native models "
         "instead");
  if (!unnamed.empty())
    fail(unnamed, "is an FMU", "are FMUs",
         " of FMI 1.0, which does not tell the names of states; use FMUs of FMI 2.0 or 3.0, or native models instead");
}

// The columns of a table become inputs of the system.
void replace_tables(graph::System& system, std::vector<std::string>& notes) {
  for (const auto& table : system.systems) {
    if (table.kind != graph::System::Kind::table) continue;
    for (const auto& column : table.connectors) {
      auto input = column;
      input.name = table.name + "." + column.name;
      input.causality = Causality::input;
      system.connectors.push_back(std::move(input));
    }
    for (auto& c : system.connections)
      if (c.from.element == table.name && c.value.empty()) c.from = {{}, table.name + "." + c.from.connector};
    notes.push_back(fmt::format("the table '{}' is not read: its signals are inputs with start values", table.name));
  }
  std::erase_if(system.systems, [](const graph::System& s) { return s.kind == graph::System::Kind::table; });
}

void take_apart(graph::System& system) {
  system.solver.clear();
  system.tolerance.reset();
  system.host.clear();
  for (auto& component : system.components) {
    component.solver.clear();
    component.tolerance.reset();
    component.interface = InterfaceType::model_exchange;
    component.may_use_other_interface = false;
  }
  for (auto& inner : system.systems) take_apart(inner);
}

void note_what_is_not_applied(const graph::Document& document, engine::Library& library,
                              std::vector<std::string>& notes) {
  const auto& run = document.run;
  if (!run.input_file.empty())
    notes.push_back(fmt::format("the input file '{}' is not read: inputs keep their start values", run.input_file));
  if (!run.scenario.empty()) notes.emplace_back("the scenario is not applied: all values are those of the start");
  std::vector<std::string> changed;
  for_components(document.system, [&](const graph::Component& component, const std::string& path) {
    if (component.interface_of(library.description(component)) != InterfaceType::model_exchange)
      changed.push_back(path);
  });
  if (!changed.empty() && (document.system.components.size() > 1 || !document.system.systems.empty()))
    notes.push_back(fmt::format("units that run as Co-Simulation in the system are solved as Model Exchange here: {}",
                                some_of(changed)));
}

// --- the point -------------------------------------------------------------------------------------------------------

struct Point {
  std::shared_ptr<const group::Model> model;
  std::unique_ptr<unit::Unit> unit;
  group::GroupInstance* instance = nullptr;  // of the unit
};

void go_to(unit::Unit& unit, Time start, Time at) {
  Time t = start;
  const auto require_alive = [&](const unit::StepOutcome& outcome) {
    if (outcome.why == unit::Why::terminate && outcome.reached < at)
      throw run_error(
          "the system '{}' ended at t = {} s, before the time of the linearisation, {} s; choose a time "
          "before its end",
          unit.name(), outcome.reached, at)
          .at(outcome.reached);
    if (!(outcome.reached > t))
      throw run_error("the system '{}' does not get on at t = {} s; try another solver or tolerance", unit.name(), t)
          .at(t);
  };
  while (t < at) {
    const auto outcome = unit.step({t, at - t});
    require_alive(outcome);
    t = outcome.reached;
    if (outcome.completed() && at - t <= 1e-12 * std::max(std::abs(at), 1.0)) break;
  }
}

std::vector<std::unique_ptr<fmi::ModelExchange>> make_members(const graph::Plan& plan, engine::Library& library,
                                                              std::vector<std::string>& notes) {
  std::vector<std::unique_ptr<fmi::ModelExchange>> members;
  std::vector<std::string> differ;
  for (const auto& spec : library.specs(plan)) {
    members.push_back(library.model_exchange(spec));
    if (members.back()->directional_derivatives() == nullptr) differ.push_back(spec.name);
  }
  if (!differ.empty())
    notes.push_back(fmt::format("by central differences, because the unit provides no directional derivatives: {}",
                                some_of(differ)));
  return members;
}

// --- what is read there ----------------------------------------------------------------------------------------------

// Scalars: elements of variables of the group.
struct Ports {
  std::vector<VariableId> variables;
  std::vector<std::string> names, units;
};

class Reader {
 public:
  Reader(Point& point, const LineariseRequest& request) : point_(point), request_(request) {
    d_ = &point_.model->description();
  }

  void read(Linearisation& to) {
    find_states();
    find_ports(Causality::input, inputs_);
    find_ports(Causality::output, outputs_);
    take_names(to);
    read_point(to);
    read_matrices(to);
    note_left_out(to.notes);
  }

 private:
  void find_states() {
    const auto& model = *point_.model;
    for (group::MemberId m = 0; m < model.plan.units.size(); ++m) {
      const auto& unit = model.plan.units[m];
      const auto& d = *unit.description;
      for (const auto& unknown : d.structure.derivatives) {
        const auto state = d[unknown.variable].derivative_of;
        require_in_unit(unit.name, state != describe::no_variable,
                        "unit '{}': its description does not tell of which state '{}' is the derivative, so the "
                        "system cannot be linearised; 'consort check' shows the rule",
                        unit.name, d[unknown.variable].name);
        add(states_, model.composite.first_of_member[m] + state);
        rates_.push_back(model.composite.first_of_member[m] + unknown.variable);
      }
    }
    require(states_.names.size() == point_.instance->continuous_states(),
            "the descriptions of the units of '{}' name {} states, but the units have {}; 'consort check' finds the "
            "unit whose model structure is incomplete",
            d_->model_name, states_.names.size(), point_.instance->continuous_states());
  }

  static bool is_continuous(const Variable& v) {
    return v.type == Type::Float64 && v.variability == describe::Variability::continuous;
  }

  void add(Ports& ports, VariableId id) {
    const auto& v = (*d_)[id];
    ports.variables.push_back(id);
    for (std::uint64_t e = 0; e < point_.model->composite.origins[id].elements; ++e) {
      std::string name = describe::element_name(*d_, v, e);
      const std::string front = request_.only_unit + ".";
      if (!request_.only_unit.empty() && name.starts_with(front)) name.erase(0, front.size());
      ports.names.push_back(std::move(name));
      ports.units.emplace_back(d_->unit_name(v));
    }
  }

  // Those of the system, or, if it has none, those of its units.
  void find_ports(Causality causality, Ports& ports) {
    const auto& origins = point_.model->composite.origins;
    std::vector<VariableId> own, inner;
    for (VariableId id = 0; id < origins.size(); ++id)
      if ((*d_)[id].causality == causality)
        (origins[id].kind == group::Origin::Kind::member ? inner : own).push_back(id);
    for (const auto id : own.empty() ? inner : own) {
      if (is_continuous((*d_)[id]))
        add(ports, id);
      else
        left_out_.emplace_back((*d_)[id].name);
    }
  }

  void take_names(Linearisation& to) const {
    const auto take = [](const Ports& from, std::vector<std::string>& names, std::vector<std::string>& units) {
      names = from.names;
      units = from.units;
    };
    take(states_, to.states, to.state_units);
    take(inputs_, to.inputs, to.input_units);
    take(outputs_, to.outputs, to.output_units);
  }

  [[nodiscard]] std::vector<double> values_of(const Ports& ports) {
    std::vector<std::uint64_t> sizes;
    for (const auto id : ports.variables) sizes.push_back(point_.model->composite.origins[id].elements);
    const describe::SignalSet signals(*d_, ports.variables, sizes);
    Columns columns = signals.make_columns();
    point_.unit->get(signals, columns);
    return columns.column<double>();
  }

  void read_point(Linearisation& to) {
    to.u0 = values_of(inputs_);
    to.y0 = values_of(outputs_);  // moves the instance to the point
    const auto n = states_.names.size();
    to.x0.resize(n);
    to.f0.resize(n);
    nominals_.resize(n);
    if (n == 0) return;
    static_cast<void>(values_of(states_));
    point_.instance->get_states(to.x0);
    point_.instance->get_derivatives(to.f0);
    point_.instance->get_nominals(nominals_);
  }

  // By element: -1 for variables that are negated aliases (FMI 1.0).
  [[nodiscard]] std::vector<double> signs_of(const Ports& ports) const {
    std::vector<double> signs;
    for (const auto id : ports.variables)
      signs.insert(signs.end(), point_.model->composite.origins[id].elements, (*d_)[id].negated ? -1.0 : 1.0);
    return signs;
  }

  void read_matrices(Linearisation& to) {
    const auto n = states_.names.size();
    const auto shape = [](Matrix& m, std::size_t rows, std::size_t columns) {
      m = {rows, columns, std::vector<double>(rows * columns)};
    };
    shape(to.a, n, n);
    shape(to.b, n, inputs_.names.size());
    shape(to.c, outputs_.names.size(), n);
    shape(to.d, outputs_.names.size(), inputs_.names.size());
    read_columns(states_, to.a, to.c);
    read_columns(inputs_, to.b, to.d);
  }

  void read_columns(const Ports& knowns, Matrix& of_rates, Matrix& of_outputs) {
    std::vector<ValueReference> unknowns(rates_.begin(), rates_.end());
    unknowns.insert(unknowns.end(), outputs_.variables.begin(), outputs_.variables.end());
    const auto row_signs = signs_of(outputs_), signs = signs_of(knowns);
    std::vector<double> column(of_rates.rows + of_outputs.rows), seed;
    std::size_t j = 0;
    for (const auto id : knowns.variables) {
      const std::size_t elements = point_.model->composite.origins[id].elements;
      for (std::size_t e = 0; e < elements; ++e, ++j) {
        seed.assign(elements, 0.0);
        seed[e] = signs[j];
        const ValueReference known = id;
        point_.unit->derivatives()->directional(unknowns, std::span(&known, 1), seed, column);
        for (std::size_t i = 0; i < of_rates.rows; ++i) of_rates(i, j) = finite(column[i], states_.names[i], knowns, j);
        for (std::size_t i = 0; i < of_outputs.rows; ++i)
          of_outputs(i, j) = row_signs[i] * finite(column[of_rates.rows + i], outputs_.names[i], knowns, j);
      }
    }
  }

  [[nodiscard]] static double finite(double value, const std::string& of, const Ports& by, std::size_t column) {
    if (!std::isfinite(value))
      throw run_error(
          "the derivative of '{}' with respect to '{}' is {} at the point of linearisation; choose another "
          "time, or check the unit with 'consort probe'",
          of, by.names[column], value);
    return value + 0.0;  // no negative zero
  }

  void note_left_out(std::vector<std::string>& notes) const {
    if (!left_out_.empty())
      notes.push_back(
          fmt::format("inputs and outputs that are not continuous Float64 are left out: {}", some_of(left_out_)));
  }

 public:
  [[nodiscard]] const std::vector<double>& nominals() const { return nominals_; }

 private:
  Point& point_;
  const LineariseRequest& request_;
  const describe::Description* d_ = nullptr;
  Ports states_, inputs_, outputs_;
  std::vector<VariableId> rates_;
  std::vector<double> nominals_;
  std::vector<std::string> left_out_;
};

// --- what follows from the matrices ----------------------------------------------------------------------------------

// The integration leaves errors of some tolerances in the states; derivatives up to what such errors explain are zero.
void judge_equilibrium(Linearisation& lin, const std::vector<double>& nominals) {
  constexpr double allowance = 100;
  std::vector<std::string> moving;
  const auto size = [&](std::size_t i) { return std::max(std::abs(nominals[i]), std::abs(lin.x0[i])); };
  for (std::size_t i = 0; i < lin.f0.size(); ++i) {
    double explained = lin.tolerance * size(i) * 1e-3;
    for (std::size_t j = 0; j < lin.f0.size(); ++j)
      explained += allowance * lin.tolerance * std::abs(lin.a(i, j)) * size(j);
    if (!(std::abs(lin.f0[i]) <= explained)) moving.push_back(fmt::format("{} ({:.3g})", lin.states[i], lin.f0[i]));
  }
  lin.is_equilibrium = moving.empty();
  if (!moving.empty())
    lin.notes.push_back(
        fmt::format("the point is not an equilibrium, so f0 is part of the linear model; states that move, with their "
                    "derivatives: {}",
                    some_of(moving)));
}

void find_eigenvalues(Linearisation& lin, bool wants_vectors) {
  const auto n = static_cast<Eigen::Index>(lin.a.rows);
  if (n == 0) return;
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::MatrixXd a = Eigen::Map<const RowMajor>(lin.a.values.data(), n, n);
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(a, wants_vectors);
  if (solver.info() != Eigen::Success)
    throw run_error(
        "the eigenvalues of the system '{}' were not found: the iteration did not converge; linearise at "
        "another time",
        lin.system);
  std::vector<Eigen::Index> order(lin.a.rows);
  std::iota(order.begin(), order.end(), 0);
  const auto& found = solver.eigenvalues();
  const auto key = [&](Eigen::Index i) { return std::tuple(std::abs(found[i]), found[i].real(), -found[i].imag()); };
  std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return key(i) < key(j); });
  for (const auto i : order) {
    const std::complex<double> value = found[i];
    const double length = std::abs(value);
    lin.eigenvalues.push_back({value, length / (2 * std::numbers::pi), std::abs(value.imag()) / (2 * std::numbers::pi),
                               length > 0 ? 0.0 - value.real() / length : std::numeric_limits<double>::quiet_NaN()});
    if (!wants_vectors) continue;
    Eigen::VectorXcd v = solver.eigenvectors().col(i);
    Eigen::Index largest = 0;
    v.cwiseAbs().maxCoeff(&largest);
    v *= std::conj(v[largest]) / (std::abs(v[largest]) * v.norm());
    lin.eigenvectors.emplace_back(v.begin(), v.end());
  }
}

Point make_point(const graph::Document& document, engine::Library& library, const LineariseRequest& request,
                 Linearisation& lin) {
  graph::System system = document.system;
  replace_tables(system, lin.notes);
  require_model_exchange(system, library);
  note_what_is_not_applied(document, library, lin.notes);
  take_apart(system);
  Point point;
  point.model = group::make_model(system, library.catalogue(), request.settings);
  for (const auto& note : point.model->plan.notes) lin.notes.push_back(note);
  for (const auto& note : point.model->plan.warnings) lin.notes.push_back(note);
  for (const auto& note : point.model->wiring.notes) lin.notes.push_back(note);
  auto instance = std::make_unique<group::GroupInstance>(point.model, system.name,
                                                         make_members(point.model->plan, library, lin.notes));
  point.instance = instance.get();
  fleet::UnitSpec spec;
  spec.name = system.name;
  spec.solver = lin.solver;
  spec.tolerance = lin.tolerance;
  if (!solve::find_solver(lin.solver).capabilities.adaptive)
    spec.solver_step = document.run.step.value_or(document.system.experiment.step.value_or(usual_step));
  point.unit = unit::make_me_unit(std::move(instance), point.model->description(), fleet::solver_options(spec));
  return point;
}

}  // namespace

Linearisation linearise(const graph::Document& document, engine::Library& library, const LineariseRequest& request) {
  const auto& system = document.system;
  Linearisation lin;
  lin.system = system.name;
  lin.solver = !request.solver.empty() ? request.solver : !system.solver.empty() ? system.solver : "bdf";
  static_cast<void>(solve::find_solver(lin.solver));
  const double finest =
      std::min(finest_tolerance(system), document.run.tolerance.value_or(std::numeric_limits<double>::infinity()));
  lin.tolerance = request.tolerance.value_or(std::isfinite(finest) ? finest : usual_tolerance);
  require(std::isfinite(lin.tolerance) && lin.tolerance > 0, "the tolerance must be positive, not {}", lin.tolerance);
  const Time start = document.run.start.value_or(system.experiment.start.value_or(0));
  lin.time = request.at.value_or(start);
  require(std::isfinite(lin.time) && lin.time >= start,
          "the time of the linearisation, {} s, must be finite and not before the start of the system, {} s", lin.time,
          start);
  auto point = make_point(document, library, request, lin);
  point.unit->enter_initialization({start, std::nullopt, lin.tolerance});
  point.unit->exit_initialization();
  go_to(*point.unit, start, lin.time);
  Reader reader(point, request);
  reader.read(lin);
  judge_equilibrium(lin, reader.nominals());
  find_eigenvalues(lin, request.eigenvectors);
  point.unit->terminate();
  return lin;
}

graph::Document document_of_fmu(const std::filesystem::path& file) {
  graph::Document document;
  document.system.name = file.stem().empty() ? std::string("model") : file.stem().string();
  std::replace(document.system.name.begin(), document.system.name.end(), '.', '_');
  document.system.add(document.system.name, file).interface = InterfaceType::model_exchange;
  return document;
}

}  // namespace consort::analyse
