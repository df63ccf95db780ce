#include "engine/system_files.hpp"

#include <algorithm>
#include <fstream>

#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "engine/recorded_system.hpp"
#include "graph/problem.hpp"
#include "record/formats.hpp"
#include "ssp/from_system.hpp"
#include "ssp/package.hpp"
#include "ssp/to_system.hpp"
#include "yaml/reader.hpp"
#include "yaml/writer.hpp"

namespace consort::engine {

namespace {

namespace fs = std::filesystem;

graph::Document read_yaml(const fs::path& file, const SystemFileOptions& options) {
  require(options.variant.empty(), "{}: only packages (.ssp) have variants; leave out --variant", file.string());
  return yaml::read_system(file);
}

graph::Document check_yaml(const fs::path& file, const SystemFileOptions&, Diagnostics& diagnostics) {
  return yaml::check_system(file, [&](const Error& problem) { diagnostics.add(graph::diagnostic_of({}, problem)); });
}

std::vector<std::string> write_yaml(const graph::Document& document, const fs::path& file, const SystemWriteOptions&) {
  std::ofstream out(file, std::ios::binary);
  out << yaml::write_system(document, fs::absolute(file).lexically_normal().parent_path());
  if (!out.flush()) throw run_error("{}: cannot be written; check the folder and the disk", file.string());
  return {};
}

graph::Document read_ssp(const fs::path& file, const SystemFileOptions& options) {
  return ssp::read_system(file, {options.variant, options.allow_outside, options.look});
}

graph::Document read_result(const fs::path& file, const SystemFileOptions& options) {
  require(options.variant.empty(), "{}: only packages (.ssp) have variants; leave out --variant", file.string());
  return read_recorded_system(file, options.allow_changed);
}

ssp::Version ssp_version(const std::string& text) {
  require(text.empty() || text == "1.0" || text == "2.0", "the version of SSP is 1.0 or 2.0, not '{}'", text);
  return text == "1.0" ? ssp::Version::v1_0 : ssp::Version::v2_0;
}

std::vector<std::string> write_ssp(const graph::Document& document, const fs::path& file,
                                   const SystemWriteOptions& options) {
  return ssp::write_package(document, file, {ssp_version(options.version), options.catalogue});
}

void rewrite_ssp(const fs::path& from, const fs::path& to, const std::string& version) {
  ssp::convert_package(from, to, ssp_version(version));
}

graph::Document check_ssp(const fs::path& file, const SystemFileOptions& options, Diagnostics& diagnostics) {
  const auto name = file.filename();  // empty for "folder/"
  const auto package = ssp::Package::open(file, name.empty() ? file.string() : name.string(), options.allow_outside);
  graph::Document first;
  for (const auto& variant : package->structures()) {
    auto system = ssp::to_system(package, variant, diagnostics);
    if (variant == package->structures().front()) first = std::move(system);
  }
  return first;
}

constexpr std::array formats{
    SystemFormat{.name = "YAML",
                 .endings = {".yaml", ".yml"},
                 .description = "a system written by hand",
                 .read = read_yaml,
                 .write = write_yaml,
                 .check = check_yaml},
    SystemFormat{.name = "SSP",
                 .endings = {".ssp"},
                 .description = "a system structure package, or a folder with an unpacked one",
                 .read = read_ssp,
                 .write = write_ssp,
                 .rewrite = rewrite_ssp,
                 .check = check_ssp,
                 .packs = true},
    SystemFormat{.name = "SSD",
                 .endings = {".ssd"},
                 .description = "a system structure description with the files beside it",
                 .read = read_ssp,
                 .check = check_ssp,
                 .packs = true},
    SystemFormat{.name = "result",
                 .endings = {".h5", ".hdf5"},
                 .description = "a result, which carries the system that it was made from",
                 .read = read_result},
};

bool is_unpacked(const fs::path& file) {
  std::error_code failed;
  if (!fs::is_directory(file, failed)) return false;
  for (const auto& entry : fs::directory_iterator(file, failed))
    if (iequals(entry.path().extension().string(), ".ssd")) return true;
  return false;
}

const SystemFormat* with_ending(const std::string& ending) {
  const auto found = std::find_if(formats.begin(), formats.end(), [&](const auto& f) {
    return std::any_of(f.endings.begin(), f.endings.end(), [&](auto e) { return !e.empty() && iequals(e, ending); });
  });
  return found == formats.end() ? nullptr : &*found;
}

template <class Take>
std::string endings_of(Take&& take) {
  std::vector<std::string_view> all;
  for (const auto& f : formats)
    for (const auto e : f.endings)
      if (!e.empty() && take(f)) all.push_back(e);
  return fmt::format("{}", fmt::join(all, ", "));
}

const SystemFormat& required_format(const fs::path& file) {
  if (const auto* format = find_system_format(file)) return *format;
  require(!record::is_result_file(file), "{}: results of this format do not carry their system; record it as {}",
          file.string(), record::result_endings(&record::Format::read_facts));
  throw input_error("{}: is not a system file; give a file that ends in {}, or a folder with an unpacked package",
                    file.string(), system_endings());
}

}  // namespace

std::span<const SystemFormat> system_formats() { return formats; }

const SystemFormat* find_system_format(const fs::path& file) {
  return with_ending(is_unpacked(file) ? ".ssp" : file.extension().string());
}

std::string system_endings() {
  return endings_of([](const SystemFormat&) { return true; });
}

std::string written_system_endings() {
  return endings_of([](const SystemFormat& f) { return f.write != nullptr; });
}

bool is_system_file(const fs::path& file) { return find_system_format(file) != nullptr; }

graph::Document read_system_file(const fs::path& file, const SystemFileOptions& options) {
  return required_format(file).read(file, options);
}

graph::Document check_system_file(const fs::path& file, const SystemFileOptions& options, Diagnostics& diagnostics) {
  const auto& format = required_format(file);
  return format.check != nullptr ? format.check(file, options, diagnostics) : format.read(file, options);
}

const SystemFormat& written_system_format(const fs::path& file) {
  const auto* const format = with_ending(file.extension().string());
  require(format != nullptr && format->write != nullptr, "{}: systems are written as {}; choose one of these endings",
          file.string(), written_system_endings());
  return *format;
}

}  // namespace consort::engine
