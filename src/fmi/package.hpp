// Shared by an Fmu and its instances: the unpacked folder, the description, the loaded library.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "fmi/fmu.hpp"
#include "fmi/library.hpp"
#include "os/temp_folder.hpp"

namespace consort::fmi {

struct Fmu::Package {
  std::filesystem::path path;
  std::filesystem::path folder;
  std::optional<os::TempFolder> unpacked;  // removed at the end; nullopt: the user's folder
  describe::Description description;
  Diagnostics diagnostics;
  OpenOptions options;
  std::array<std::weak_ptr<Library>, 3> libraries;  // by interface type; loaded with the first instance

  [[nodiscard]] std::string shown() const { return path.string(); }
};

// The parts that an instance of any version needs. Members are destroyed in reverse order: the library is unloaded
// before the folder is removed.
struct Foundation {
  std::shared_ptr<Fmu::Package> package;
  std::shared_ptr<Library> library;
  const describe::Interface& interface;
  InstanceOptions options;

  [[nodiscard]] const describe::Description& description() const { return package->description; }
  // The token of the description, then the same token with or without braces: some binaries were built with the other
  // form.
  [[nodiscard]] std::vector<std::string> tokens() const;
  [[nodiscard]] std::string resource_uri() const;  // FMI 2.0: file:///…/resources, percent-encoded
  [[nodiscard]] std::string location_uri() const;  // FMI 1.0: file:///… of the unpacked folder
  [[nodiscard]] std::string resource_path()
      const;  // empty: no resources; FMI 3.0: native path with a trailing separator
};

// Held by an instance of an FMU that allows only one instance per process.
class OnlyInstance {
 public:
  // Throws Error (input) if the interface allows only one instance per process and this process has one already.
  explicit OnlyInstance(const Foundation& foundation);
  ~OnlyInstance();
  OnlyInstance(const OnlyInstance&) = delete;
  OnlyInstance& operator=(const OnlyInstance&) = delete;

 private:
  std::string key_;  // empty: any number of instances is allowed
};

// "file:///…" for an absolute path; all characters except unreserved ones and '/' are percent-encoded (RFC 3986).
[[nodiscard]] std::string file_uri(const std::filesystem::path& path);

// A text with the reason why a capability is missing.
[[nodiscard]] std::string missing_capability(const Caller& caller, std::string_view capability);

}  // namespace consort::fmi
