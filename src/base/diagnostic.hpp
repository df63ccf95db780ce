// Findings about an input, collected instead of thrown: rule violations of a usable input, or reasons why it is
// unusable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace consort {

enum class Severity : std::uint8_t {
  note,     // information; no rule is violated
  warning,  // violates a rule of the standard; the input is used anyway
  error,    // the input, or the affected part, cannot be used
};
[[nodiscard]] std::string_view name_of(Severity severity);

struct Diagnostic {
  Severity severity = Severity::warning;
  std::string file;        // as the user knows it: "modelDescription.xml"
  std::uint32_t line = 0;  // 1-based; 0: no line
  std::string rule;        // short and stable, for example "FMI 2.0, 2.2.7: structured names"
  std::string message;     // the finding, and the value assumed instead

  // "modelDescription.xml:12: warning: … [FMI 2.0, 2.2.7: structured names]"
  [[nodiscard]] std::string text() const;
};

class Diagnostics {
 public:
  void add(Diagnostic diagnostic);
  [[nodiscard]] const std::vector<Diagnostic>& all() const { return all_; }
  [[nodiscard]] std::size_t count(Severity severity) const;
  [[nodiscard]] bool empty() const { return all_.empty(); }
  // Sorts for display: by file, then by line, then most severe first.
  void sort();

 private:
  std::vector<Diagnostic> all_;
};

}  // namespace consort
