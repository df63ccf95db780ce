#include "record/formats.hpp"

#include <vector>

#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "record/csv/csv_reader.hpp"
#include "record/csv/csv_sink.hpp"
#include "record/hdf5/hdf5_reader.hpp"
#include "record/hdf5/hdf5_sink.hpp"
#include "record/mat/mat_reader.hpp"
#include "record/mat/mat_sink.hpp"

namespace consort::record {

namespace {

template <class T>
std::unique_ptr<Sink> make(const std::filesystem::path& path, const SinkOptions& options) {
  if constexpr (std::is_constructible_v<T, std::filesystem::path, SinkOptions>) {
    return std::make_unique<T>(path, options);
  } else {
    return std::make_unique<T>(path);
  }
}

constexpr std::array format_rows{
    Format{.name = "CSV",
           .endings = {".csv"},
           .description = "comma separated values, one row per recorded instant",
           .make = make<CsvSink>,
           .read = read_csv_result},
    Format{.name = "HDF5",
           .endings = {".h5", ".hdf5"},
           .description = "HDF5, one dataset per unit and type",
           .make = make<Hdf5Sink>,
           .read = read_hdf5_result,
           .read_facts = read_hdf5_facts,
           .compresses = true},
    Format{.name = "MAT",
           .endings = {".mat"},
           .description = "MAT version 4 in Dymola's layout, numbers only",
           .make = make<MatSink>,
           .read = read_mat_result,
           .resumes = false},
};

const Format* find_format(std::string_view ending) {
  for (const Format& format : format_rows)
    for (const auto e : format.endings)
      if (!e.empty() && iequals(e, ending)) return &format;
  return nullptr;
}

}  // namespace

std::span<const Format> formats() { return format_rows; }

bool is_result_file(const std::filesystem::path& path) { return find_format(path.extension().string()) != nullptr; }

const Format& format_of(const std::filesystem::path& path) {
  const std::string ending = path == "-" ? ".csv" : path.extension().string();
  if (const auto* const format = find_format(ending)) return *format;
  std::vector<std::string> known;
  for (const Format& format : format_rows)
    known.push_back(fmt::format("{} ({})", format.endings.front(), format.description));
  throw input_error("'{}' has {} for a result file; use one of: {}", path.string(),
                    ending.empty() ? "no ending" : "the unknown ending '" + ending + "'", fmt::join(known, ", "));
}

std::string result_endings(const std::function<bool(const Format&)>& can) {
  std::vector<std::string_view> all;
  for (const Format& format : format_rows)
    for (const auto e : format.endings)
      if (!e.empty() && (!can || can(format))) all.push_back(e);
  return fmt::format("{}", fmt::join(all, ", "));
}

std::unique_ptr<Sink> make_sink(const std::filesystem::path& path, const SinkOptions& options) {
  const Format& format = format_of(path);
  require(options.compression == 0 || format.compresses,
          "'{}' cannot be compressed while it is written; choose {}, or no compression", path.string(),
          result_endings(&Format::compresses));
  return format.make(path, options);
}

Result read_result(const std::filesystem::path& path) {
  const Format& format = format_of(path);
  require(format.read != nullptr, "'{}': Consort can write {} but not read it; convert the file with another tool",
          path.string(), format.name);
  return format.read(path);
}

}  // namespace consort::record
