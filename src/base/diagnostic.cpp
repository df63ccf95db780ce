#include "base/diagnostic.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace consort {

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::note: return "note";
    case Severity::warning: return "warning";
    case Severity::error: break;
  }
  return "error";
}

std::string Diagnostic::text() const {
  const std::string place = line > 0 ? fmt::format("{}:{}: ", file, line) : file.empty() ? std::string() : file + ": ";
  const std::string suffix = rule.empty() ? std::string() : fmt::format(" [{}]", rule);
  return fmt::format("{}{}: {}{}", place, name_of(severity), message, suffix);
}

void Diagnostics::add(Diagnostic diagnostic) { all_.push_back(std::move(diagnostic)); }

std::size_t Diagnostics::count(Severity severity) const {
  return static_cast<std::size_t>(
      std::count_if(all_.begin(), all_.end(), [&](const Diagnostic& d) { return d.severity == severity; }));
}

void Diagnostics::sort() {
  std::stable_sort(all_.begin(), all_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    if (a.file != b.file) return a.file < b.file;
    if (a.line != b.line) return a.line < b.line;
    return a.severity > b.severity;
  });
}

}  // namespace consort
