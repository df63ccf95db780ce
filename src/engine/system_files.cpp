#include "engine/system_files.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "ssp/to_system.hpp"
#include "yaml/reader.hpp"

namespace consort::engine {

namespace {

graph::Document read_yaml(const std::filesystem::path& file, const SystemFileOptions& options) {
  require(options.variant.empty(), "{}: only packages (.ssp) have variants; leave out --variant", file.string());
  return yaml::read_system(file);
}

graph::Document read_ssp(const std::filesystem::path& file, const SystemFileOptions& options) {
  return ssp::read_system(file, {options.variant, options.allow_outside, options.look});
}

constexpr std::array<SystemFormat, 4> formats{{
    {".yaml", "a system written by hand", read_yaml},
    {".yml", "a system written by hand", read_yaml},
    {".ssp", "a system structure package, or the folder that one was unpacked into", read_ssp},
    {".ssd", "a system structure description with what lies beside it", read_ssp},
}};

}  // namespace

const SystemFormat* find_system_format(const std::filesystem::path& file) {
  std::error_code failed;
  const auto has_structure = [&] {
    if (!std::filesystem::is_directory(file, failed)) return false;
    for (const auto& entry : std::filesystem::directory_iterator(file, failed))
      if (iequals(entry.path().extension().string(), ".ssd")) return true;
    return false;
  };
  const bool unpacked = has_structure();
  const std::string ending = unpacked ? ".ssp" : file.extension().string();
  const auto found =
      std::find_if(formats.begin(), formats.end(), [&](const auto& f) { return iequals(f.ending, ending); });
  return found == formats.end() ? nullptr : &*found;
}

std::span<const SystemFormat> system_formats() { return formats; }

bool is_system_file(const std::filesystem::path& file) { return find_system_format(file) != nullptr; }

graph::Document read_system_file(const std::filesystem::path& file, const SystemFileOptions& options) {
  if (const auto* format = find_system_format(file)) return format->read(file, options);
  std::vector<std::string_view> endings;
  for (const auto& f : formats) endings.push_back(f.ending);
  throw input_error("{}: is no system that can be read; systems end in {}, single FMUs are run by 'consort simulate'",
                    file.string(), fmt::join(endings, ", "));
}

}  // namespace consort::engine
