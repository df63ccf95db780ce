// What is wrong with an input that can be used all the same, or why it cannot: collected, not thrown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace consort {

enum class Severity : std::uint8_t {
  note,     // worth knowing; nothing is broken
  warning,  // breaks a rule of the standard; it is used all the same
  error,    // cannot be used, or not the part that it is about
};
[[nodiscard]] std::string_view name_of(Severity severity);

struct Diagnostic {
  Severity severity = Severity::warning;
  std::string file;        // as the user knows it: "modelDescription.xml"
  std::uint32_t line = 0;  // 1-based, 0 where there is none
  std::string rule;        // short and stable, for example "FMI 2.0, 2.2.7: structured names"
  std::string message;     // what was found, and what was assumed instead

  // "modelDescription.xml:12: warning: … [FMI 2.0, 2.2.7: structured names]"
  [[nodiscard]] std::string text() const;
};

class Diagnostics {
 public:
  void add(Diagnostic diagnostic);
  [[nodiscard]] const std::vector<Diagnostic>& all() const { return all_; }
  [[nodiscard]] std::size_t count(Severity severity) const;
  [[nodiscard]] bool empty() const { return all_.empty(); }
  // The most severe first among those of equal file, then by line: the order in which they are shown.
  void sort();

 private:
  std::vector<Diagnostic> all_;
};

}  // namespace consort
