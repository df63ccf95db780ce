#include "cli/parameters.hpp"

#include <filesystem>
#include <iterator>

#include <fmt/format.h>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "ssp/parameters.hpp"
#include "ssp/read.hpp"
#include "yaml/view.hpp"

namespace consort::cli {

namespace {

std::vector<graph::Setting> from_ssv(const std::string& file) {
  Diagnostics unused;
  const auto set = ssp::read<ssp::ParameterSet>(file, file, unused);
  return ssp::settings_of(set, nullptr, "", file, unused);
}

std::vector<graph::Setting> from_csv(const std::string& file) {
  const auto table = read_csv(file);
  const auto name = table.find("name");
  const auto value = table.find("value");
  const auto unit = table.find("unit");
  require(name && value, "{}: a parameter table needs the columns 'name' and 'value'; the column 'unit' is optional",
          file);
  std::vector<graph::Setting> settings;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    graph::Setting s;
    s.name = table.cell(row, *name);
    s.value = table.cell(row, *value);
    if (unit) s.unit = table.cell(row, *unit);
    s.where = fmt::format("{}:{}", file, table.line(row));
    if (s.name.empty()) table.refuse(row, *name, "the name is empty; write it as UNIT.VARIABLE");
    settings.push_back(std::move(s));
  }
  return settings;
}

}  // namespace

std::vector<graph::Setting> read_parameters(const std::vector<std::string>& files) {
  std::vector<graph::Setting> all;
  for (const auto& file : files) {
    const auto ending = std::filesystem::path(file).extension().string();
    const bool ssv = iequals(ending, ".ssv");
    require(ssv || iequals(ending, ".csv"), "{}: parameters are read only from .ssv and .csv files; convert the file",
            file);
    auto some = ssv ? from_ssv(file) : from_csv(file);
    all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
  }
  return all;
}

std::vector<graph::Setting> settings_of(const std::vector<std::string>& texts) {
  std::vector<graph::Setting> settings;
  for (const auto& text : texts) {
    const auto equals = text.find('=');
    require(equals != std::string::npos && equals > 0, "--set '{}': write it as UNIT.VARIABLE=VALUE", text);
    graph::Setting setting{text.substr(0, equals), text.substr(equals + 1), {}, "--set"};
    if (const auto parts = yaml::split_unit(setting.value)) {
      setting.unit = parts->second;
      setting.value = std::string(parts->first);
    }
    settings.push_back(std::move(setting));
  }
  return settings;
}

}  // namespace consort::cli
