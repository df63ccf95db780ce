// The result formats, chosen by file extension; each has one row in formats.cpp.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "record/result.hpp"
#include "record/sink.hpp"

namespace consort::record {

struct SinkOptions {
  int compression = 0;  // 0 (none) to 9 (smallest), for formats that compress
};

struct Format {
  std::string_view name;
  std::array<std::string_view, 2> endings{};  // such as ".csv", the usual one first; empty: unused
  std::string_view description;
  std::unique_ptr<Sink> (*make)(const std::filesystem::path&, const SinkOptions&) = nullptr;
  Result (*read)(const std::filesystem::path&) = nullptr;  // null: the format can only be written
  // Null: the format keeps no facts and no tables.
  std::vector<Fact> (*read_facts)(const std::filesystem::path&) = nullptr;
  bool compresses = false;  // supports compression during writing
  bool resumes = true;      // a continued run can append rows to an existing file
};

[[nodiscard]] std::span<const Format> formats();
// Finds the format by the extension of `path` (case-insensitive); "-" is CSV. Throws Error (input) that lists the
// extensions if it is unknown.
[[nodiscard]] const Format& format_of(const std::filesystem::path& path);
// True if a format has the extension of `path`.
[[nodiscard]] bool is_result_file(const std::filesystem::path& path);
// Returns ".csv, .h5, …": the extensions of all formats, or of formats with a capability:
// result_endings(&Format::resumes).
[[nodiscard]] std::string result_endings(const std::function<bool(const Format&)>& can = {});

// Makes the sink for the extension of `path`; "-" is CSV on standard output. Nothing is written before begin(). Throws
// Error (input) for an unknown format, or a compression that the format does not support.
[[nodiscard]] std::unique_ptr<Sink> make_sink(const std::filesystem::path& path, const SinkOptions& options = {});

// Reads a whole result file. Throws Error (input) if the format is unknown or the file cannot be read.
[[nodiscard]] Result read_result(const std::filesystem::path& path);

}  // namespace consort::record
