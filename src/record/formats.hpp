// The result formats, chosen by the ending of a file: one row each in formats.cpp.
#pragma once

#include <array>
#include <filesystem>
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
  std::array<std::string_view, 2> endings{};  // ".csv", the usual one first; empty ones do not count
  std::string_view description;
  std::unique_ptr<Sink> (*make)(const std::filesystem::path&, const SinkOptions&) = nullptr;
  Result (*read)(const std::filesystem::path&) = nullptr;  // null: it can be written only
  bool compresses = false;                                 // while it is written
  bool resumes = true;                                     // a run that goes on writes behind the rows that are there
};

[[nodiscard]] std::span<const Format> formats();
// By the ending of `path` (in any case of letters); "-" is CSV. Throws Error (input) that lists the endings when there
// is no such format.
[[nodiscard]] const Format& format_of(const std::filesystem::path& path);
// ".csv, .h5, …", of all formats or of those that can do something: result_endings(&Format::resumes).
[[nodiscard]] std::string result_endings(bool Format::*can = nullptr);

// The sink for the ending of `path`; "-" is CSV on the standard output. Nothing is written before begin(). Throws Error
// (input) when there is no such format, and for a compression that the format does not have.
[[nodiscard]] std::unique_ptr<Sink> make_sink(const std::filesystem::path& path, const SinkOptions& options = {});

// Reads a whole result file. Throws Error (input) when the format is unknown or the file is not readable as such.
[[nodiscard]] Result read_result(const std::filesystem::path& path);

}  // namespace consort::record
