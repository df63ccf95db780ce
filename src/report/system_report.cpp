#include "report/system_report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "report/grouped_lines.hpp"

namespace consort::report {

namespace {

void append_units(std::string& out, const SystemReport& r) {
  const bool repeats = !r.trust.empty() || !r.iterations.empty();
  auto units = r.units;
  std::stable_sort(units.begin(), units.end(), [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  constexpr std::size_t most = 12;
  std::size_t width = 4;
  for (std::size_t i = 0; i < std::min(units.size(), most); ++i) width = std::max(width, units[i].name.size());
  for (std::size_t i = 0; i < std::min(units.size(), most); ++i) {
    const auto& u = units[i];
    out += fmt::format("\n    {:<{}}  {:5.1f} %  {}", u.name, width,
                       r.run_seconds > 0 ? 100 * u.seconds / r.run_seconds : 0.0, u.kind);
    if (u.events > 0) out += fmt::format(", {} events{}", u.events, repeats ? " (repeated steps included)" : "");
    if (u.early_returns > 0) out += fmt::format(", {} early returns completed with held inputs", u.early_returns);
    if (u.discarded > 0) out += fmt::format(", {} discarded steps", u.discarded);
    if (u.repeated_as_is > 0)
      out += fmt::format(" ({} of them repeated from where it stopped, because it cannot save its state)",
                         u.repeated_as_is);
    if (u.apart > 0) out += fmt::format(" ({} of them repeated alone, while other units took the whole step)", u.apart);
  }
  if (units.size() > most) out += fmt::format("\n    … and {} more", units.size() - most);
}

std::string percent(double part) {
  if (part >= 0.0995) return fmt::format("{:.0f} %", 100 * part);
  return fmt::format("{:.2g} %", 100 * part);
}

void append_iterations(std::string& out, const SystemReport& r) {
  for (const auto& i : r.iterations) {
    out += fmt::format(
        "\n  iterated {}: {:.3g} iterations per step, {} at most; residual at most {:.2g} (how well inputs agree, "
        "not the error of the run)",
        some_of(i.units), i.per_step(), i.most, i.largest);
    if (i.for_jacobian > 0) out += fmt::format("; {} evaluations for Jacobians", i.for_jacobian);
    if (i.failures > 0) out += fmt::format("; {} steps did not converge", i.failures);
    const auto slowest = std::max_element(i.last_to_agree.begin(), i.last_to_agree.end());
    if (slowest == i.last_to_agree.end() || *slowest == 0 || i.variables.size() < 2) continue;
    out += fmt::format("\n    of {} interface variables, {} is the last to agree in {} of the steps",
                       i.variables.size(), i.variables[static_cast<std::size_t>(slowest - i.last_to_agree.begin())],
                       percent(static_cast<double>(*slowest) / static_cast<double>(i.steps)));
  }
}

// "wheel.F_c", "wheel.F_c and 3 more".
std::string targets_text(const TrustReport& t) {
  if (t.targets.size() < 3) return fmt::format("{}", fmt::join(t.targets, ", "));
  return fmt::format("{} and {} more", t.targets.front(), t.targets.size() - 1);
}

std::string connection_text(const TrustReport& t) {
  std::string text = t.source;
  if (!t.targets.empty()) text += " → " + targets_text(t);
  if (t.elements > 1) text += fmt::format(" ({} elements)", t.elements);
  if (!t.unit.empty()) text += fmt::format(" [{}]", t.unit);
  return text;
}

constexpr std::size_t most_connections = 8;  // in readable text

// Reasons other than errors that often limited steps.
void append_other_limits(std::string& out, const SystemReport& r) {
  const auto part = [&](std::uint64_t count) { return static_cast<double>(count) / static_cast<double>(r.steps); };
  constexpr double often = 0.1;
  if (r.steps == 0) return;
  if (part(r.cut) > often)
    out += fmt::format(
        "\n  {} of the steps were cut short to end on output points, events or the stop time: a longer output interval "
        "may need fewer steps",
        percent(part(r.cut)));
  if (part(r.at_maximum) > often)
    out += fmt::format("\n  {} of the steps are as long as allowed: a larger 'maximum' may need fewer steps",
                       percent(part(r.at_maximum)));
  constexpr double many = 0.3;
  const double rejected = static_cast<double>(r.rejected) / static_cast<double>(r.steps + r.rejected);
  if (rejected > many && r.rejected > 10)
    out += fmt::format(
        "\n  {} of the trials were rejected: a larger absolute tolerance helps if signals pass zero, finer solvers "
        "help if units are inaccurate, and 'rule: pi' helps if step sizes oscillate",
        percent(rejected));
}

// A table, and a summary in words.
void append_trust(std::string& out, const SystemReport& r) {
  if (r.trust.empty()) return;
  auto all = r.trust;
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.in_a_step() > b.in_a_step(); });
  const std::size_t shown = std::min(all.size(), most_connections);
  std::vector<std::string> names;
  std::size_t width = 10;
  for (std::size_t i = 0; i < shown; ++i) {
    names.push_back(connection_text(all[i]));
    width = std::max(width, character_count(names.back()));
  }
  const auto trials = static_cast<double>(std::max<std::uint64_t>(r.steps + r.rejected, 1));
  out += fmt::format("\n  coupling error of a step, estimated:\n    {:<{}}  {:>9}  {:>8}  {:>9}  {:>9}  limits",
                     "connection", width, "in a step", "of range", "rms", "summed up");
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& t = all[i];
    out += fmt::format("\n    {:<{}}  {:>9.2g}  {:>8}  {:>9.2g}  {:>9.2g}  {}", names[i], width, t.local,
                       t.range > 0 ? percent(t.in_a_step()) : "-", t.rms, t.accumulated,
                       percent(static_cast<double>(t.limited) / trials));
  }
  if (all.size() > shown)
    out += fmt::format(
        "\n    … and {} with smaller errors; all are in the table /report/connections of an HDF5 result, and in "
        "--report FILE.json",
        all.size() - shown);
  const auto& worst = all.front();
  const auto& name = worst.element.empty() ? worst.source : worst.element;
  if (worst.range > 0)
    out += fmt::format(
        "\n  the coupling error of {} in a step is at most {} of its range; the error of the run is not known", name,
        percent(worst.in_a_step()));
  if (worst.in_a_step() > 1)
    out += ", and more than 100 % in a step means that the signal hardly moves or that the steps are too long";
  const auto slowest = std::max_element(r.units.begin(), r.units.end(),
                                        [](const auto& a, const auto& b) { return a.limited < b.limited; });
  if (slowest != r.units.end() && slowest->limited > 0)
    out += fmt::format("{} {} limits the step ({} of the trials)", worst.range > 0 ? ";" : "\n ", slowest->name,
                       percent(static_cast<double>(slowest->limited) / trials));
  append_other_limits(out, r);
}

void append_bonds(std::string& out, const SystemReport& r) {
  for (const auto& b : r.bonds) {
    out += fmt::format("\n  power bond {}: carried {:.3g} J, of which the coupling {} {:.2g} J", b.name, b.carried,
                       b.made < 0 ? "lost" : "made", std::abs(b.made));
    if (b.carried > 0)
      out += fmt::format(" ({}{})", percent(std::abs(b.made) / b.carried),
                         std::abs(b.made) > b.carried ? ", more than it carried: steps are too long" : "");
    out += fmt::format("; the two sides differ by at most {:.2g} W", b.largest);
    if (b.peak > 0)
      out += fmt::format(" ({} of the largest power{})", percent(b.largest / b.peak),
                         b.largest > b.peak ? ": one side sees a power that the other one never has" : "");
    if (b.limited > 0 && r.bonds.size() > 1)
      out += fmt::format("; limits {} of the steps",
                         percent(static_cast<double>(b.limited) / static_cast<double>(r.steps)));
  }
}

nlohmann::ordered_json trust_json(const SystemReport& r) {
  auto j = nlohmann::ordered_json::array();
  for (const auto& t : r.trust) {
    nlohmann::ordered_json row{{"from", t.source}, {"to", t.targets}, {"unit", t.unit}};
    if (t.elements > 1) {
      row["elements"] = t.elements;
      row["worst element"] = t.element;
    }
    row["largest in a step"] = t.local;
    row["rms of steps"] = t.rms;
    row["summed up"] = t.accumulated;
    row["range"] = t.range;
    row["summed up, of range"] = t.relative();
    row["limited"] = t.limited;
    j.push_back(std::move(row));
  }
  return j;
}

nlohmann::ordered_json iterations_json(const SystemReport& r) {
  auto j = nlohmann::ordered_json::array();
  for (const auto& i : r.iterations) {
    auto variables = nlohmann::ordered_json::array();
    for (std::size_t k = 0; k < i.variables.size(); ++k) {
      variables.push_back(
          {{"name", i.variables[k]}, {"last to agree", i.last_to_agree[k]}, {"largest residual", i.residuals[k]}});
    }
    j.push_back({{"units", i.units},
                 {"unknowns", i.variables.size()},
                 {"steps", i.steps},
                 {"iterations", i.iterations},
                 {"per step", i.per_step()},
                 {"most", i.most},
                 {"for Jacobians", i.for_jacobian},
                 {"not converged", i.failures},
                 {"largest residual", i.largest},
                 {"variables", std::move(variables)}});
  }
  return j;
}

nlohmann::ordered_json bonds_json(const SystemReport& r) {
  auto j = nlohmann::ordered_json::array();
  for (const auto& b : r.bonds)
    j.push_back({{"bond", b.name},
                 {"carried", b.carried},
                 {"made", b.made},
                 {"made or lost", b.lost_or_made},
                 {"largest residual", b.largest},
                 {"largest power", b.peak},
                 {"limited", b.limited}});
  return j;
}

}  // namespace

std::string SystemReport::headline() const {
  std::string out = fmt::format("simulated {} s to {} s in {} steps ", start, reached, steps);
  if (equal_steps) {
    out += fmt::format("of {} s ({}", step, stepper);
  } else {
    const double mean = steps > 0 ? (reached - start) / static_cast<double>(steps) : 0.0;
    out += fmt::format("of {:.3g} s on average ({}, {} with a tolerance of {:.3g}{}", mean, stepper, controller,
                       coupling_tolerance, tolerance_for == "run" ? " for the run" : "");
  }
  if (extrapolation > 0) out += fmt::format(", inputs of order {}", extrapolation);
  return out + fmt::format("), {} rows", rows);
}

std::string SystemReport::text() const {
  std::string out = fmt::format("{}, in {}", headline(), duration_text(run_seconds));
  if (run_seconds > 0 && reached > began) {
    out += fmt::format(" ({:.3g} times real time{})", (reached - began) / run_seconds,
                       began > start ? fmt::format(" from {} s on", began) : "");
  }
  out += fmt::format("\n  start-up {}; {} unit{}, {} thread{}", duration_text(start_up_seconds), units.size(),
                     units.size() == 1 ? "" : "s", threads, threads == 1 ? "" : "s");
  if (knows_engine && run_seconds > 0)
    out += fmt::format("; engine {:.1f} % of the time", 100 * engine_seconds / run_seconds);
  append_units(out, *this);
  if (rejected > 0) out += fmt::format("\n  rejected steps: {}", rejected);
  append_trust(out, *this);
  append_bonds(out, *this);
  for (const auto& loop : loops) {
    if (loop.solved == 0) continue;
    out += fmt::format("\n  loop {}: solved {} times, {:.3g} iterations each, residual at most {:.2g}",
                       fmt::join(loop.variables, " → "), loop.solved,
                       static_cast<double>(loop.iterations) / static_cast<double>(loop.solved), loop.largest_residual);
  }
  append_iterations(out, *this);
  if (paced) out += fmt::format("\n  real time: {} overruns, at most {} late", overruns, duration_text(latest));
  for (const auto& n : notes) out += fmt::format("\n  {}", n);
  for (const auto& a : grouped(assumed)) out += fmt::format("\n  assumed: {}", a);
  for (const auto& w : warnings) out += fmt::format("\n  warning: {}", w);
  if (!ended_early.empty()) out += fmt::format("\n  ended early: {}", ended_early);
  return out;
}

std::string SystemReport::json() const {
  nlohmann::ordered_json j;
  j["system"] = system;
  j["start"] = start;
  j["stop"] = stop;
  j["began"] = began;
  j["reached"] = reached;
  j["step"] = step;
  j["stepper"] = stepper;
  j["controller"] = controller;
  j["extrapolation"] = extrapolation;
  j["threads"] = threads;
  j["steps"] = steps;
  j["rejected"] = rejected;
  if (!equal_steps) {
    j["cut short"] = cut;
    j["at maximum"] = at_maximum;
    j["coupling tolerance"] = {
        {"relative", coupling_tolerance}, {"absolute", absolute_tolerance}, {"for", tolerance_for}};
  }
  j["rows"] = rows;
  j["seconds"] = {{"start-up", start_up_seconds}, {"run", run_seconds}};
  if (knows_engine) j["seconds"]["engine"] = engine_seconds;
  if (paced) j["real time"] = {{"overruns", overruns}, {"latest", latest}};
  j["units"] = nlohmann::ordered_json::array();
  for (const auto& u : units) {
    j["units"].push_back({{"name", u.name},
                          {"kind", u.kind},
                          {"seconds", u.seconds},
                          {"events", u.events},
                          {"early returns", u.early_returns},
                          {"limited", u.limited},
                          {"discarded", u.discarded},
                          {"repeated as is", u.repeated_as_is},
                          {"repeated alone", u.apart}});
  }
  j["loops"] = nlohmann::ordered_json::array();
  for (const auto& l : loops) {
    j["loops"].push_back({{"variables", l.variables},
                          {"solved", l.solved},
                          {"iterations", l.iterations},
                          {"evaluations", l.evaluations},
                          {"largest residual", l.largest_residual}});
  }
  j["iterations"] = iterations_json(*this);
  j["trust"] = trust_json(*this);
  j["bonds"] = bonds_json(*this);
  j["assumed"] = assumed;
  j["notes"] = notes;
  j["warnings"] = warnings;
  j["ended early"] = ended_early;
  return j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace consort::report
