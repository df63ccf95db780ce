// What an Fmu and its instances share: the unpacked folder, the description, the loaded library.
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
  std::optional<os::TempFolder> unpacked;  // ours to remove; none for a folder of the user's
  describe::Description description;
  Diagnostics diagnostics;
  OpenOptions options;
  std::array<std::weak_ptr<Library>, 3> libraries;  // by interface type; loaded with the first instance

  [[nodiscard]] std::string shown() const { return path.string(); }
};

// Taken while an instance of an FMU lives that allows only one per process.
class OnlyInstance {
 public:
  // Throws Error (input) when the interface allows one instance only and there is one.
  OnlyInstance(const describe::Description& description, const describe::Interface& interface, const std::string& name);
  ~OnlyInstance();
  OnlyInstance(const OnlyInstance&) = delete;
  OnlyInstance& operator=(const OnlyInstance&) = delete;

 private:
  std::string key_;  // empty when any number is allowed
};

// Everything that an instance of any version needs to start. Members go in reverse: the library is unloaded before the
// folder is removed.
struct Foundation {
  std::shared_ptr<Fmu::Package> package;
  std::shared_ptr<Library> library;
  const describe::Interface& interface;
  InstanceOptions options;

  [[nodiscard]] const describe::Description& description() const { return package->description; }
  // The token as described, then the same with or without braces: binaries exist that were built with the other form.
  [[nodiscard]] std::vector<std::string> tokens() const;
  [[nodiscard]] std::string resource_uri() const;  // FMI 2.0: file:///…/resources, percent-encoded
  [[nodiscard]] std::string location_uri() const;  // FMI 1.0: file:///… of the unpacked folder
  [[nodiscard]] std::string resource_path()
      const;  // empty when the FMU has none; FMI 3.0: native path with a trailing separator
};

// "file:///…" of an absolute path; everything but unreserved characters and '/' percent-encoded (RFC 3986).
[[nodiscard]] std::string file_uri(const std::filesystem::path& path);

// Why a capability is missing, in words.
[[nodiscard]] std::string missing_capability(const Caller& caller, std::string_view capability);

}  // namespace consort::fmi
