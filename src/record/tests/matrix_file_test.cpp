#include "record/matrix_file.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "base/text.hpp"
#include "record/hdf5/hdf5_handle.hpp"

namespace consort::record::matrix_file_tests {
namespace {

using ::testing::ElementsAre;

MatrixFile example() {
  MatrixFile file;
  file.matrices = {
      {"A", 2, 3, {1, 2, 3, 4, 5, 6}}, {"x0", 2, 1, {7, 8}}, {"z", 2, 1, {1, 2}, {-1, 0.5}}, {"B", 2, 0, {}}};
  file.lists = {{"states", {"a.x", "longer.v"}}, {"inputs", {}}};
  file.facts = {{"solver", "bdf"}};
  return file;
}

std::filesystem::path place(const std::string& name) { return std::filesystem::path(places::scratch()) / name; }

struct MatMatrix {
  std::array<std::int32_t, 5> head{};
  std::string bytes;
  [[nodiscard]] std::vector<double> numbers() const {
    std::vector<double> values(bytes.size() / sizeof(double));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(double));
    return values;
  }
};

// As "MAT-File Format", version 4, says: five 32-bit integers, the name, the columns one after another.
std::map<std::string, MatMatrix> read_mat(const std::filesystem::path& file) {
  const std::string bytes = read_file(file);
  std::map<std::string, MatMatrix> all;
  for (std::size_t at = 0; at < bytes.size();) {
    MatMatrix m;
    std::memcpy(m.head.data(), bytes.data() + at, sizeof m.head);
    at += sizeof m.head;
    const std::string name(bytes.data() + at);
    EXPECT_EQ(name.size() + 1, static_cast<std::size_t>(m.head[4]));
    at += name.size() + 1;
    const std::size_t element = m.head[0] == 51 ? 1 : sizeof(double);
    const std::size_t size =
        element * static_cast<std::size_t>(m.head[1]) * static_cast<std::size_t>(m.head[2]) * (m.head[3] != 0 ? 2 : 1);
    m.bytes = bytes.substr(at, size);
    EXPECT_EQ(m.bytes.size(), size) << name;
    at += size;
    all[name] = m;
  }
  return all;
}

TEST(MatrixFile, MatHasMatricesByColumns) {
  const auto file = place("matrices.mat");
  write_mat_matrices(example(), file);
  const auto all = read_mat(file);
  EXPECT_THAT(all.at("A").head, ElementsAre(0, 2, 3, 0, 2));
  EXPECT_THAT(all.at("A").numbers(), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(all.at("z").head, ElementsAre(0, 2, 1, 1, 2));
  EXPECT_THAT(all.at("z").numbers(), ElementsAre(1, 2, -1, 0.5));
  EXPECT_THAT(all.at("B").head, ElementsAre(0, 2, 0, 0, 2));
  EXPECT_THAT(all.at("states").head, ElementsAre(51, 2, 8, 0, 7));
  EXPECT_EQ(all.at("states").bytes, "al.oxn g e r . v") << "one row per name, padded with blanks";
  EXPECT_EQ(all.at("solver").bytes, "bdf");
}

TEST(MatrixFile, Hdf5HasDatasetsAndAttributes) {
  const auto path = place("matrices.h5");
  write_hdf5_matrices(example(), path);
  const Hdf5Session session;
  const Hdf5Id file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "open");
  const auto numbers = [&](const char* name, std::size_t count) {
    const Hdf5Id dataset(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose, name);
    std::vector<double> values(count);
    EXPECT_GE(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    return values;
  };
  EXPECT_THAT(numbers("A", 6), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(numbers("x0", 2), ElementsAre(7, 8));
  const Hdf5Id states(H5Dopen2(file, "states", H5P_DEFAULT), H5Dclose, "states");
  const Hdf5Id text = hdf5_text_type();
  std::array<char*, 2> names{};
  ASSERT_GE(H5Dread(states, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, names.data()), 0);
  EXPECT_STREQ(names[1], "longer.v");
  for (char* const name : names) H5free_memory(name);
  const Hdf5Id attribute(H5Aopen(file, "solver", H5P_DEFAULT), H5Aclose, "solver");
  EXPECT_EQ(hdf5_text_of(attribute), "bdf");
  const Hdf5Id empty(H5Dopen2(file, "B", H5P_DEFAULT), H5Dclose, "B");
  const Hdf5Id space(H5Dget_space(empty), H5Sclose, "B");
  EXPECT_EQ(H5Sget_simple_extent_npoints(space), 0);
}

TEST(MatrixFile, APlaceThatCannotBeWrittenIsAnError) {
  for (const auto write : {&write_mat_matrices, &write_hdf5_matrices}) {
    try {
      write(example(), place("no such folder/matrices"));
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::run);
      EXPECT_THAT(error.what(), ::testing::HasSubstr("no such folder"));
    }
  }
}

}  // namespace
}  // namespace consort::record::matrix_file_tests
