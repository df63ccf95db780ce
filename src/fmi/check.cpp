#include "fmi/check.hpp"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "base/error.hpp"
#include "describe/check.hpp"
#include "fmi/binaries.hpp"
#include "fmi/library.hpp"
#include "fmi/v1/api.hpp"
#include "fmi/v2/api.hpp"
#include "fmi/v3/api.hpp"

namespace consort::fmi {

namespace fs = std::filesystem;
using describe::FmiVersion;

namespace {

std::vector<const char*> required_functions(FmiVersion version, const describe::Interface& interface) {
  switch (version) {
    case FmiVersion::v1: return v1::required_functions(interface.type);
    case FmiVersion::v2: return v2::required_functions(interface.type);
    default: return v3::required_functions(interface.type);
  }
}

void check_functions(const fs::path& binary, const describe::Description& d, const describe::Interface& interface,
                     Diagnostics& diagnostics) {
  const auto exported = exported_symbols(binary);
  const std::unordered_set<std::string> there(exported.begin(), exported.end());
  const std::string prefix = interface.model_identifier + "_";
  std::vector<std::string_view> missing;
  for (const char* const name : required_functions(d.version, interface)) {
    if (there.count(name) == 0 && there.count(prefix + name) == 0) missing.emplace_back(name);
  }
  if (missing.empty()) return;
  diagnostics.add({Severity::warning, binary.parent_path().filename() / binary.filename(), 0,
                   fmt::format("{}: functions of the binary", name_of(d.version)),
                   fmt::format("the binary for {} does not export {}; calls of these functions will fail",
                               name_of(interface.type), fmt::join(missing, ", "))});
}

void check_binary(const Fmu& fmu, const describe::Interface& interface, Diagnostics& diagnostics) {
  const auto& d = fmu.description();
  const auto note = [&](Severity severity, std::string text) {
    diagnostics.add({severity, "binaries", 0, "this machine", std::move(text)});
  };
  BinaryFile found;
  try {
    found = find_binary({fmu.folder(), fmu.path().filename().string(), interface.model_identifier, d.version});
  } catch (const Error& error) {
    return note(Severity::note, error.what());
  }
  const fs::path& binary = found.file;
  if (binary.stem() != interface.model_identifier) {
    note(Severity::warning, fmt::format("the binary is called {}, but the model identifier is '{}'; it is used anyway",
                                        binary.filename().string(), interface.model_identifier));
  }
  if (found.platform != Platform::linux64) return;
  if (const auto mismatch = platform_mismatch(binary); !mismatch.empty()) {
    return note(Severity::error, fmt::format("{} {}", binary.filename().string(), mismatch));
  }
  const auto lacking = libraries_not_found(binary);
  if (!lacking.empty())
    note(Severity::note,
         fmt::format("{} needs {}, which is not installed here", binary.filename().string(), fmt::join(lacking, ", ")));
  check_functions(binary, d, interface, diagnostics);
}

}  // namespace

Diagnostics check(const Fmu& fmu) {
  Diagnostics diagnostics = fmu.diagnostics();
  describe::check(fmu.description(), diagnostics);
  for (const auto& interface : fmu.description().interfaces) check_binary(fmu, interface, diagnostics);
  diagnostics.sort();
  return diagnostics;
}

}  // namespace consort::fmi
