// An opened FMU: unpacked, described, ready to make instances. The entry point of this folder.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "base/xml.hpp"
#include "describe/description.hpp"
#include "fmi/binaries.hpp"
#include "fmi/instance.hpp"
#include "os/archive.hpp"

namespace consort::fmi {

struct OpenOptions {
  os::ArchiveLimits archive{};
  XmlLimits xml{};
  bool strict = false;                 // refuse an FMU that violates the standard, instead of reporting it
  std::optional<Platform> platform{};  // of the binary to run; nullopt: see find_binary()
  // Time limit of a call into a binary that another program runs; exceeding it ends that program. nullopt: no limit.
  std::optional<std::chrono::duration<double>> call_limit{};
  bool compile = false;  // build a missing binary for this platform from the FMU's sources
};

class Fmu {
 public:
  // Opens a .fmu file, or a folder that contains an unpacked FMU. Throws Error (input) if it cannot be used at all;
  // other rule violations are in diagnostics().
  static Fmu open(const std::filesystem::path& path, const OpenOptions& options = {});

  [[nodiscard]] const describe::Description& description() const;
  // The findings of the description reader. Further rules of the standard: describe/check.hpp.
  [[nodiscard]] const Diagnostics& diagnostics() const;
  [[nodiscard]] const std::filesystem::path& path() const;    // as given
  [[nodiscard]] const std::filesystem::path& folder() const;  // the unpacked FMU

  // Instances keep the library and the unpacked files alive; the Fmu itself may be destroyed. Throw Error (input) if
  // the FMU does not have the interface, has no binary for this platform, or allows only one instance and has one.
  [[nodiscard]] std::unique_ptr<CoSimulation> co_simulation(InstanceOptions options) const;
  [[nodiscard]] std::unique_ptr<ModelExchange> model_exchange(InstanceOptions options) const;
  [[nodiscard]] std::unique_ptr<ScheduledExecution> scheduled_execution(InstanceOptions options) const;

  struct Package;  // shared by the instances

 private:
  explicit Fmu(std::shared_ptr<Package> package) : package_(std::move(package)) {}
  std::shared_ptr<Package> package_;
};

// Reads only the description, from a modelDescription.xml: for tests, tools and fuzzing.
[[nodiscard]] describe::Description read_description(const XmlDocument& document, Diagnostics& diagnostics);

}  // namespace consort::fmi
