#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "record/matrix_file.hpp"

namespace consort::record {

namespace {

// Type codes of MAT version 4, little endian: doubles, and bytes that are characters.
enum MatrixCode : std::int32_t { of_doubles = 0, of_characters = 51 };

class MatMatrices {
 public:
  void add(const NamedMatrix& m) {
    CONSORT_ASSERT(m.values.size() == m.rows * m.columns);
    CONSORT_ASSERT(m.imaginary.empty() || m.imaginary.size() == m.values.size());
    add_head(m.name, of_doubles, m.rows, m.columns, !m.imaginary.empty());
    add_by_columns(m, m.values);
    if (!m.imaginary.empty()) add_by_columns(m, m.imaginary);
  }

  void add(std::string_view name, const std::vector<std::string>& lines) {
    std::size_t longest = 0;
    for (const auto& line : lines) longest = std::max(longest, line.size());
    add_head(name, of_characters, lines.size(), longest, false);
    for (std::size_t column = 0; column < longest; ++column)
      for (const auto& line : lines) bytes_.push_back(column < line.size() ? line[column] : ' ');
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void add_head(std::string_view name, MatrixCode code, std::size_t rows, std::size_t columns, bool complex) {
    const std::array<std::int32_t, 5> head = {code, static_cast<std::int32_t>(rows), static_cast<std::int32_t>(columns),
                                              complex ? 1 : 0, static_cast<std::int32_t>(name.size() + 1)};
    put(head.data(), sizeof head);
    put(name.data(), name.size());
    bytes_.push_back('\0');
  }
  void add_by_columns(const NamedMatrix& m, const std::vector<double>& values) {
    for (std::size_t j = 0; j < m.columns; ++j)
      for (std::size_t i = 0; i < m.rows; ++i) put(&values[i * m.columns + j], sizeof(double));
  }
  void put(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }

  std::string bytes_;
};

// Names of variables in MATLAB: letters, digits and underscores.
std::string mat_name(std::string name) {
  for (char& c : name)
    if (c == ' ') c = '_';
  return name;
}

}  // namespace

void write_mat_matrices(const MatrixFile& contents, const std::filesystem::path& file) {
  MatMatrices all;
  for (const auto& m : contents.matrices) all.add(m);
  for (const auto& list : contents.lists) all.add(list.name, list.texts);
  for (const auto& fact : contents.facts) all.add(mat_name(fact.name), {fact.value});
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  const bool opened = out.is_open();
  out.write(all.bytes().data(), static_cast<std::streamsize>(all.bytes().size()));
  if (out.flush()) return;
  out.close();
  std::error_code ignored;
  if (opened) std::filesystem::remove(file, ignored);
  throw run_error("{}: the matrices cannot be written; check the folder and the disk", file.string());
}

}  // namespace consort::record
