#include "ssp/annotations.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <pugixml.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "ssp/omsimulator.hpp"
#include "ssp/xml_in.hpp"
#include "yaml/reader.hpp"

namespace consort::ssp {

namespace {

using graph::ScheduleEntry;

std::optional<double> number(pugi::xml_node node, const char* attribute) {
  const auto a = node.attribute(attribute);
  return a ? read_double(a.value()) : std::nullopt;
}
std::optional<double> positive(pugi::xml_node node, const char* attribute) {
  const auto value = number(node, attribute);
  return value && *value > 0 && std::isfinite(*value) ? value : std::nullopt;
}

// The first element of that name at any depth.
pugi::xml_node find(pugi::xml_node node, std::string_view name) {
  return node.find_node([&](const pugi::xml_node& n) { return local_name(n.name()) == name; });
}

class Applier {
 public:
  Applier(const Annotated& from, graph::Document& document, Diagnostics& diagnostics)
      : from_(from), document_(document), diagnostics_(diagnostics) {}

  void operator()() {
    const auto& ssd = from_.structure;
    if (!ssd.default_experiment.empty()) each(ssd.default_experiment.front().annotations, &Applier::of_run);
    each(ssd.annotations, &Applier::of_run);
    each(ssd.system.annotations, &Applier::of_run);
    apply_omsimulator(from_, document_, diagnostics_);
    of_elements(ssd.system, document_.system);
    // Consort's annotation comes last, so that it overrides those of other tools.
    for (const auto* all : {&ssd.system.annotations, &ssd.annotations})
      for (const auto& a : *all)
        if (a.type == run_annotation) own_run(a);
  }

 private:
  template <class Do>
  void each(const Annotations& annotations, Do what) {
    for (const auto& a : annotations) {
      pugi::xml_document xml;
      if (xml.load_buffer(a.xml.data(), a.xml.size(), pugi::parse_default | pugi::parse_fragment))
        (this->*what)(a, xml);
    }
  }

  void add(Severity severity, const Annotation& a, std::string message) {
    diagnostics_.add({severity, from_.shown, a.line.number, fmt::format("annotation {}", a.type), std::move(message)});
  }

  // --- the run as a whole

  void of_run(const Annotation& a, const pugi::xml_document& xml) {
    if (a.type == "com.opensimulationplatform") osp_run(a, xml);
    if (a.type.starts_with("se.umu.math.umit")) fmigo_run(a, xml);
    if (a.type == "com.avl.model.connect.ssp.task") openmcx_run(a, xml);
  }

  void osp_run(const Annotation& a, const pugi::xml_document& xml) {
    if (const auto step = positive(find(xml, "FixedStepAlgorithm"), "baseStepSize")) use_step(a, *step);
  }

  void openmcx_run(const Annotation& a, const pugi::xml_document& xml) {
    const auto task = find(xml, "Task");
    if (const auto step = positive(task, "deltaTime")) use_step(a, *step);
    const std::string_view type = task.attribute("stepType").value();
    if (type == "sequential") document_.run.stepper = "gauss-seidel";
    if (type.starts_with("parallel")) document_.run.stepper = "jacobi";
  }

  void fmigo_run(const Annotation& a, const pugi::xml_document& xml) {
    if (const auto arguments = find(xml, "MasterArguments")) {
      if (const auto step = positive(arguments, "timestep")) use_step(a, *step);
      auto& e = document_.system.experiment;
      if (const auto duration = positive(arguments, "duration")) e.stop = e.start.value_or(0) + *duration;
    }
    if (const auto order = find(xml, "ExecutionOrder")) {
      ScheduleEntry root = fmigo_group(a, order.first_child(), ScheduleEntry::Kind::parallel);
      document_.run.schedule = {std::move(root)};
      document_.run.stepper = "scheduled";
      note(a, "units are stepped in the groups of the annotation");
    }
    for (auto constraint = find(xml, "KinematicConstraints").first_child(); constraint;
         constraint = constraint.next_sibling())
      add(Severity::error, a,
          fmt::format(
              "the constraint between '{}' and '{}' ties their motions together, which is not supported, "
              "and ignoring it would give a wrong result; replace it by connections of inputs and outputs, a stiff "
              "spring and a damper between the two (force out, motion in), and remove the annotation, or run "
              "the package with FMIGo",
              constraint.attribute("element1").value(), constraint.attribute("element2").value()));
  }

  ScheduleEntry fmigo_group(const Annotation& a, pugi::xml_node node, ScheduleEntry::Kind kind) {
    ScheduleEntry group;
    group.kind = kind;
    for (const auto child : node.children()) {
      const auto name = local_name(child.name());
      if (name == "s" || name == "p") {
        group.members.push_back(
            fmigo_group(a, child, name == "s" ? ScheduleEntry::Kind::serial : ScheduleEntry::Kind::parallel));
      } else if (name == "c") {
        group.members.push_back({ScheduleEntry::Kind::unit, below_root(child.child_value()), {}});
      } else {
        add(Severity::warning, a,
            fmt::format("unknown element <{}> in the execution order; name components with <c>", child.name()));
      }
    }
    return group;
  }

  // FMIGo's names begin with that of the root system.
  [[nodiscard]] std::string below_root(std::string_view path) const {
    path = trim(path);
    const std::string prefix = from_.structure.system.name + ".";
    return std::string(path.starts_with(prefix) ? path.substr(prefix.size()) : path);
  }

  void use_step(const Annotation& a, double step) {
    document_.system.experiment.step = step;
    note(a, fmt::format("communication step {} s", step));
  }
  void note(const Annotation& a, const std::string& what) {
    add(Severity::note, a, fmt::format("{} (annotation {})", what, a.type));
  }

  // --- elements of the file and of the system made of it, in parallel

  void of_elements(const System& said, graph::System& made) {
    for (const auto& a : said.annotations)
      if (a.type == system_annotation) of_system(a, made);
    for (const auto& c : said.components) {
      const auto found =
          std::find_if(made.components.begin(), made.components.end(), [&](const auto& m) { return m.name == c.name; });
      if (found == made.components.end()) continue;
      for (const auto& a : c.annotations) of_component(a, *found);
    }
    for (const auto& inner : said.systems) {
      const auto found =
          std::find_if(made.systems.begin(), made.systems.end(), [&](const auto& m) { return m.name == inner.name; });
      if (found != made.systems.end()) of_elements(inner, *found);
    }
  }

  // Consort's annotation: what SSP has no words for, in the format of a system file.
  void of_system(const Annotation& a, graph::System& made) {
    pugi::xml_document xml;
    xml.load_buffer(a.xml.data(), a.xml.size(), pugi::parse_default | pugi::parse_fragment | pugi::parse_ws_pcdata);
    try {
      yaml::read_words(xml.document_element().child_value(),
                       fmt::format("{}:{} (annotation)", from_.shown, a.line.number), made);
    } catch (const Error& problem) {
      add(Severity::error, a, problem.what());
    }
  }

  void of_component(const Annotation& a, graph::Component& component) {
    pugi::xml_document xml;
    xml.load_buffer(a.xml.data(), a.xml.size(), pugi::parse_default | pugi::parse_fragment);
    if (a.type == unit_annotation) {
      const auto unit = find(xml, "Unit");
      if (const auto solver = unit.attribute("solver")) component.solver = solver.value();
      if (const auto tolerance = positive(unit, "tolerance")) component.tolerance = tolerance;
      if (const auto platform = unit.attribute("platform")) component.platform = platform.value();
      if (const auto host = unit.attribute("host")) component.host = host.value();
      if (const auto substeps = unit.attribute("substeps"))
        component.substeps = read_number<std::uint32_t>(substeps.value()).value_or(1);
      for (const char* const name : {"answers", "responds_without_step"})  // the former in packages of earlier versions
        if (const auto responds = unit.attribute(name))
          component.responds_without_step = read_bool(responds.value()).value_or(false);
    }
    const auto step = document_.system.experiment.step;
    if (const auto hint = positive(find(xml, "StepSizeHint"), "value");
        hint && step && a.type == "com.opensimulationplatform") {
      const double ratio = std::round(*step / *hint);
      if (ratio >= 2 && ratio <= 1e6) component.substeps = static_cast<std::uint32_t>(ratio);
    }
  }

  // --- Consort's annotation: the run settings in the format of a system file

  void own_run(const Annotation& a) {
    pugi::xml_document xml;
    xml.load_buffer(a.xml.data(), a.xml.size(), pugi::parse_default | pugi::parse_fragment | pugi::parse_ws_pcdata);
    const std::string text = xml.document_element().child_value();
    try {
      auto said = yaml::parse_system("consort: 1\nunits: {}\n" + text,
                                     fmt::format("{}:{} (annotation)", from_.shown, a.line.number));
      auto& e = document_.system.experiment;
      const auto take = [](auto& to, const auto& value) {
        if (value) to = value;
      };
      take(e.start, said.system.experiment.start);
      take(e.stop, said.system.experiment.stop);
      take(e.step, said.system.experiment.step);
      take(e.tolerance, said.system.experiment.tolerance);
      document_.run = std::move(said.run);
      // A package must not decide where files are written on this machine.
      document_.run.record.file.clear();
      if (!document_.run.input_file.empty())
        document_.run.input_file =
            from_.package.resolve(std::filesystem::path(document_.run.input_file).filename().string(), "resources")
                .path.string();
    } catch (const Error& problem) {
      add(Severity::error, a, problem.what());
    }
  }

  const Annotated& from_;
  graph::Document& document_;
  Diagnostics& diagnostics_;
};

}  // namespace

ForeignPort foreign_port(const Connector& connector) {
  ForeignPort port;
  for (const auto& a : connector.annotations) {
    if (a.type != "com.avl.model.connect.ssp.port") continue;
    pugi::xml_document xml;
    xml.load_buffer(a.xml.data(), a.xml.size(), pugi::parse_default | pugi::parse_fragment);
    const auto node = find(xml, "Port");
    port.variable = node.attribute("nameInModel").value();
    const auto type = node.first_child();
    port.is_vector = local_name(type.name()).ends_with("Vector");
    if (!port.is_vector) port.value = type.attribute("default").value();
  }
  return port;
}

void apply_annotations(const Annotated& from, graph::Document& document, Diagnostics& diagnostics) {
  Applier(from, document, diagnostics)();
}

}  // namespace consort::ssp
