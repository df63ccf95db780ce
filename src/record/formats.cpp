#include "record/formats.hpp"

#include <array>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "record/csv_reader.hpp"
#include "record/csv_sink.hpp"

namespace consort::record {

namespace {

template <class T>
std::unique_ptr<Sink> make(const std::filesystem::path& path) {
  return std::make_unique<T>(path);
}

constexpr std::array table{
    Format{".csv", "comma separated values, one row per recorded instant", make<CsvSink>, read_csv_result},
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

std::unique_ptr<Sink> make_sink(const std::filesystem::path& path) {
  if (path == "-") return make<CsvSink>(path);
  return format_of(path).make(path);
}

Result read_result(const std::filesystem::path& path) { return format_of(path).read(path); }

}  // namespace consort::record
