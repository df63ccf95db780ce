#include "engine/event_log.hpp"

#include <fmt/core.h>

#include "base/error.hpp"

namespace consort::engine {

EventLog::EventLog(const std::filesystem::path& file, const describe::Description& description)
    : file_(std::fopen(file.c_str(), "w"), &std::fclose) {
  require(file_ != nullptr, "{}: cannot be written; choose another --event-log", file.string());
  for (const auto& unknown : description.structure.event_indicators) {
    const auto& v = description[unknown.variable];
    // An array contains several indicators, so the names no longer match; then use numbers for all.
    if (v.is_array()) {
      names_.clear();
      break;
    }
    names_.emplace_back(v.name);
  }
  fmt::print(file_.get(), "\"time\",\"n\",\"cause\",\"indicators\",\"iterations\"\n");
  std::fflush(file_.get());
}

std::string EventLog::indicators(const solve::EventRecord& event) const {
  std::string text;
  for (std::size_t i = 0; i < event.roots.size(); ++i) {
    if (event.roots[i] == 0) continue;
    if (!text.empty()) text += "; ";
    text += i < names_.size() ? names_[i] : fmt::format("indicator {}", i + 1);
    text += event.roots[i] > 0 ? " rising" : " falling";
  }
  // CSV doubles quotation marks.
  for (std::size_t at = text.find('"'); at != std::string::npos; at = text.find('"', at + 2)) text.insert(at, 1, '"');
  return text;
}

void EventLog::add(const solve::EventRecord& event) {
  const std::string crossed = indicators(event);
  std::string cause;
  const auto because = [&](bool holds, const char* what) {
    if (holds) cause += (cause.empty() ? "" : "+") + std::string(what);
  };
  because(!crossed.empty(), "state");
  because(event.time_event, "time");
  because(event.step_event, "step");
  n_ = (last_ == event.t ? n_ : 0) + event.rounds;
  last_ = event.t;
  fmt::print(file_.get(), "{},{},\"{}\",\"{}\",{}\n", event.t, n_, cause, crossed, event.iterations);
  std::fflush(file_.get());
}

}  // namespace consort::engine
