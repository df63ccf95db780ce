#include "record/formats.hpp"

#include <array>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "record/csv_reader.hpp"
#include "record/csv_sink.hpp"
#include "record/hdf5_reader.hpp"
#include "record/hdf5_sink.hpp"
#include "record/mat_reader.hpp"
#include "record/mat_sink.hpp"

namespace consort::record {

namespace {

template <class T>
std::unique_ptr<Sink> make(const std::filesystem::path& path, const SinkOptions& options) {
  if constexpr (std::is_constructible_v<T, std::filesystem::path, SinkOptions>) {
    return std::make_unique<T>(path, options);
  } else {
    require(options.compression == 0, "'{}' cannot be compressed while it is written; choose .h5, or no compression",
            path.string());
    return std::make_unique<T>(path);
  }
}

constexpr std::array table{
    Format{".csv", "comma separated values, one row per recorded instant", make<CsvSink>, read_csv_result},
    Format{".h5", "HDF5, one dataset per unit and type", make<Hdf5Sink>, read_hdf5_result},
    Format{".hdf5", "the same", make<Hdf5Sink>, read_hdf5_result},
    Format{".mat", "MAT version 4 in Dymola's layout, numbers only", make<MatSink>, read_mat_result},
};

const Format& format_of(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  std::string known;
  for (const Format& format : table) {
    if (iequals(format.ending, ending)) return format;
    known += fmt::format("{}{} ({})", known.empty() ? "" : ", ", format.ending, format.description);
  }
  throw input_error("'{}' has {} as the name of a result file; use one of: {}", path.string(),
                    ending.empty() ? "no ending" : "the unknown ending '" + ending + "'", known);
}

}  // namespace

std::span<const Format> formats() { return table; }

std::unique_ptr<Sink> make_sink(const std::filesystem::path& path, const SinkOptions& options) {
  if (path == "-") return make<CsvSink>(path, options);
  return format_of(path).make(path, options);
}

Result read_result(const std::filesystem::path& path) { return format_of(path).read(path); }

}  // namespace consort::record
