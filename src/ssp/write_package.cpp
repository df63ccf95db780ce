#include <fstream>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "os/archive.hpp"
#include "os/temp_folder.hpp"
#include "ssp/from_system.hpp"
#include "ssp/package.hpp"
#include "ssp/read.hpp"
#include "ssp/write.hpp"

namespace consort::ssp {

namespace fs = std::filesystem;

namespace {

void write_file(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) throw run_error("{}: cannot be written; check the folder and the disk", file.string());
}

void copy_resource(const Export::Resource& resource, const fs::path& root) {
  const auto to = root / resource.inside;
  std::error_code failed;
  fs::create_directories(to.parent_path(), failed);
  if (fs::is_directory(resource.from, failed)) return os::pack(resource.from, to);
  fs::copy_file(resource.from, to, fs::copy_options::overwrite_existing, failed);
  if (failed)
    throw input_error("{}: cannot be copied into the package ({}); check its name and folder", resource.from.string(),
                      failed.message());
}

// Inlined sets and mappings have their own version attributes.
void set_version(std::vector<ParameterBinding>& bindings, const std::string& version) {
  for (auto& b : bindings) {
    for (auto& set : b.inlined) set.version = version;
    for (auto& m : b.mapping)
      for (auto& inlined : m.inlined) inlined.version = version;
  }
}
void set_version(System& system, const std::string& version) {
  set_version(system.bindings, version);
  for (auto& c : system.components) set_version(c.bindings, version);
  for (auto& r : system.references) set_version(r.bindings, version);
  for (auto& d : system.dictionaries)
    for (auto& inlined : d.inlined) inlined.version = version;
  for (auto& inner : system.systems) set_version(inner, version);
}
template <class T>
void set_version(T& file, const std::string& version) {
  file.version = version;
  if constexpr (std::is_same_v<T, SystemStructure>) set_version(file.system, version);
}

template <class T>
void rewrite(const fs::path& file, const std::string& shown, Version version) {
  Diagnostics unused;
  T contents = read<T>(file, shown, unused);
  set_version(contents, std::string(name_of(version)));
  try {
    write_file(file, write(contents));
  } catch (const Error& problem) {
    throw input_error("{}: {}", shown, problem.what());
  }
}

}  // namespace

std::vector<std::string> write_package(const graph::Document& document, const fs::path& file,
                                       const WriteOptions& options) {
  const auto out = from_system(document, options);
  const os::TempFolder folder("package");
  for (const auto& resource : out.resources) copy_resource(resource, folder.path());
  write_file(folder.path() / "SystemStructure.ssd", write(out.structure));
  os::pack(folder.path(), file);
  return out.notes;
}

void convert_package(const fs::path& from, const fs::path& to, Version version) {
  const auto package = Package::open(from, from.filename().string());
  const os::TempFolder folder("package");
  std::error_code failed;
  fs::copy(package->root(), folder.path(), fs::copy_options::recursive | fs::copy_options::skip_symlinks, failed);
  if (failed) throw run_error("{}: cannot be copied: {}; check the disk", from.string(), failed.message());
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    if (!entry.is_regular_file() || entry.is_symlink()) continue;
    const auto ending = entry.path().extension().string();
    const auto shown = entry.path().lexically_relative(folder.path()).generic_string();
    if (iequals(ending, ".ssd")) rewrite<SystemStructure>(entry.path(), shown, version);
    if (iequals(ending, ".ssv")) rewrite<ParameterSet>(entry.path(), shown, version);
    if (iequals(ending, ".ssm")) rewrite<ParameterMapping>(entry.path(), shown, version);
    if (iequals(ending, ".ssb")) rewrite<SignalDictionary>(entry.path(), shown, version);
  }
  os::pack(folder.path(), to);
}

}  // namespace consort::ssp
