// The table of settings: one row per setting. The reader and writer of system files, the JSON Schema, the command line,
// Python's keyword arguments, docs/settings.md and the warnings about settings without effect are made from the rows.
//
// To add a setting: a field in include/consort/settings.hpp, a row in table.cpp, and the code that reads the field.
// Then
// `./dev docs` writes the documents.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "consort/settings.hpp"

namespace consort::settings {

enum class Section : std::uint8_t { experiment, run, loops, iteration, control, record };
inline constexpr std::size_t section_count = 6;

enum class Kind : std::uint8_t {
  truth,
  integer,
  number,         // finite, within the row's range
  seconds,        // the same; "100 ms" in files
  choice,         // one of the row's choices
  text,           // not empty
  file,           // a path; relative to the folder of the system file
  texts,          // a list
  approximation,  // a name, or the order of a polynomial
};

// The registry whose names a text takes. It is known above this folder: see engine/setting_names.hpp.
enum class Names : std::uint8_t { any, steppers, approximations, hosts, nonlinear_methods, accelerators, controllers };

// Which runs read a setting; in others it has no effect.
enum class ReadBy : std::uint8_t {
  every_run,
  order,           // steppers that take an order of units
  iteration,       // steppers that iterate
  varying_steps,   // controllers that vary the step
  error_estimates  // controllers that estimate the errors of outputs
};

// std::monostate: not set. A choice is its text.
using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<std::string>>;

struct Row {
  Section section;
  std::string_view key;
  Kind kind;
  std::string_view help;           // what it sets, without a full stop
  std::string_view standard = {};  // the default in words; empty: that of the field
  double least = 0, most = 0;  // of integers, inclusive; of numbers `least` is exclusive, and a `most` of 0 no limit
  std::span<const std::string_view> choices{};
  Names names = Names::any;
  std::string_view option{};  // of the command line, beside `--setting KEY=VALUE`
  ReadBy read_by = ReadBy::every_run;
  std::span<const std::string_view> methods{};  // of accelerators that read it; empty: all
  bool affects_results = true;                  // not: a restart may change it
  // Raw access: choices as their index.
  Value (*get)(const RunSettings&) = nullptr;
  void (*set)(RunSettings&, const Value&) = nullptr;
};

// In the order of documents.
[[nodiscard]] std::span<const Row> rows();
[[nodiscard]] std::string_view name_of(Section section);  // "control"
// The name of a setting outside of its section: "control.tolerance_for", "experiment.stop", "stepper".
[[nodiscard]] std::string path_of(const Row& row);
// By that name. Throws Error (input) that suggests the nearest.
[[nodiscard]] const Row& find(std::string_view path);

// The value of a field; std::monostate if it is not set. A choice is its text.
[[nodiscard]] Value value(const Row& row, const RunSettings& settings);
// Whether the field differs from its default.
[[nodiscard]] bool is_set(const Row& row, const RunSettings& settings);
void reset(const Row& row, RunSettings& settings);
// Of the row's kind. Throws Error (input) with the setting's name for a value outside of the range.
void assign(const Row& row, RunSettings& settings, const Value& value);

// Checks the fields of a section, which C++ programs may have set to anything. Throws as assign() does.
void check(Section section, const RunSettings& settings);

// What a value may be, for documents: "> 0", "1 … 1000", "elementary, pi".
[[nodiscard]] std::string range_text(const Row& row);
[[nodiscard]] std::string default_text(const Row& row);

}  // namespace consort::settings
