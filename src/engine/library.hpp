// Where the units of a system come from: FMUs, each opened once, and units written in C++.
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
#include "unit/unit.hpp"

namespace consort::engine {

struct LibraryOptions {
  fmi::OpenOptions open{};
  LogSink log{};
  bool logging = false;                           // the FMUs' own debug logging
  std::function<void(std::string_view)> trace{};  // a line for every call
  std::string solver = "bdf";                     // for Model Exchange, unless the component says otherwise
};

class Library {
 public:
  explicit Library(LibraryOptions options = {});
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  // A unit written in C++ for components whose source is "model:NAME".
  using Factory = std::function<std::unique_ptr<unit::Unit>(const std::string& instance_name)>;
  void add(std::string name, Factory factory);

  // An FMU that is open already, for components whose source is its path. It must outlive the library.
  void add(const fmi::Fmu& fmu);

  // For graph::compile. Throws Error (input) that says which component wanted what.
  [[nodiscard]] const describe::Description& description(const graph::Component& component);
  [[nodiscard]] graph::Catalogue catalogue();
  // The units of a compiled plan, in its order, before they exist. `step`: the communication step, where it is known,
  // which is that of solvers with steps of fixed size.
  [[nodiscard]] std::vector<fleet::UnitSpec> specs(const graph::Plan& plan, Duration step = 0);
  // Makes units of these in this process. The library must outlive it and them.
  [[nodiscard]] fleet::UnitFactory factory();
  // What such a unit offers. As long as the library lives.
  [[nodiscard]] std::function<std::shared_ptr<const describe::Description>(const fleet::UnitSpec&)> describer();

  struct File {
    std::string path;    // as it was given first
    std::string digest;  // SHA-256 of the file; empty for folders
  };
  [[nodiscard]] std::vector<File> files() const;
  // What opening found, as lines.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  struct Native {
    Factory factory;
    std::unique_ptr<unit::Unit> prototype;
  };
  const fmi::Fmu& open(const graph::Component& component);
  Native* native(const graph::Component& component);
  fleet::UnitSpec spec_of(const graph::PlannedUnit& planned, Duration step);
  std::unique_ptr<unit::Unit> make(const fleet::UnitSpec& spec);

  LibraryOptions options_;
  std::map<std::string, std::unique_ptr<fmi::Fmu>> fmus_;  // by canonical path
  std::map<std::string, const fmi::Fmu*> by_given_path_;
  std::map<std::string, const fmi::Fmu*> by_folder_;
  std::map<std::string, Native> natives_;
};

}  // namespace consort::engine
