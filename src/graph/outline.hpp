// Descriptions of units made from a system file alone: from the connectors that it declares or connects. They suffice
// to draw a system whose FMUs are missing or cannot be opened.
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

  // The same system without values and units of measure, which an outline does not have. Made at the first call.
  [[nodiscard]] const System& system();

  // True if the component belongs to the original system or to the result of system().
  [[nodiscard]] bool has(const Component& component) const { return owners_.contains(&component); }
  // In the description, every signal is a number and no output depends on an input.
  [[nodiscard]] const describe::Description& operator()(const Component& component);

 private:
  void find_owners(const System& system);

  const System& original_;
  std::unique_ptr<const System> plain_;
  std::map<const Component*, const System*> owners_;
  std::map<const Component*, std::unique_ptr<describe::Description>> known_;
};

}  // namespace consort::graph
