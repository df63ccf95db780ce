#include "cli/setting_options.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/setting_names.hpp"
#include "yaml/reader.hpp"

namespace consort::cli {

namespace {

std::string help_of(const settings::Row& row) {
  std::string help(row.help);
  if (const auto names = engine::names_for(row.names); !names.empty()) help += ": " + names;
  if (row.kind == settings::Kind::choice) help += ": " + settings::range_text(row);
  if (row.kind == settings::Kind::seconds) help += ", in s or with a unit (\"10 ms\")";
  return fmt::format("{} (default: {})", help, settings::default_text(row));
}

std::string type_of(const settings::Row& row) {
  switch (row.kind) {
    case settings::Kind::integer: return "INTEGER";
    case settings::Kind::number: return "NUMBER";
    case settings::Kind::seconds: return "TIME";
    case settings::Kind::file: return "FILE";
    case settings::Kind::texts: return "PATTERN";
    default: return "NAME";
  }
}

}  // namespace

void SettingOptions::add_to(CLI::App& command) {
  for (const auto& row : settings::rows()) {
    if (row.option.empty()) continue;
    auto& given = *given_.emplace_back(std::make_unique<Given>(Given{&row, {}}));
    if (row.kind == settings::Kind::texts) {
      command.add_option(std::string(row.option), given.texts, help_of(row))
          ->take_all()
          ->allow_extra_args(false)
          ->type_name(type_of(row));
      continue;
    }
    auto* const option =
        command
            .add_option_function<std::string>(
                std::string(row.option), [&given](const std::string& text) { given.texts = {text}; }, help_of(row))
            ->type_name(type_of(row));
    if (row.key == "real_time") option->expected(0, 1)->default_str("1");
  }
  command
      .add_option("--setting", others_,
                  "any setting of a system file, as in docs/settings.md (control.safety=0.8), any number of times")
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
}

void SettingOptions::apply(RunSettings& run) const {
  for (const auto& given : given_) {
    if (given->texts.empty()) continue;
    const auto& row = *given->row;
    if (row.kind == settings::Kind::texts) {
      settings::assign(row, run, given->texts);
    } else {
      yaml::read_setting(settings::path_of(row), given->texts.back(), std::string(row.option), run);
    }
  }
  for (const auto& text : others_) {
    const auto equals = text.find('=');
    require(equals != std::string::npos && equals > 0, "--setting '{}': write it as KEY=VALUE", text);
    yaml::read_setting(text.substr(0, equals), text.substr(equals + 1), "--setting", run);
  }
}

}  // namespace consort::cli
