#include "engine/system_files.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "yaml/reader.hpp"

namespace consort::engine {

namespace {

constexpr std::array<SystemFormat, 2> formats{{
    {".yaml", "a system written by hand", yaml::read_system},
    {".yml", "a system written by hand", yaml::read_system},
}};

const SystemFormat* find(const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  const auto found =
      std::find_if(formats.begin(), formats.end(), [&](const auto& f) { return iequals(f.ending, ending); });
  return found == formats.end() ? nullptr : &*found;
}

}  // namespace

std::span<const SystemFormat> system_formats() { return formats; }

bool is_system_file(const std::filesystem::path& file) { return find(file) != nullptr; }

graph::Document read_system_file(const std::filesystem::path& file) {
  if (const auto* format = find(file)) return format->read(file);
  std::vector<std::string_view> endings;
  for (const auto& f : formats) endings.push_back(f.ending);
  throw input_error("{}: is no system that can be read; systems end in {}, single FMUs are run by 'consort simulate'",
                    file.string(), fmt::join(endings, ", "));
}

}  // namespace consort::engine
