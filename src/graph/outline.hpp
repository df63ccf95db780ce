// Units as far as a system file tells about them: the connectors that it declares or connects. Enough to draw a system
// whose FMUs are not there, or cannot be opened.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "describe/description.hpp"
#include "graph/system.hpp"

namespace consort::graph {

class Outlines {
 public:
  // The system must outlive the result.
  explicit Outlines(const System& system);

  // The same system without values and units of measure, which an outline cannot have; made at the first call.
  [[nodiscard]] const System& system();

  // Whether the component is one of the system's, or of the one that system() gives.
  [[nodiscard]] bool has(const Component& component) const { return owners_.contains(&component); }
  // Every signal is a number; nothing is said to depend on anything.
  [[nodiscard]] const describe::Description& operator()(const Component& component);

 private:
  void find_owners(const System& system);

  const System& original_;
  std::unique_ptr<const System> plain_;
  std::map<const Component*, const System*> owners_;
  std::map<const Component*, std::unique_ptr<describe::Description>> known_;
};

}  // namespace consort::graph
