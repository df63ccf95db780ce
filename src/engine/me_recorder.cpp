#include "engine/me_recorder.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/readable.hpp"
#include "engine/recorded_variables.hpp"

namespace consort::engine {

using describe::VariableId;

MeRecorder::MeRecorder(unit::Variables& source, std::span<const std::string> names, const StartValues& starts,
                       std::span<record::Sink* const> sinks)
    : source_(source),
      starts_(starts),
      sinks_(sinks),
      signals_(starts.signals(source.description(), recorded_variables(source.description(), names))),
      row_(signals_.make_columns()) {}

MeRecorder::~MeRecorder() {
  try {
    end();
  } catch (...) {  // NOLINT(bugprone-empty-catch)
  }
}

void MeRecorder::end() {
  std::exception_ptr complaint;
  for (auto* const sink : sinks_.first(std::exchange(begun_, 0))) {
    try {
      sink->end();
    } catch (...) {
      if (!complaint) complaint = std::current_exception();
    }
  }
  if (complaint) std::rethrow_exception(complaint);
}

void MeRecorder::leave_out_unreadable() {
  auto refused = unreadable(source_, starts_, signals_.choice());
  auto kept = signals_.choice();
  if (refused.empty() || refused.size() == kept.size()) return;
  for (auto& [id, warning] : refused) {
    kept.erase(std::find(kept.begin(), kept.end(), id));
    warnings_.push_back(std::move(warning));
  }
  signals_ = starts_.signals(source_.description(), kept);
  row_ = signals_.make_columns();
}

void MeRecorder::begin(const RunPlan& plan, const std::vector<record::Fact>& origin) {
  leave_out_unreadable();
  const auto& d = source_.description();
  record::Header header;
  for (std::size_t i = 0; i < signals_.choice().size(); ++i) {
    const auto& v = d[signals_.choice()[i]];
    for (std::uint32_t e = 0; e < signals_.place(i).count; ++e) {
      header.signals.push_back({starts_.element_name(d, v, e), v.type, std::string(d.unit_name(v)),
                                std::string(v.description), v.variability != describe::Variability::continuous});
    }
  }
  if (header.signals.empty() && !sinks_.empty()) warnings_.emplace_back(nothing_recorded);
  header.facts = {{"model", d.model_name},
                  {"unit", std::string(describe::name_of(d.version))},
                  {"start time", fmt::format("{}", plan.start)},
                  {"stop time", fmt::format("{}", plan.stop)},
                  {"step size", fmt::format("{}", plan.step)},
                  {"tolerance", fmt::format("{}", plan.tolerance)}};
  header.facts.insert(header.facts.end(), origin.begin(), origin.end());
  for (auto* const sink : sinks_) {
    sink->begin(header);
    ++begun_;
  }
}

void MeRecorder::write(Time t) {
  source_.get(signals_, row_);
  for (auto* const sink : sinks_) sink->write(t, row_);
  ++rows_;
  if (!met_nan_) watch_for_nan(t);
}

void MeRecorder::watch_for_nan(Time t) {
  const auto& reals = row_.column<double>();
  const auto bad = std::find_if(reals.begin(), reals.end(), [](double x) { return std::isnan(x); });
  if (bad == reals.end()) return;
  met_nan_ = true;
  for (const auto& group : signals_.groups()) {
    if (group.type != Type::Float64) continue;
    const auto element = static_cast<std::uint32_t>(bad - reals.begin());
    const auto after = std::upper_bound(group.offsets.begin(), group.offsets.end(), element);
    const auto& v = source_.description()[group.variables[static_cast<std::size_t>(after - group.offsets.begin()) - 1]];
    warnings_.push_back(fmt::format("'{}' is not a number (NaN) from t = {} s on", v.name, t));
  }
}

}  // namespace consort::engine
