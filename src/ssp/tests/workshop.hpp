// Builds packages in a test: files in a folder, descriptions of the FMUs that they name, and the resulting plan.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "graph/compile.hpp"
#include "graph/tests/plant.hpp"
#include "os/archive.hpp"
#include "os/temp_folder.hpp"
#include "ssp/to_system.hpp"

namespace consort::ssp {

class Workshop {
 public:
  // Text of an SSD file: `system` is the contents of the root system, `after` the elements that follow it.
  static std::string ssd(std::string_view system, std::string_view after = {}, std::string_view version = "2.0") {
    return fmt::format(R"(<ssd:SystemStructureDescription version="{}" name="plan" )"
                       R"(xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" )"
                       R"(xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" )"
                       R"(xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" )"
                       R"(xmlns:ssm="http://ssp-standard.org/SSP1/SystemStructureParameterMapping" )"
                       R"(xmlns:ssb="http://ssp-standard.org/SSP1/SystemStructureSignalDictionary">)"
                       "\n<ssd:System name=\"root\">{}</ssd:System>{}</ssd:SystemStructureDescription>",
                       version, system, after);
  }
  static std::string ssv(std::string_view parameters, std::string_view after = {}) {
    return fmt::format(R"(<ssv:ParameterSet version="2.0" name="set" )"
                       R"(xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" )"
                       R"(xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues">)"
                       "<ssv:Parameters>{}</ssv:Parameters>{}</ssv:ParameterSet>",
                       parameters, after);
  }
  static std::string real(std::string_view name, double value, std::string_view unit = {}) {
    return fmt::format(R"(<ssv:Parameter name="{}"><ssv:Real value="{}"{}/></ssv:Parameter>)", name, value,
                       unit.empty() ? "" : fmt::format(" unit=\"{}\"", unit));
  }
  // A binding with inlined parameters.
  static std::string binding(std::string_view parameters, std::string_view attributes = {},
                             std::string_view mapping = {}, std::string_view units = {}) {
    return fmt::format(
        R"(<ssd:ParameterBinding {}><ssd:ParameterValues>{}</ssd:ParameterValues>{}</ssd:ParameterBinding>)",
        attributes, ssv(parameters, units), mapping);
  }
  static std::string bindings(std::string_view all) {
    return fmt::format("<ssd:ParameterBindings>{}</ssd:ParameterBindings>", all);
  }
  static std::string component(std::string_view name, std::string_view source, std::string_view inside = {}) {
    return fmt::format(R"(<ssd:Component name="{}" source="{}">{}</ssd:Component>)", name, source, inside);
  }
  static std::string elements(std::string_view all) { return fmt::format("<ssd:Elements>{}</ssd:Elements>", all); }
  static std::string connectors(const std::vector<std::pair<std::string, std::string>>& name_and_kind,
                                std::string_view type = {}) {
    std::string all;
    for (const auto& [name, kind] : name_and_kind)
      all += fmt::format(R"(<ssd:Connector name="{}" kind="{}">{}</ssd:Connector>)", name, kind, type);
    return fmt::format("<ssd:Connectors>{}</ssd:Connectors>", all);
  }
  // "a.y" to "b.u"; a name without a dot is a connector of the system itself.
  static std::string connection(std::string_view start, std::string_view end, std::string_view attributes = {},
                                std::string_view inside = {}) {
    const auto text = [](std::string_view side, std::string_view path) {
      const auto dot = path.find('.');
      if (dot == std::string_view::npos) return fmt::format(R"({}Connector="{}" )", side, path);
      return fmt::format(R"({}Element="{}" {}Connector="{}" )", side, path.substr(0, dot), side, path.substr(dot + 1));
    };
    return fmt::format("<ssd:Connection {}{}{}>{}</ssd:Connection>", text("start", start), text("end", end), attributes,
                       inside);
  }
  static std::string connections(std::string_view all) {
    return fmt::format("<ssd:Connections>{}</ssd:Connections>", all);
  }

  // Writes a file of the package and creates its folders.
  Workshop& file(const std::string& path, std::string_view text) {
    const auto full = folder_.path() / "package" / path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full, std::ios::binary) << text;
    return *this;
  }
  Workshop& structure(std::string_view text) { return file("SystemStructure.ssd", text); }
  // Adds an FMU, which is never opened, and returns its description.
  graph::Plant& fmu(const std::string& path) {
    file(path, "an FMU");
    auto& plant = plants_[std::filesystem::path(path).filename().string()];
    plant = std::make_unique<graph::Plant>();
    return *plant;
  }
  // An existing description, to add to it.
  graph::Plant& fmu_like(const std::string& name) { return *plants_.at(name); }
  // Gives the descriptions added so far by file name.
  [[nodiscard]] graph::Catalogue catalogue() {
    for (auto& [name, plant] : plants_)
      if (!std::exchange(finished_[name], true)) plant->d.finish();
    return [this](const graph::Component& c) -> const describe::Description& {
      const auto found = plants_.find(c.source.filename().string());
      if (found == plants_.end()) throw input_error("there is no '{}' in the workshop", c.source.string());
      return found->second->d;
    };
  }
  [[nodiscard]] std::filesystem::path folder() const { return folder_.path() / "package"; }
  // Packs the folder into an archive and returns its path.
  [[nodiscard]] std::filesystem::path packed(const std::string& name = "plan.ssp") const {
    auto archive = folder_.path() / name;
    os::pack(folder(), archive);
    return archive;
  }

  // Reads and compiles the package. The system is kept until the next call because the plan refers to it.
  const graph::Plan& plan(const std::filesystem::path& path, const ReadOptions& options = {},
                          const graph::CompileOptions& compile = {}) {
    document_ = read_system(path, options);
    plan_ = graph::compile(document_.system, catalogue(), compile);
    return plan_;
  }
  const graph::Plan& plan() { return plan(folder()); }
  [[nodiscard]] const graph::Document& document() const { return document_; }

  // The start value of a variable in the last plan, as text; "-" when none was set.
  [[nodiscard]] std::string start(std::string_view path) const {
    const auto [unit, variable] = plan_.require_variable(path);
    const auto& starts = plan_.units[unit].starts;
    for (const auto* set : {&starts.others(), &starts.structural()})
      for (std::size_t i = 0; i < set->variables.size(); ++i)
        if (set->variables[i] == variable) return set->values[i].text();
    return "-";
  }

  // All diagnostics, one per line.
  [[nodiscard]] std::string problems() const {
    Diagnostics diagnostics;
    const auto package = Package::open(folder(), "package");
    static_cast<void>(to_system(package, package->find_structure({}), diagnostics));
    std::string all;
    for (const auto& d : diagnostics.all()) all += d.text() + "\n";
    return all;
  }
  [[nodiscard]] std::string error(const ReadOptions& options = {}) {
    try {
      static_cast<void>(plan(folder(), options));
    } catch (const Error& e) {
      EXPECT_EQ(e.fault(), Fault::input);
      return e.what();
    }
    ADD_FAILURE() << "read without an error";
    return {};
  }

 private:
  os::TempFolder folder_{"workshop"};
  std::map<std::string, std::unique_ptr<graph::Plant>> plants_;
  std::map<std::string, bool> finished_;
  graph::Document document_;
  graph::Plan plan_;
};

}  // namespace consort::ssp
