#include <cmath>
#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analyse/linearise.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "record/matrix_file.hpp"

namespace consort::analyse {

namespace {

using Json = nlohmann::ordered_json;

Json rows_of(const Matrix& m) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < m.rows; ++i) {
    Json row = Json::array();
    for (std::size_t j = 0; j < m.columns; ++j) row.push_back(m(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json pair_of(const std::complex<double>& value) { return {{"real", value.real()}, {"imaginary", value.imag()}}; }

record::NamedMatrix matrix(std::string name, const Matrix& m) { return {std::move(name), m.rows, m.columns, m.values}; }

record::NamedMatrix column(std::string name, const std::vector<double>& values) {
  return {std::move(name), values.size(), 1, values};
}

template <class F>
record::NamedMatrix column_of(std::string name, const Linearisation& lin, F&& value) {
  std::vector<double> values;
  for (const auto& e : lin.eigenvalues) values.push_back(value(e));
  return column(std::move(name), values);
}

record::NamedMatrix eigenvalue_column(const Linearisation& lin) {
  auto made = column_of("eigenvalues", lin, [](const Eigenvalue& e) { return e.value.real(); });
  for (const auto& e : lin.eigenvalues) made.imaginary.push_back(e.value.imag());
  return made;
}

// One column per eigenvalue.
record::NamedMatrix eigenvector_matrix(const Linearisation& lin) {
  const auto n = lin.states.size();
  record::NamedMatrix made{"eigenvectors", n, n, std::vector<double>(n * n), std::vector<double>(n * n)};
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      made.values[i * n + j] = lin.eigenvectors[j][i].real();
      made.imaginary[i * n + j] = lin.eigenvectors[j][i].imag();
    }
  }
  return made;
}

record::MatrixFile matrices_of(const Linearisation& lin) {
  record::MatrixFile file;
  auto& m = file.matrices;
  m = {matrix("A", lin.a),       matrix("B", lin.b),    matrix("C", lin.c),   matrix("D", lin.d),
       column("x0", lin.x0),     column("u0", lin.u0),  column("y0", lin.y0), column("f0", lin.f0),
       column("t0", {lin.time}), eigenvalue_column(lin)};
  m.push_back(column_of("frequency", lin, [](const Eigenvalue& e) { return e.frequency; }));
  m.push_back(column_of("damped_frequency", lin, [](const Eigenvalue& e) { return e.damped_frequency; }));
  m.push_back(column_of("damping", lin, [](const Eigenvalue& e) { return e.damping; }));
  if (!lin.eigenvectors.empty()) m.push_back(eigenvector_matrix(lin));
  file.lists = {{"states", lin.states},
                {"inputs", lin.inputs},
                {"outputs", lin.outputs},
                {"state_units", lin.state_units},
                {"input_units", lin.input_units},
                {"output_units", lin.output_units},
                {"notes", lin.notes}};
  file.facts = {{"format", "consort linearisation"},
                {"system", lin.system},
                {"solver", lin.solver},
                {"tolerance", fmt::format("{}", lin.tolerance)},
                {"equilibrium", lin.is_equilibrium ? "yes" : "no"}};
  return file;
}

void write_json(const Linearisation& lin, const std::filesystem::path& file) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << json_of(lin) << '\n';
  if (!out.flush()) throw run_error("{}: the matrices cannot be written; check the folder and the disk", file.string());
}

struct FileFormat {
  std::string_view ending;
  void (*write)(const Linearisation&, const std::filesystem::path&);
};
constexpr FileFormat file_formats[] = {
    {".json", write_json},
    {".mat",
     [](const Linearisation& l, const std::filesystem::path& f) { record::write_mat_matrices(matrices_of(l), f); }},
    {".h5",
     [](const Linearisation& l, const std::filesystem::path& f) { record::write_hdf5_matrices(matrices_of(l), f); }},
};

const FileFormat& format_of(const std::filesystem::path& file) {
  const auto ending = file.extension().string();
  for (const auto& format : file_formats)
    if (iequals(format.ending, ending)) return format;
  throw input_error("{}: linearisations are written as {}; choose one of these endings", file.string(),
                    linearisation_endings());
}

}  // namespace

std::string json_of(const Linearisation& lin) {
  Json values = Json::array();
  for (const auto& e : lin.eigenvalues) {
    Json one = pair_of(e.value);
    one["frequency"] = e.frequency;
    one["damped_frequency"] = e.damped_frequency;
    one["damping"] = e.damping;  // null for the eigenvalue 0
    values.push_back(std::move(one));
  }
  Json all = {{"format", "consort linearisation"},
              {"version", 1},
              {"system", lin.system},
              {"time", lin.time},
              {"solver", lin.solver},
              {"tolerance", lin.tolerance},
              {"equilibrium", lin.is_equilibrium},
              {"states", lin.states},
              {"inputs", lin.inputs},
              {"outputs", lin.outputs},
              {"state_units", lin.state_units},
              {"input_units", lin.input_units},
              {"output_units", lin.output_units},
              {"x0", lin.x0},
              {"u0", lin.u0},
              {"y0", lin.y0},
              {"f0", lin.f0},
              {"A", rows_of(lin.a)},
              {"B", rows_of(lin.b)},
              {"C", rows_of(lin.c)},
              {"D", rows_of(lin.d)},
              {"eigenvalues", std::move(values)}};
  if (!lin.eigenvectors.empty()) {
    Json vectors = Json::array();
    for (const auto& v : lin.eigenvectors) {
      Json one = Json::array();
      for (const auto& element : v) one.push_back(pair_of(element));
      vectors.push_back(std::move(one));
    }
    all["eigenvectors"] = std::move(vectors);
  }
  all["notes"] = lin.notes;
  return all.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::string linearisation_endings() {
  std::string text;
  for (const auto& format : file_formats) text += (text.empty() ? "" : ", ") + std::string(format.ending);
  return text;
}

void require_linearisation_ending(const std::filesystem::path& file) { static_cast<void>(format_of(file)); }

void write_linearisation(const Linearisation& lin, const std::filesystem::path& file) {
  format_of(file).write(lin, file);
}

}  // namespace consort::analyse
