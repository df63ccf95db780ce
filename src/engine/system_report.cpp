#include "engine/system_report.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace consort::engine {

namespace {

void append_units(std::string& out, const SystemReport& r) {
  auto units = r.units;
  std::stable_sort(units.begin(), units.end(), [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  constexpr std::size_t most = 12;
  std::size_t width = 4;
  for (std::size_t i = 0; i < std::min(units.size(), most); ++i) width = std::max(width, units[i].name.size());
  for (std::size_t i = 0; i < std::min(units.size(), most); ++i) {
    const auto& u = units[i];
    out += fmt::format("\n    {:<{}}  {:5.1f} %  {}", u.name, width,
                       r.run_seconds > 0 ? 100 * u.seconds / r.run_seconds : 0.0, u.kind);
    if (u.events > 0) out += fmt::format(", {} events", u.events);
    if (u.early_returns > 0) out += fmt::format(", {} early returns completed with held inputs", u.early_returns);
    if (u.discarded > 0) out += fmt::format(", {} discarded steps", u.discarded);
    if (u.repeated_as_is > 0)
      out += fmt::format(" ({} of them repeated without going back, since it cannot save its state)", u.repeated_as_is);
  }
  if (units.size() > most) out += fmt::format("\n    … and {} more", units.size() - most);
}

double per_step(const step::IterationReport& i) {
  return i.steps > 0 ? static_cast<double>(i.iterations) / static_cast<double>(i.steps) : 0.0;
}

void append_iterations(std::string& out, const SystemReport& r) {
  constexpr std::size_t most_names = 6;
  for (const auto& i : r.iterations) {
    const std::size_t shown = std::min(i.units.size(), most_names);
    out += fmt::format("\n  iterated {}{}: {:.3g} iterations per step, {} at most; residual at most {:.2g}",
                       fmt::join(i.units.begin(), i.units.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                       i.units.size() > shown ? fmt::format(" and {} more", i.units.size() - shown) : "", per_step(i),
                       i.most, i.largest);
    if (i.for_jacobian > 0) out += fmt::format("; {} evaluations for Jacobians", i.for_jacobian);
    if (i.failures > 0) out += fmt::format("; {} steps did not converge", i.failures);
  }
}

}  // namespace

std::string SystemReport::text() const {
  std::string out = fmt::format("simulated {} s to {} s in {} steps ", start, reached, steps);
  if (equal_steps) {
    out += fmt::format("of {} s ({}", step, stepper);
  } else {
    const double mean = steps > 0 ? (reached - start) / static_cast<double>(steps) : 0.0;
    out += fmt::format("of {:.3g} s on average ({}, {}", mean, stepper, controller);
  }
  if (extrapolation > 0) out += fmt::format(", inputs of order {}", extrapolation);
  out += fmt::format("), {} rows, in {}", rows, duration_text(run_seconds));
  if (run_seconds > 0 && reached > start)
    out += fmt::format(" ({:.3g} times real time)", (reached - start) / run_seconds);
  out += fmt::format("\n  start-up {}; {} unit{}, {} thread{}; engine {:.1f} % of the time",
                     duration_text(start_up_seconds), units.size(), units.size() == 1 ? "" : "s", threads,
                     threads == 1 ? "" : "s", run_seconds > 0 ? 100 * engine_seconds / run_seconds : 0.0);
  append_units(out, *this);
  if (rejected > 0) out += fmt::format("\n  rejected steps: {}", rejected);
  for (const auto& loop : loops) {
    if (loop.solved == 0) continue;
    out += fmt::format("\n  loop {}: solved {} times, {:.3g} iterations each, residual at most {:.2g}",
                       fmt::join(loop.variables, " → "), loop.solved,
                       static_cast<double>(loop.iterations) / static_cast<double>(loop.solved), loop.largest_residual);
  }
  append_iterations(out, *this);
  if (paced) out += fmt::format("\n  real time: {} overruns, at most {} late", overruns, duration_text(latest));
  for (const auto& n : notes) out += fmt::format("\n  {}", n);
  for (const auto& a : assumed) out += fmt::format("\n  assumed: {}", a);
  for (const auto& w : warnings) out += fmt::format("\n  warning: {}", w);
  if (!ended_early.empty()) out += fmt::format("\n  ended early: {}", ended_early);
  return out;
}

std::string SystemReport::json() const {
  nlohmann::ordered_json j;
  j["system"] = system;
  j["start"] = start;
  j["stop"] = stop;
  j["reached"] = reached;
  j["step"] = step;
  j["stepper"] = stepper;
  j["controller"] = controller;
  j["extrapolation"] = extrapolation;
  j["threads"] = threads;
  j["steps"] = steps;
  j["rejected"] = rejected;
  j["rows"] = rows;
  j["seconds"] = {{"start-up", start_up_seconds}, {"run", run_seconds}, {"engine", engine_seconds}};
  if (paced) j["real time"] = {{"overruns", overruns}, {"latest", latest}};
  j["units"] = nlohmann::ordered_json::array();
  for (const auto& u : units) {
    j["units"].push_back({{"name", u.name},
                          {"kind", u.kind},
                          {"seconds", u.seconds},
                          {"events", u.events},
                          {"early returns", u.early_returns},
                          {"discarded", u.discarded},
                          {"repeated as is", u.repeated_as_is}});
  }
  j["loops"] = nlohmann::ordered_json::array();
  for (const auto& l : loops) {
    j["loops"].push_back({{"variables", l.variables},
                          {"solved", l.solved},
                          {"iterations", l.iterations},
                          {"evaluations", l.evaluations},
                          {"largest residual", l.largest_residual}});
  }
  j["iterations"] = nlohmann::ordered_json::array();
  for (const auto& i : iterations) {
    j["iterations"].push_back({{"units", i.units},
                               {"unknowns", i.unknowns},
                               {"steps", i.steps},
                               {"iterations", i.iterations},
                               {"per step", per_step(i)},
                               {"most", i.most},
                               {"for Jacobians", i.for_jacobian},
                               {"not converged", i.failures},
                               {"largest residual", i.largest}});
  }
  j["assumed"] = assumed;
  j["notes"] = notes;
  j["warnings"] = warnings;
  j["ended early"] = ended_early;
  return j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace consort::engine
