// An FMU, opened: unpacked, described, ready to make instances. Start here.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/diagnostic.hpp"
#include "base/xml.hpp"
#include "describe/description.hpp"
#include "fmi/instance.hpp"
#include "os/archive.hpp"

namespace consort::fmi {

struct OpenOptions {
  os::ArchiveLimits archive{};
  XmlLimits xml{};
  bool strict = false;   // refuse what breaks a rule of the standard, instead of taking note of it
  bool compile = false;  // build a binary from the FMU's sources when it has none for this platform
};

class Fmu {
 public:
  // Opens a .fmu file, or a folder that one was unpacked into. Throws Error (input) for what cannot be used at all;
  // rules broken otherwise are in diagnostics().
  static Fmu open(const std::filesystem::path& path, const OpenOptions& options = {});

  [[nodiscard]] const describe::Description& description() const;
  // What reading the description found. The rules of the standard beyond that: describe/check.hpp.
  [[nodiscard]] const Diagnostics& diagnostics() const;
  [[nodiscard]] const std::filesystem::path& path() const;    // as given
  [[nodiscard]] const std::filesystem::path& folder() const;  // where it is unpacked

  // Instances keep the library and the unpacked files alive; the Fmu itself may go. Throw Error (input) when the FMU
  // does not have the interface, has no binary for this platform, or allows one instance only and has it.
  [[nodiscard]] std::unique_ptr<CoSimulation> co_simulation(InstanceOptions options) const;
  [[nodiscard]] std::unique_ptr<ModelExchange> model_exchange(InstanceOptions options) const;
  [[nodiscard]] std::unique_ptr<ScheduledExecution> scheduled_execution(InstanceOptions options) const;

  struct Package;  // what instances share

 private:
  explicit Fmu(std::shared_ptr<Package> package) : package_(std::move(package)) {}
  std::shared_ptr<Package> package_;
};

// Description alone, from the text of a modelDescription.xml: for tests, tools and fuzzing.
[[nodiscard]] describe::Description read_description(const XmlDocument& document, Diagnostics& diagnostics);

}  // namespace consort::fmi
