// Creates the units of a system: from FMUs, each opened once, from models without an FMU, and from units written in
// C++.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "fleet/spec.hpp"
#include "fmi/fmu.hpp"
#include "graph/compile.hpp"
#include "graph/plan.hpp"
#include "group/model.hpp"
#include "unit/model_source.hpp"
#include "unit/unit.hpp"

namespace consort::engine {

struct LibraryOptions {
  fmi::OpenOptions open{};
  LogSink log{};
  bool logging = false;                           // debug logging of the FMUs
  std::function<void(std::string_view)> trace{};  // called with a line of text for every FMI call
  std::string solver = "bdf";                     // for Model Exchange, unless the component names another
};

class Library {
 public:
  explicit Library(LibraryOptions options = {});
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  // Adds a unit written in C++ for components whose source is "model:NAME".
  using Factory = std::function<std::unique_ptr<unit::Unit>(const std::string& instance_name)>;
  void add(std::string name, Factory factory);

  // Adds a model without an FMU for components whose source is "model:NAME", or the whole source of a class in Python.
  // Its units are Model Exchange with the solver of their component. Hides the built-in model of this name.
  void add(std::string name, std::shared_ptr<const unit::ModelSource> model);

  // Adds an open FMU for components whose source is its path. It must outlive the library.
  void add(const fmi::Fmu& fmu);

  // For graph::compile. Throws Error (input) that names the component and its source.
  [[nodiscard]] const describe::Description& description(const graph::Component& component);
  [[nodiscard]] graph::Catalogue catalogue();
  // Specifications of the units of a compiled plan, in its order. `step`: the communication step, which is also the
  // step of solvers with fixed steps; 0: unknown.
  [[nodiscard]] std::vector<fleet::UnitSpec> specs(const graph::Plan& plan, Duration step = 0);
  // Creates units from these specifications in this process. The library must outlive the factory and the units.
  [[nodiscard]] fleet::UnitFactory factory();
  // The Model Exchange instance of a specification that was made by specs(), for groups of instances. Throws Error
  // (input) for a unit that has none. The library must outlive it.
  [[nodiscard]] std::unique_ptr<fmi::ModelExchange> model_exchange(const fleet::UnitSpec& spec);
  // Descriptions of units by their specification. Valid while the library exists.
  [[nodiscard]] std::function<std::shared_ptr<const describe::Description>(const fleet::UnitSpec&)> describer();

  // Warnings from opening FMUs, one line each.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  // Either a model, or a factory and the first unit that it made.
  struct Native {
    std::shared_ptr<const unit::ModelSource> model{};
    Factory factory{};
    std::unique_ptr<unit::Unit> prototype{};
    bool built_in = false;
    [[nodiscard]] const describe::Description& description() const {
      return model ? model->description() : prototype->description();
    }
  };
  const fmi::Fmu& open(const graph::Component& component);
  const group::Model& group(const graph::Component& component);
  fleet::UnitSpec group_spec(const graph::PlannedUnit& planned, Duration step);
  void use_folders(graph::System& system);  // as sources of its FMUs
  std::unique_ptr<unit::Unit> make_group(const fleet::UnitSpec& spec);
  Native* native(const graph::Component& component);
  fleet::UnitSpec spec_of(const graph::PlannedUnit& planned, Duration step);
  std::unique_ptr<unit::Unit> make(const fleet::UnitSpec& spec);
  std::unique_ptr<unit::Unit> make_native(const Native& native, const fleet::UnitSpec& spec);
  void choose_solver(const graph::Component& component, const describe::Description& d, Duration step,
                     fleet::UnitSpec& spec);

  LibraryOptions options_;
  std::map<std::string, std::unique_ptr<fmi::Fmu>> fmus_;  // by canonical path
  std::map<std::string, const fmi::Fmu*> by_given_path_;
  std::map<std::string, const fmi::Fmu*> by_folder_;
  std::map<std::string, Native> natives_;
  // By component, which the entry keeps alive. The numbers are those of UnitSpec::group.
  struct Group {
    std::shared_ptr<const graph::System> system;
    std::shared_ptr<const group::Model> model;
    std::uint64_t number = 0;
  };
  std::vector<Group> groups_;
};

}  // namespace consort::engine
