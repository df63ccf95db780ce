// Reads model descriptions from a few lines of XML, with the findings of the reader.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/xml.hpp"
#include "describe/description.hpp"
#include "fmi/fmu.hpp"

namespace consort::fmi {

struct Read {
  describe::Description d;
  Diagnostics diagnostics;

  // The texts of the diagnostics without the name of the file: ":3: warning: … [schema]".
  [[nodiscard]] std::vector<std::string> findings() const {
    std::vector<std::string> texts;
    for (const auto& one : diagnostics.all()) texts.push_back(one.text().substr(one.file.size()));
    return texts;
  }
  // The variable of this name, which must exist.
  [[nodiscard]] const describe::Variable& operator[](std::string_view name) const {
    return d[d.require_variable(name)];
  }
};

inline Read read_text(std::string text) {
  Read read;
  read.d = read_description(XmlDocument::parse(std::move(text), "modelDescription.xml"), read.diagnostics);
  return read;
}

// The root element is on line 1, `body` begins on line 2.
inline Read read_v1(const std::string& body, const std::string& attributes = "") {
  return read_text(
      "<fmiModelDescription fmiVersion='1.0' modelName='m' modelIdentifier='m' guid='g' "
      "numberOfContinuousStates='0' numberOfEventIndicators='0' " +
      attributes + ">\n" + body + "\n</fmiModelDescription>");
}

inline Read read_v2(const std::string& body, const std::string& attributes = "") {
  return read_text("<fmiModelDescription fmiVersion='2.0' modelName='m' guid='g' " + attributes +
                   "><CoSimulation modelIdentifier='m'/>\n" + body + "\n</fmiModelDescription>");
}

inline Read read_v3(const std::string& body, const std::string& attributes = "") {
  return read_text("<fmiModelDescription fmiVersion='3.0' modelName='m' instantiationToken='g' " + attributes +
                   "><CoSimulation modelIdentifier='m'/>\n" + body + "\n</fmiModelDescription>");
}

// A list of variables, with the structure that versions 2 and 3 require.
inline Read variables_v1(const std::string& variables) {
  return read_v1("<ModelVariables>\n" + variables + "</ModelVariables>");
}
inline Read variables_v2(const std::string& variables, const std::string& structure = "") {
  return read_v2("<ModelVariables>\n" + variables + "</ModelVariables><ModelStructure>" + structure +
                 "</ModelStructure>");
}
inline Read variables_v3(const std::string& variables, const std::string& structure = "") {
  return read_v3("<ModelVariables>\n" + variables + "</ModelVariables><ModelStructure>" + structure +
                 "</ModelStructure>");
}

// The names of the variables on which an unknown depends; "*" if it depends on all knowns.
inline std::vector<std::string> dependencies_of(const describe::Description& d, const describe::Unknown& u) {
  if (!u.declared) return {"*"};
  std::vector<std::string> names;
  for (const auto& dependency : d.structure.of(u)) names.emplace_back(d[dependency.variable].name);
  return names;
}

}  // namespace consort::fmi
