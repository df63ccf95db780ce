// The result formats, chosen by the ending of a file: one row each in formats.cpp.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

#include "record/result.hpp"
#include "record/sink.hpp"

namespace consort::record {

struct SinkOptions {
  int compression = 0;  // 0 (none) to 9 (smallest), for formats that compress: HDF5
};

struct Format {
  std::string_view ending;  // ".csv"
  std::string_view description;
  std::unique_ptr<Sink> (*make)(const std::filesystem::path&, const SinkOptions&);
  Result (*read)(const std::filesystem::path&);
};

[[nodiscard]] std::span<const Format> formats();

// The sink for the ending of `path` (in any case of letters); "-" is CSV on the standard output. Nothing is written
// before begin(). Throws Error (input) that lists the endings when there is no such format, and for a compression that
// the format does not have.
[[nodiscard]] std::unique_ptr<Sink> make_sink(const std::filesystem::path& path, const SinkOptions& options = {});

// Reads a whole result file. Throws Error (input) when the format is unknown or the file is not readable as such.
[[nodiscard]] Result read_result(const std::filesystem::path& path);

}  // namespace consort::record
