// Turns the systems of SSD files into graph::System, one after the other, nested ones inside. Internal to ssp/.
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

// An SSD file, and where it is.
struct Source {
  std::shared_ptr<const Package> package{};
  std::string folder{};  // of the file, below the root of the package
  std::string shown{};
  const SystemStructure* structure = nullptr;
};

// Whether values come out of a connector or go into it, seen from the system that connects it.
enum class Role : std::uint8_t { source, sink, any };
// `own`: of the system around, not of an element.
[[nodiscard]] Role role_of(std::string_view kind, bool own);
// Of an FMU's variable or a system's connector; local for what can be either.
[[nodiscard]] describe::Causality causality_of(std::string_view kind);
[[nodiscard]] graph::Connector connector_of(const Connector& connector, const std::string& shown);

// One end of a connection, with what the file says about it.
struct End {
  graph::Endpoint endpoint{};
  const Element* element = nullptr;  // null: there is no such element
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
  // Packages that the result refers to.
  [[nodiscard]] std::vector<std::shared_ptr<const void>> packages() const;
  // Where things are drawn in the system that was built last.
  [[nodiscard]] const graph::Sheet& sheet() const { return sheet_; }

 private:
  // A signal dictionary, seen by the references to it in the system that has it and in those inside.
  struct Dictionary {
    std::string element;           // the hub: a system without contents, one connector per entry
    const SystemDictionary* said;  // as it was written
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
  void add_stub(const Source& source, const Element& element, graph::System& to);
  // An FMU that may not be there, with the parameters and connectors that the file gives it.
  void add_unit(const Source& source, const Component& component, const std::filesystem::path& file, graph::System& to);
  [[nodiscard]] Package::Place find_file(const Source& source, const std::string& uri, const Base& element);
  static void find_icons(const Source& source, graph::Sheet& sheet);
  void add_inner_sheet(const std::string& element);  // right after the system of that element was built
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
  std::map<std::string, std::shared_ptr<const void>> parts_;        // files that were read, by path and type
  std::vector<std::string> open_;                                   // SSD files around, to find circles
  std::vector<Scope> scopes_;
  std::unordered_set<std::string> destinations_;  // of the system whose connections are being made
  graph::Sheet sheet_;                            // of the system that was finished last
  std::vector<graph::Sheet> sheets_;              // of the systems around
};

}  // namespace consort::ssp
