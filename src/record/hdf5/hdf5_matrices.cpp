#include <array>
#include <system_error>

#include "base/error.hpp"
#include "record/hdf5/hdf5_handle.hpp"
#include "record/matrix_file.hpp"

namespace consort::record {

namespace {

constexpr const char* writing_matrices = "write a matrix";

Hdf5Id complex_type() {
  Hdf5Id type(H5Tcreate(H5T_COMPOUND, 2 * sizeof(double)), H5Tclose, writing_matrices);
  hdf5_check(H5Tinsert(type, "r", 0, H5T_NATIVE_DOUBLE), writing_matrices);
  hdf5_check(H5Tinsert(type, "i", sizeof(double), H5T_NATIVE_DOUBLE), writing_matrices);
  return type;
}

Hdf5Id new_dataset(hid_t file, const std::string& name, hid_t type, hid_t space) {
  const Hdf5Id creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, writing_matrices);
  hdf5_check(H5Pset_obj_track_times(creation, 0), writing_matrices);  // the same contents are the same file
  return {H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose, writing_matrices};
}

void write_matrix(hid_t file, const NamedMatrix& m) {
  CONSORT_ASSERT(m.values.size() == m.rows * m.columns);
  const std::array<hsize_t, 2> sizes = {m.rows, m.columns};
  // A column is an array of one dimension.
  const Hdf5Id space(H5Screate_simple(m.columns == 1 ? 1 : 2, sizes.data(), nullptr), H5Sclose, writing_matrices);
  std::vector<double> pairs;
  for (std::size_t i = 0; i < m.imaginary.size(); ++i) {
    pairs.push_back(m.values[i]);
    pairs.push_back(m.imaginary[i]);
  }
  const Hdf5Id complex = complex_type();
  const hid_t type = m.imaginary.empty() ? H5T_NATIVE_DOUBLE : static_cast<hid_t>(complex);
  const Hdf5Id dataset = new_dataset(file, m.name, type, space);
  if (m.values.empty()) return;
  const auto& data = m.imaginary.empty() ? m.values : pairs;
  hdf5_check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data()), writing_matrices);
}

void write_texts(hid_t file, const NamedTexts& list) {
  const hsize_t size = list.texts.size();
  const Hdf5Id space(H5Screate_simple(1, &size, nullptr), H5Sclose, writing_matrices);
  const Hdf5Id type = hdf5_text_type();
  const Hdf5Id dataset = new_dataset(file, list.name, type, space);
  if (size == 0) return;
  std::vector<const char*> pointers;
  for (const auto& text : list.texts) pointers.push_back(text.c_str());
  hdf5_check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()), writing_matrices);
}

void write_attribute(hid_t file, const Fact& fact) {
  const Hdf5Id space(H5Screate(H5S_SCALAR), H5Sclose, writing_matrices);
  const Hdf5Id type = hdf5_text_type();
  const Hdf5Id attribute(H5Acreate2(file, fact.name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         writing_matrices);
  const char* const value = fact.value.c_str();
  hdf5_check(H5Awrite(attribute, type, &value), writing_matrices);
}

void write_all(const MatrixFile& contents, const std::filesystem::path& path) {
  const Hdf5Id file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, "create the file");
  for (const auto& m : contents.matrices) write_matrix(file, m);
  for (const auto& list : contents.lists) write_texts(file, list);
  for (const auto& fact : contents.facts) write_attribute(file, fact);
  hdf5_check(H5Fflush(file, H5F_SCOPE_GLOBAL), "write the file");
}

}  // namespace

void write_hdf5_matrices(const MatrixFile& contents, const std::filesystem::path& file) {
  const Hdf5Session session;
  try {
    write_all(contents, file);
  } catch (const Hdf5Failure& failure) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(file, ignored)) std::filesystem::remove(file, ignored);
    throw run_error("{}: cannot {}; check the folder and the disk", file.string(), failure.what);
  }
}

}  // namespace consort::record
