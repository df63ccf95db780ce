#include "ssp/omsimulator.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pugixml.hpp>

#include "base/text.hpp"
#include "ssp/xml_in.hpp"

namespace consort::ssp {

namespace {

// Consort's solver for a method that integrates Model Exchange units; empty for masters of Co-Simulation units.
std::string_view integrator(std::string_view method) {
  if (method == "cvode") return "bdf";
  if (method == "euler") return "explicit-euler";
  return {};
}

bool is_known(std::string_view method) {
  constexpr std::string_view masters[] = {"oms-ma", "oms-mav", "oms-mav2", "oms_ma", "oms_mav", "oms_mav2"};
  return !integrator(method).empty() || std::find(std::begin(masters), std::end(masters), method) != std::end(masters);
}

struct Solver {
  std::string method{};
  std::optional<double> step{};  // the fixed one, otherwise the largest
  bool varies = false;           // the master chooses the communication steps
  std::optional<double> tolerance{};
  std::uint32_t line = 0;
  std::vector<graph::Component*> units{};  // integrated by it
};

std::optional<double> positive(pugi::xml_node node, std::initializer_list<const char*> attributes) {
  for (const auto* const name : attributes)
    if (const auto value = read_double(node.attribute(name).value()); value && *value > 0 && std::isfinite(*value))
      return value;
  return std::nullopt;
}

class RunSettingsApplier {
 public:
  RunSettingsApplier(const Annotated& from, graph::Document& document, Diagnostics& diagnostics)
      : from_(from), document_(document), diagnostics_(diagnostics) {}

  void operator()() {
    const auto& ssd = from_.structure;
    if (!ssd.default_experiment.empty())
      each_information(ssd.default_experiment.front().annotations, [&](pugi::xml_node node, std::uint32_t) {
        if (const auto interval = positive(node, {"loggingInterval"})) document_.run.output_interval = interval;
      });
    each_information(ssd.annotations, [&](pugi::xml_node node, std::uint32_t line) { define(node, line); });
    of_system(ssd.system, document_.system);
    settle();
  }

 private:
  template <class Do>
  static void each_information(const Annotations& annotations, Do what) {
    for (const auto& a : annotations) {
      pugi::xml_document xml;
      if (a.type != omsimulator_annotation ||
          !xml.load_buffer(a.xml.data(), a.xml.size(), pugi::parse_default | pugi::parse_fragment))
        continue;
      xml.find_node([&](const pugi::xml_node& node) {  // visits all nodes
        if (local_name(node.name()) == "SimulationInformation") what(node, a.line.number);
        return false;
      });
    }
  }

  // The solver that the element defines, or the one that it refers to; null: neither.
  Solver* define(pugi::xml_node node, std::uint32_t line) {
    if (node.attribute("method")) {
      auto& made = named_[node.attribute("name").value()];
      made = solver_of(node, node.attribute("method").value(), line);
      return &made;
    }
    for (const auto child : node.children()) {
      const auto kind = local_name(child.name());
      if (kind != "VariableStepSolver" && kind != "FixedStepMaster" && kind != "VariableStepMaster") continue;
      auto solver = solver_of(child, child.attribute("description").value(), line);
      own_.push_back(std::make_unique<Solver>(std::move(solver)));
      return own_.back().get();
    }
    return node.attribute("name") ? named(node.attribute("name").value(), line) : nullptr;
  }

  Solver solver_of(pugi::xml_node node, std::string method, std::uint32_t line) {
    Solver solver;
    if (!is_known(method))
      add(Severity::warning, line,
          fmt::format("the solver {} is not known; the defaults for the units are used", quote(method)));
    solver.method = std::move(method);
    solver.step = positive(node, {"stepSize", "fixedStepSize", "maximumStepSize"});
    solver.varies = integrator(solver.method).empty() && node.attribute("maximumStepSize");
    solver.tolerance = positive(node, {"relativeTolerance", "tolerance"});
    solver.line = line;
    return solver;
  }

  Solver* named(const std::string& name, std::uint32_t line) {
    const auto found = named_.find(name);
    if (found != named_.end()) {
      use(found->second);
      return &found->second;
    }
    std::vector<std::string_view> names;
    for (const auto& [known, solver] : named_) names.emplace_back(known);
    add(Severity::warning, line,
        fmt::format("there is no solver {}{}; the defaults for the unit are used", quote(name),
                    suggestion(name, names)));
    return nullptr;
  }

  void use(Solver& solver) {
    if (std::find(used_.begin(), used_.end(), &solver) == used_.end()) used_.push_back(&solver);
  }

  void of_system(const System& said, graph::System& made) {
    Solver* solver = nullptr;
    each_information(said.annotations, [&](pugi::xml_node node, std::uint32_t line) {
      auto* const found = define(node, line);
      if (found == nullptr || node.attribute("method")) return;
      solver = found;
      use(*found);
    });
    for (const auto& c : said.components) {
      const auto found =
          std::find_if(made.components.begin(), made.components.end(), [&](const auto& m) { return m.name == c.name; });
      if (found == made.components.end()) continue;
      Solver* own = solver;
      each_information(c.annotations, [&](pugi::xml_node node, std::uint32_t line) { own = define(node, line); });
      if (own != nullptr) assign(*own, c, *found);
    }
    for (const auto& inner : said.systems) {
      const auto found =
          std::find_if(made.systems.begin(), made.systems.end(), [&](const auto& m) { return m.name == inner.name; });
      if (found != made.systems.end()) of_system(inner, *found);
    }
  }

  void assign(Solver& solver, const Component& said, graph::Component& made) {
    const auto name = integrator(solver.method);
    use(solver);
    if (name.empty()) return;
    if (made.interface == describe::InterfaceType::co_simulation)
      return add(Severity::warning, said.line.number,
                 fmt::format("the component '{}' is for Co-Simulation, so the solver '{}' cannot integrate it; it is "
                             "run by Co-Simulation",
                             said.name, solver.method));
    made.may_use_other_interface = !made.interface;  // OMSimulator runs what an FMU offers
    made.interface = describe::InterfaceType::model_exchange;
    made.solver = name;
    solver.units.push_back(&made);
  }

  // The communication step is that of the master. Units that OMSimulator integrates together exchange values here only
  // at communication points, so they must not be farther apart than the largest step of their solver.
  void settle() {
    std::optional<double> step, tolerance;
    bool varies = false;
    const bool has_master =
        std::any_of(used_.begin(), used_.end(), [](auto* s) { return integrator(s->method).empty() && s->step; });
    for (const auto* const s : used_) {
      if (s->tolerance) tolerance = std::min(*s->tolerance, tolerance.value_or(*s->tolerance));
      const bool master = integrator(s->method).empty();
      if (s->step && (master || !has_master || s->units.size() > 1)) step = std::min(*s->step, step.value_or(*s->step));
      varies = varies || (master && s->varies);
    }
    if (tolerance) {
      document_.system.experiment.tolerance = tolerance;
      note(fmt::format("tolerance {}", *tolerance));
    }
    if (step) {
      document_.system.experiment.step = step;
      note(fmt::format("communication step {} s{}", *step,
                       varies ? ", the largest of a variable-step master; '--controller' varies it" : ""));
    }
    for (const auto* const s : used_) tell(*s, step);
  }

  void tell(const Solver& solver, std::optional<double> step) {
    if (solver.units.empty()) return;
    std::vector<std::string> names;
    for (auto* const unit : solver.units) {
      names.push_back("'" + unit->name + "'");
      const double ratio = step && solver.step ? std::round(*step / *solver.step) : 1;
      if (solver.method == "euler" && ratio >= 2 && ratio <= 1e6) unit->substeps = static_cast<std::uint32_t>(ratio);
    }
    note(fmt::format("{}: Model Exchange with the solver {} ({}){}", fmt::join(names, ", "), integrator(solver.method),
                     solver.method,
                     names.size() > 1 ? ", each by itself: they exchange values at communication points" : ""));
  }

  void note(const std::string& what) {
    add(Severity::note, 0, fmt::format("{} (annotation {})", what, omsimulator_annotation));
  }
  void add(Severity severity, std::uint32_t line, std::string message) {
    diagnostics_.add(
        {severity, from_.shown, line, fmt::format("annotation {}", omsimulator_annotation), std::move(message)});
  }

  const Annotated& from_;
  graph::Document& document_;
  Diagnostics& diagnostics_;
  std::map<std::string, Solver> named_;
  std::vector<std::unique_ptr<Solver>> own_;
  std::vector<Solver*> used_;  // in the order of use
};

}  // namespace

void apply_omsimulator(const Annotated& from, graph::Document& document, Diagnostics& diagnostics) {
  RunSettingsApplier(from, document, diagnostics)();
}

}  // namespace consort::ssp
