// Turns comma separated values into an InputTable for one description. Internal to input/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/csv.hpp"
#include "base/diagnostic.hpp"
#include "describe/description.hpp"
#include "input/table.hpp"

namespace consort::input {

class TableBuilder {
 public:
  TableBuilder(CsvTable csv, const describe::Description& description, const TableOptions& options,
               Diagnostics* diagnostics)
      : csv_(std::move(csv)), description_(description), options_(options), diagnostics_(diagnostics) {}

  [[nodiscard]] InputTable build();

 private:
  // A column of the file and the element that it sets.
  struct Source {
    describe::VariableId variable = describe::no_variable;
    std::uint64_t element = 0;
    std::size_t column = 0;
  };

  void read_header();
  void add_source(std::size_t column);
  [[nodiscard]] Source address(std::string_view name) const;
  [[nodiscard]] std::uint64_t element(std::string_view name, std::string_view indices,
                                      const describe::Variable& v) const;
  [[nodiscard]] std::uint64_t size_of(const describe::Dimension& dimension) const;
  [[nodiscard]] std::uint64_t element_count(const describe::Variable& v) const;
  void check_sources() const;
  void lay_out();
  void read_times();
  void read_cells();
  template <class T>
  void read_column(const Source& source, std::size_t index);
  template <class T>
  [[nodiscard]] T cell(std::size_t row, const Source& source) const;
  template <class T>
  [[nodiscard]] T whole_number(std::size_t row, std::size_t column) const;
  [[nodiscard]] EnumValue item(std::size_t row, const Source& source) const;
  template <class T>
  void mark_changes(std::vector<bool>& event) const;
  void find_events();

  CsvTable csv_;
  const describe::Description& description_;
  TableOptions options_;
  Diagnostics* diagnostics_;
  std::vector<Source> sources_;  // in the order of variables and elements
  InputTable table_;
};

}  // namespace consort::input
