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
  if (row.kind == settings::Kind::seconds) help += ", in s or with a unit (10 ms)";
  return fmt::format("{} (default: {})", help, settings::default_text(row));
}

}  // namespace

void SettingOptions::add_to(CLI::App& command) {
  for (const auto& row : settings::rows()) {
    if (row.option.empty()) continue;
    auto& given = *given_.emplace_back(std::make_unique<Given>(Given{&row, {}}));
    auto* const option = command.add_option(std::string(row.option), given.texts, help_of(row));
    option->allow_extra_args(false);
    if (row.kind == settings::Kind::texts) {
      option->take_all();
    } else if (row.key == "real_time") {
      option->expected(0, 1)->default_str("1");
    } else {
      option->multi_option_policy(CLI::MultiOptionPolicy::Throw);
    }
  }
  command
      .add_option("--setting", others_,
                  "KEY=VALUE: any setting of a system file, as in docs/settings.md (control.safety=0.8), any number of "
                  "times")
      ->take_all()
      ->allow_extra_args(false);
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
