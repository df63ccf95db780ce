// Turns the systems of SSD files into graph::System, including nested systems. Internal to ssp/.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "graph/sheet.hpp"
#include "graph/system.hpp"
#include "ssp/document.hpp"
#include "ssp/package.hpp"

namespace consort::ssp {

// An SSD file and its location.
struct Source {
  std::shared_ptr<const Package> package{};
  std::string folder{};  // folder of the file, relative to the root of the package
  std::string shown{};
  const SystemStructure* structure = nullptr;
};

// Whether values come out of a connector or go into it, seen from the system that has the connection.
enum class Role : std::uint8_t { source, sink, any };
// `own`: the connector belongs to that system itself, not to one of its elements.
[[nodiscard]] Role role_of(std::string_view kind, bool own);
// Causality of an FMU's variable or a system's connector; local for a kind that can be input or output.
[[nodiscard]] describe::Causality causality_of(std::string_view kind);
[[nodiscard]] graph::Connector connector_of(const Connector& connector, const std::string& shown);

// One end of a connection, with its element and connector in the file.
struct End {
  graph::Endpoint endpoint{};
  const Element* element = nullptr;  // null: the element does not exist
  const Connector* connector = nullptr;
  bool own = false;
  Role role = Role::any;
};
struct Wiring {
  const Connection& connection;
  End start;
  End end;
};

class Builder {
 public:
  explicit Builder(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  // The root system of an SSD file.
  [[nodiscard]] graph::System build(const std::shared_ptr<const Package>& package, const std::string& structure);
  [[nodiscard]] const SystemStructure& load(const std::shared_ptr<const Package>& package,
                                            const std::string& structure);
  // The packages that the result refers to.
  [[nodiscard]] std::vector<graph::KeptFiles> packages() const;
  // Graphical layout of the system that was built last.
  [[nodiscard]] const graph::Sheet& sheet() const { return sheet_; }

 private:
  // A signal dictionary, visible to references in its system and in the systems inside.
  struct Dictionary {
    std::string element;           // name of its graph::System, which has one connector per entry and no contents
    const SystemDictionary* said;  // as in the file
    std::string owner;             // path of ids, for messages
  };
  struct Scope {
    const System* system = nullptr;
    std::vector<Dictionary> dictionaries{};
  };
  [[nodiscard]] graph::System system_of(const Source& source, const System& system);
  void add_elements(const Source& source, const System& system, graph::System& to);
  void add_component(const Source& source, const Component& component, graph::System& to);
  void add_fmu(const Source& source, const Component& component, const Package::Place& place, graph::System& to);
  void add_table(const Source& source, const Component& component, const Package::Place& place, graph::System& to);
  void add_stub(const Source& source, const Element& element, graph::System& to);
  // Adds an FMU, which need not exist, with the parameters and connectors given by the SSD file.
  void add_unit(const Source& source, const Component& component, const std::filesystem::path& file, graph::System& to);
  [[nodiscard]] Package::Place find_file(const Source& source, const std::string& uri, const Base& element);
  static void find_icons(const Source& source, graph::Sheet& sheet);
  void add_inner_sheet(const std::string& element);  // call it right after building the system of that element
  [[nodiscard]] bool add_nested(const Source& source, const Component& component, graph::System& to);
  void append_bindings(const Source& source, const std::vector<ParameterBinding>& bindings, const Component* component,
                       std::vector<graph::Setting>& to);
  void add_binding(const Source& source, const ParameterBinding& binding, const Component* component,
                   std::vector<graph::Setting>& to);

  void add_connections(const Source& source, const System& system, graph::System& to);
  void add_connection(const Source& source, const System& system, Wiring wiring, graph::System& to);

  [[nodiscard]] bool is_repeated(const graph::Connection& connection, const std::vector<graph::Connection>& others);

  void open_dictionaries(const Source& source, const System& system, graph::System& to);
  void check_reference(const Source& source, const System& system, const SignalDictionaryReference& reference);
  [[nodiscard]] const SignalDictionary* dictionary_of(const Source& source, const SystemDictionary& said);

  template <class T>
  [[nodiscard]] const T* load_part(const Source& source, const std::string& uri, const std::string& base,
                                   const Component* component, std::uint32_t line, std::string& shown);
  [[nodiscard]] const System* system_by_id(const System& system, std::string_view id) const;

  void error(const Source& source, std::uint32_t line, std::string rule, std::string message);
  void warning(const Source& source, std::uint32_t line, std::string rule, std::string message);
  void note(const Source& source, std::uint32_t line, std::string rule, std::string message);

  Diagnostics& diagnostics_;
  std::map<std::string, std::shared_ptr<const Package>> packages_;  // by path of their file
  std::map<std::string, std::shared_ptr<const void>> parts_;        // files read so far, by path and type
  std::vector<std::string> open_;                                   // enclosing SSD files, to detect cycles
  std::vector<Scope> scopes_;
  std::unordered_set<std::string> destinations_;  // driven connectors of the system under construction
  graph::Sheet sheet_;                            // of the system that was finished last
  std::vector<graph::Sheet> sheets_;              // of the enclosing systems
};

}  // namespace consort::ssp
