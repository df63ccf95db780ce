#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/fmu_options.hpp"
#include "cli/result_info.hpp"
#include "cli/system_info.hpp"
#include "engine/system_files.hpp"
#include "fmi/library.hpp"
#include "record/formats.hpp"

namespace consort::cli {

using namespace describe;
using Json = nlohmann::ordered_json;

namespace {

struct InfoOptions {
  std::string file;
  bool json = false;
  bool all = false;
  fmi::OpenOptions open;
  std::string variant;
  bool allow_outside = false;
};

// --- capabilities, for both output formats ---------------------------------------------------------------------------

struct Capability {
  const char* name;
  bool (*has)(const Interface&);
};

constexpr Capability capabilities[] = {
    {"needs execution tool", [](const Interface& i) { return i.needs_execution_tool; }},
    {"only once per process", [](const Interface& i) { return i.only_once_per_process; }},
    {"saves state", [](const Interface& i) { return i.can_save_state; }},
    {"serialises state", [](const Interface& i) { return i.can_serialize_state; }},
    {"directional derivatives", [](const Interface& i) { return i.directional_derivatives; }},
    {"adjoint derivatives", [](const Interface& i) { return i.adjoint_derivatives; }},
    {"variable step", [](const Interface& i) { return i.variable_step; }},
    {"interpolates inputs", [](const Interface& i) { return i.interpolates_inputs; }},
    {"output derivatives", [](const Interface& i) { return i.max_output_derivative_order > 0; }},
    {"event mode", [](const Interface& i) { return i.event_mode; }},
    {"early return", [](const Interface& i) { return i.might_return_early; }},
    {"intermediate update", [](const Interface& i) { return i.intermediate_update; }},
    {"runs asynchronously", [](const Interface& i) { return i.runs_asynchronously; }},
    {"completed step needed",
     [](const Interface& i) { return i.type == InterfaceType::model_exchange && i.needs_completed_integrator_step; }},
};

// --- JSON ------------------------------------------------------------------------------------------------------------

template <class T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json interface_json(const Interface& i) {
  Json j{{"type", name_of(i.type)}, {"modelIdentifier", i.model_identifier}};
  for (const auto& c : capabilities) j[c.name] = c.has(i);
  if (i.fixed_internal_step) j["fixed internal step"] = *i.fixed_internal_step;
  return j;
}

Json variable_json(const Description& d, const Variable& v) {
  Json j{{"name", v.name},
         {"type", consort::name_of(v.type)},
         {"valueReference", v.reference},
         {"causality", name_of(v.causality)},
         {"variability", name_of(v.variability)},
         {"initial", name_of(v.initial)}};
  if (!v.description.empty()) j["description"] = v.description;
  if (const auto* s = d.start(v)) j["start"] = s->text();
  if (v.unit != no_measure) j["unit"] = d.unit_name(v);
  if (const auto* display = d.display_unit(v)) j["displayUnit"] = display->name;
  if (v.declared_type != no_type) j["declaredType"] = d.types[v.declared_type].name;
  if (std::isfinite(v.min)) j["min"] = v.min;
  if (std::isfinite(v.max)) j["max"] = v.max;
  if (v.has_nominal) j["nominal"] = v.nominal;
  if (v.derivative_of != no_variable) j["derivative"] = d[v.derivative_of].name;
  if (v.negated) j["negated"] = true;
  if (v.is_array()) {
    Json dimensions = Json::array();
    for (const auto& one : d.dimensions_of(v))
      dimensions.push_back(one.is_reference ? Json{{"valueReference", one.reference}} : Json(one.size));
    j["dimensions"] = std::move(dimensions);
  }
  return j;
}

Json unknowns_json(const Description& d, const std::vector<Unknown>& unknowns) {
  Json list = Json::array();
  for (const auto& u : unknowns) {
    Json dependencies = nullptr;  // null: not declared, may depend on everything
    if (u.declared) {
      dependencies = Json::array();
      for (const auto& one : d.structure.of(u)) dependencies.push_back(d[one.variable].name);
    }
    list.push_back({{"name", d[u.variable].name}, {"dependencies", std::move(dependencies)}});
  }
  return list;
}

std::string_view short_name(describe::InterfaceType type) {
  switch (type) {
    case describe::InterfaceType::co_simulation: return "cs";
    case describe::InterfaceType::model_exchange: return "me";
    default: return "se";
  }
}

Json description_json(const fmi::Fmu& fmu) {
  const auto& d = fmu.description();
  const auto& e = d.default_experiment;
  Json j{{"modelName", d.model_name},
         {"fmiVersion", d.fmi_version},
         {"instantiationToken", d.instantiation_token},
         {"description", d.description},
         {"author", d.author},
         {"version", d.model_version},
         {"copyright", d.copyright},
         {"license", d.license},
         {"generationTool", d.generation_tool},
         {"generationDateAndTime", d.generation_date},
         {"platforms", fmi::platforms(fmu.folder())},
         {"defaultExperiment",
          {{"startTime", optional_json(e.start_time)},
           {"stopTime", optional_json(e.stop_time)},
           {"tolerance", optional_json(e.tolerance)},
           {"stepSize", optional_json(e.step_size)}}},
         {"continuousStates", d.continuous_states},
         {"eventIndicators", d.event_indicators}};
  j["interfaces"] = Json::array();
  for (const auto& i : d.interfaces) {
    j["interfaces"].push_back(interface_json(i));
    j["interfaces"].back()["runs"] = fmi::how_it_runs({fmu.folder(), d.model_name, i.model_identifier, d.version});
  }
  j["variables"] = Json::array();
  for (const auto& v : d.variables) j["variables"].push_back(variable_json(d, v));
  j["structure"] = {{"outputs", unknowns_json(d, d.structure.outputs)},
                    {"derivatives", unknowns_json(d, d.structure.derivatives)},
                    {"initialUnknowns", unknowns_json(d, d.structure.initial_unknowns)}};
  j["terminals"] = Json::array();
  for (const auto& t : d.terminals.terminals)
    j["terminals"].push_back(
        {{"name", t.name}, {"matchingRule", t.matching_rule}, {"kind", t.kind}, {"members", t.members.size()}});
  return j;
}

// --- table -----------------------------------------------------------------------------------------------------------

void line(const std::string& name, const std::string& value) {
  if (!value.empty()) fmt::print("{:<18} {}\n", name, value);
}

std::string experiment_text(const DefaultExperiment& e) {
  std::vector<std::string> parts;
  if (e.start_time) parts.push_back(fmt::format("start {} s", *e.start_time));
  if (e.stop_time) parts.push_back(fmt::format("stop {} s", *e.stop_time));
  if (e.step_size) parts.push_back(fmt::format("step {} s", *e.step_size));
  if (e.tolerance) parts.push_back(fmt::format("tolerance {}", *e.tolerance));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string shorten(std::string text, std::size_t width) {
  if (text.size() <= width) return text;
  std::size_t end = width - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // do not cut a UTF-8 character
  return text.substr(0, end) + "…";
}

void print_variables(const Description& d, bool all) {
  const auto type_text = [&](const Variable& v) {
    return v.is_array() ? fmt::format("{}[{}]", consort::name_of(v.type), d.element_count(v))
                        : std::string(consort::name_of(v.type));
  };
  std::size_t width = 4, type_width = 7, hidden = 0;
  std::vector<const Variable*> shown;
  for (const auto& v : d.variables) {
    if (!all && (v.causality == Causality::local || v.causality == Causality::calculated_parameter)) {
      ++hidden;
      continue;
    }
    shown.push_back(&v);
    width = std::max(width, std::min<std::size_t>(v.name.size(), 48));
    type_width = std::max(type_width, type_text(v).size());
  }
  if (!shown.empty())
    fmt::print("\n{:<{}}  {:<11}  {:<11}  {:<{}}  {:<14}  {:<8}  {}\n", "name", width, "causality", "variability",
               "type", type_width, "start", "unit", "description");
  for (const auto* v : shown) {
    const auto* s = d.start(*v);
    fmt::print("{:<{}}  {:<11}  {:<11}  {:<{}}  {:<14}  {:<8}  {}\n", v->name, width, name_of(v->causality),
               name_of(v->variability), type_text(*v), type_width, s == nullptr ? "" : shorten(s->text(), 14),
               d.unit_name(*v), shorten(std::string(v->description), 60));
  }
  if (hidden > 0) fmt::print("… and {} local variables and calculated parameters (--all shows them)\n", hidden);
}

void print_table(const fmi::Fmu& fmu, bool all) {
  const auto& d = fmu.description();
  line("model", d.model_name);
  line("FMI version", d.fmi_version);
  line("description", d.description);
  line("author", d.author);
  line("version", d.model_version);
  line("licence", d.license);
  line("made by", d.generation_tool);
  line("on", d.generation_date);
  line("platforms", fmt::format("{}", fmt::join(fmi::platforms(fmu.folder()), ", ")));
  for (const auto& i : d.interfaces)
    line(fmt::format("runs as {}", short_name(i.type)),
         fmi::how_it_runs({fmu.folder(), d.model_name, i.model_identifier, d.version}));
  line("default experiment", experiment_text(d.default_experiment));
  for (const auto& i : d.interfaces) {
    std::vector<const char*> can;
    for (const auto& c : capabilities) {
      if (c.has(i)) can.push_back(c.name);
    }
    line("interface", fmt::format("{}{}{}", name_of(i.type), can.empty() ? "" : ": ", fmt::join(can, ", ")));
  }
  line("size", fmt::format("{} variables, {} continuous states, {} event indicators", d.variables.size(),
                           d.continuous_states, d.event_indicators));
  if (!d.terminals.terminals.empty()) {
    std::vector<std::string> names;
    for (const auto& t : d.terminals.terminals) names.push_back(t.name);
    line("terminals", fmt::format("{}", fmt::join(names, ", ")));
  }
  print_variables(d, all);
}

int info(const InfoOptions& o) {
  if (record::is_result_file(o.file)) {
    const auto result = record::read_result(o.file);
    const auto format = record::format_of(o.file).name;
    fmt::print("{}", o.json ? result_json(result, format) : result_text(result, format));
    return 0;
  }
  if (engine::is_system_file(o.file)) {
    const auto document = engine::read_system_file(o.file, {o.variant, o.allow_outside, true});
    fmt::print("{}", o.json ? system_json(document) : system_text(document));
    return 0;
  }
  const auto fmu = fmi::Fmu::open(o.file, o.open);
  if (o.json)
    fmt::print("{}\n", description_json(fmu).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  else
    print_table(fmu, o.all);
  return 0;
}

}  // namespace

void add_info(CLI::App& app, Action& action) {
  auto o = std::make_shared<InfoOptions>();
  auto& c = *app.add_subcommand("info", "show what an FMU, a system or a result contains");
  c.add_option("FILE", o->file, "an FMU, a system, a result, or a folder with an unpacked FMU or system")->required();
  c.add_option("--variant", o->variant, "name of the system, if the package has several");
  c.add_flag("--allow-outside", o->allow_outside, "allow an SSD file or folder to refer to files outside its folder");
  c.add_flag("--json", o->json, "print everything as JSON");
  c.add_flag("--all", o->all, "also show local variables and calculated parameters");
  add_open_options(c, o->open);
  c.callback([o, &action] { action = [o] { return info(*o); }; });
}

}  // namespace consort::cli
