// Any bytes as a table must give an Error or a table whose cells can all be read.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/value.hpp"

namespace {

using namespace consort;

void read_cell(const CsvTable& table, std::size_t row, std::size_t column) {
  CONSORT_ASSERT(table.cell(row, column).size() <= 1U << 20);
  try {
    const double number = table.number(row, column);
    std::string text;
    append_element(text, number);
    const auto again = parse_element<double>(text);
    CONSORT_ASSERT(again == number || (std::isnan(again) && std::isnan(number)));
  } catch (const Error& error) {
    CONSORT_ASSERT(error.fault() == Fault::input);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const CsvTable table = parse_csv(text, "fuzz.csv", {.bytes = 1U << 20, .columns = 1000, .cells = 10'000});
    CONSORT_ASSERT(table.columns() > 0);
    CONSORT_ASSERT(table.rows() * table.columns() <= 10'000);
    for (std::size_t row = 0; row < table.rows(); ++row) {
      CONSORT_ASSERT(table.line(row) >= 2);
      for (std::size_t column = 0; column < table.columns(); ++column) read_cell(table, row, column);
    }
  } catch (const Error& error) {
    CONSORT_ASSERT(error.fault() == Fault::input);
  }
  return 0;
}
