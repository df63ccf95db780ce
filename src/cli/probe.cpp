#include "analyse/probe.hpp"

#include <algorithm>
#include <memory>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/fmu_options.hpp"

namespace consort::cli {

namespace {

struct ProbeOptions {
  std::string file;
  std::string interface;
  std::vector<std::string> start_values;
  analyse::ProbeOptions probe;
  bool json = false;
};

std::vector<std::pair<std::string, std::string>> start_values_of(const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const auto& text : texts) {
    const auto equals = text.find('=');
    require(equals != std::string::npos && equals > 0, "--start-value '{}': write it as NAME=VALUE", text);
    values.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return values;
}

void print_json(const std::string& file, const analyse::ProbeReport& report) {
  nlohmann::ordered_json trials = nlohmann::ordered_json::array();
  for (const auto& t : report.trials) {
    nlohmann::ordered_json claimed;
    if (t.claimed) claimed = *t.claimed;
    trials.push_back({{"name", t.name}, {"claimed", claimed}, {"verdict", name_of(t.verdict)}, {"text", t.text}});
  }
  const nlohmann::ordered_json all = {{"file", file},
                                      {"model", report.model},
                                      {"version", describe::name_of(report.version)},
                                      {"interface", describe::name_of(report.interface)},
                                      {"step", report.step},
                                      {"keeps its word", report.keeps_its_word()},
                                      {"trials", std::move(trials)}};
  fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_table(const analyse::ProbeReport& report) {
  fmt::print("{} ({}, {}), steps of {} s\n", report.model, describe::name_of(report.version),
             describe::name_of(report.interface), report.step);
  std::size_t width = 0;
  for (const auto& t : report.trials) width = std::max(width, t.name.size());
  fmt::print("  {:<{}}  claimed  verdict\n", "", width);
  for (const auto& t : report.trials) {
    const char* const claimed = !t.claimed ? "–" : *t.claimed ? "yes" : "no";
    fmt::print("  {:<{}}  {:<7}  {:<9}  {}\n", t.name, width, claimed, name_of(t.verdict), t.text);
  }
}

int probe(ProbeOptions o) {
  require_fmu(o.file);
  if (!o.interface.empty()) {
    o.probe.interface =
        o.interface == "me" ? describe::InterfaceType::model_exchange : describe::InterfaceType::co_simulation;
  }
  o.probe.start_values = start_values_of(o.start_values);
  const auto report = analyse::probe(o.file, o.probe);
  if (o.json)
    print_json(o.file, report);
  else
    print_table(report);
  return report.keeps_its_word() ? 0 : 1;
}

}  // namespace

void add_probe(CLI::App& app, Action& action) {
  auto o = std::make_shared<ProbeOptions>();
  auto& c = *app.add_subcommand("probe",
                                "test the capabilities that an FMU claims: rollback, variable steps, derivatives, …");
  c.add_option("MODEL", o->file, "the FMU, or a folder with an unpacked one")->required();
  c.add_option("--interface-type", o->interface, "cs or me (default: cs if the FMU supports it)")
      ->check(CLI::IsMember({"cs", "me"}));
  c.add_option_function<double>(
      "--step-size", [o](double step) { o->probe.step = step; }, "communication step in s (default: the FMU's)");
  c.add_option("--start-value,--set", o->start_values, "NAME=VALUE, any number of times")
      ->take_all()
      ->allow_extra_args(false);
  c.add_option("--timeout", o->probe.timeout_seconds, "time limit per trial in s")->capture_default_str();
  c.add_flag("--json", o->json, "for machines");
  add_open_options(c, o->probe.open);
  add_platform_options(c, o->probe.open);
  c.callback([o, &action] { action = [o] { return probe(*o); }; });
}

}  // namespace consort::cli
