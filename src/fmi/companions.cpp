#include "fmi/companions.hpp"

#include <string_view>

#include "fmi/description_reader.hpp"

namespace consort::fmi {

using namespace describe;

namespace {

class TerminalParser {
 public:
  TerminalParser(const XmlDocument& document, Description& description, Diagnostics& diagnostics)
      : r_(document, description, diagnostics), d_(description) {}

  Terminal terminal(pugi::xml_node node) {
    Terminal t;
    t.name = r_.text(node, "name", true, rule);
    t.matching_rule = r_.text(node, "matchingRule", true, rule);
    t.kind = node.attribute("terminalKind").value();
    t.description = node.attribute("description").value();
    for (const auto child : node.children()) {
      switch (xml_key(child.name())) {
        case xml_key("TerminalMemberVariable"):
          t.members.push_back({child.attribute("variableName").value(), child.attribute("memberName").value(),
                               child.attribute("variableKind").value()});
          check_variable(child, t.members.back().variable);
          break;
        case xml_key("TerminalStreamMemberVariable"):
          t.stream_members.push_back(
              {child.attribute("inStreamMemberName").value(), child.attribute("outStreamMemberName").value(),
               child.attribute("inStreamVariableName").value(), child.attribute("outStreamVariableName").value()});
          check_variable(child, t.stream_members.back().in_stream_variable);
          check_variable(child, t.stream_members.back().out_stream_variable);
          break;
        case xml_key("Terminal"): t.terminals.push_back(terminal(child)); break;
        case xml_key("TerminalGraphicalRepresentation"): t.graphics = graphics(child); break;
        case xml_key("Annotations"): break;
        default: r_.unknown_element(child);
      }
    }
    return t;
  }

  [[nodiscard]] Terminals::Icon icon(pugi::xml_node node) {
    return {coordinate(node, "x1"), coordinate(node, "y1"), coordinate(node, "x2"), coordinate(node, "y2"), "icon"};
  }

 private:
  static constexpr const char* rule = "FMI 3.0, 2.4.9: terminals";

  double coordinate(pugi::xml_node node, const char* name) { return r_.optional_number(node, name).value_or(0.0); }

  TerminalGraphics graphics(pugi::xml_node node) {
    return {coordinate(node, "x1"),
            coordinate(node, "y1"),
            coordinate(node, "x2"),
            coordinate(node, "y2"),
            node.attribute("iconBaseName").value(),
            node.attribute("defaultConnectionColor").value()};
  }

  void check_variable(pugi::xml_node node, const std::string& name) {
    if (d_.find(name) == no_variable)
      r_.report(Severity::warning, node, rule, "'{}' is not a variable of the model", name);
  }

  DescriptionReader r_;
  Description& d_;
};

SourceFileSet source_file_set(DescriptionReader& r, pugi::xml_node node) {
  SourceFileSet set;
  set.name = node.attribute("name").value();
  set.language = node.attribute("language").value();
  set.compiler = node.attribute("compiler").value();
  set.compiler_options = node.attribute("compilerOptions").value();
  for (const auto child : node.children()) {
    const std::string name = child.attribute("name").value();
    switch (xml_key(child.name())) {
      case xml_key("SourceFile"): set.files.push_back(name); break;
      case xml_key("IncludeDirectory"): set.include_directories.push_back(name); break;
      case xml_key("PreprocessorDefinition"): {
        const auto optional = child.attribute("optional");
        set.definitions.push_back(
            {name, child.attribute("value").value(), optional && r.boolean(child, optional, false)});
        break;
      }
      case xml_key("Annotations"): break;
      default: r.unknown_element(child);
    }
  }
  return set;
}

}  // namespace

void read_terminals(const XmlDocument& document, Description& description, Diagnostics& diagnostics) {
  TerminalParser parser(document, description, diagnostics);
  for (const auto node : document.root().child("Terminals").children("Terminal")) {
    description.terminals.terminals.push_back(parser.terminal(node));
  }
  if (const auto icon = document.root().child("GraphicalRepresentation").child("Icon"))
    description.terminals.icon = parser.icon(icon);
}

void read_build_description(const XmlDocument& document, Description& description, Diagnostics& diagnostics) {
  DescriptionReader r(document, description, diagnostics);
  for (const auto node : document.root().children("BuildConfiguration")) {
    BuildConfiguration configuration;
    configuration.model_identifier = r.text(node, "modelIdentifier", true, "FMI 3.0, 2.5: build description");
    configuration.platform = node.attribute("platform").value();
    configuration.description = node.attribute("description").value();
    for (const auto set : node.children("SourceFileSet"))
      configuration.source_file_sets.push_back(source_file_set(r, set));
    for (const auto library : node.children("Library")) {
      const auto external = library.attribute("external");
      configuration.libraries.push_back({library.attribute("name").value(), library.attribute("version").value(),
                                         library.attribute("description").value(),
                                         external && r.boolean(library, external, false)});
    }
    description.build_configurations.push_back(std::move(configuration));
  }
}

}  // namespace consort::fmi
