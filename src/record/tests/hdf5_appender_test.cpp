#include "record/hdf5/hdf5_appender.hpp"

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/tests/places.hpp"
#include "record/hdf5/hdf5_handle.hpp"
#include "record/tests/file_size_limit.hpp"

namespace consort::record {
namespace {

namespace fs = std::filesystem;

// HDF5 creates a file; rows are appended without HDF5; then HDF5 must be able to read them.
class Hdf5AppenderTest : public testing::Test {
 protected:
  static constexpr std::uint64_t columns = 3;
  static constexpr std::uint64_t chunk_rows = 2;

  void SetUp() override {
    const auto folder = fs::path(places::scratch()) / "hdf5_appender";
    fs::create_directories(folder);
    file_ = folder / (std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + ".h5");
  }

  // Makes datasets "/0", "/1", … without rows; tree nodes have 2 × `half_of_children` children.
  void lay_out(std::size_t datasets, unsigned half_of_children, bool newest_format = false) {
    const Hdf5Id creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "create");
    if (half_of_children != 32) hdf5_check(H5Pset_istore_k(creation, half_of_children), "create");
    const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "create");
    const auto oldest = newest_format ? H5F_LIBVER_LATEST : H5F_LIBVER_EARLIEST;
    hdf5_check(H5Pset_libver_bounds(access, oldest, H5F_LIBVER_LATEST), "create");
    const Hdf5Id file(H5Fcreate(file_.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose, "create");
    const hsize_t none[2] = {0, columns};
    const hsize_t most[2] = {H5S_UNLIMITED, columns};
    const hsize_t chunk[2] = {chunk_rows, columns};
    const Hdf5Id space(H5Screate_simple(2, none, most), H5Sclose, "create");
    const Hdf5Id layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "create");
    hdf5_check(H5Pset_chunk(layout, 2, chunk), "create");
    for (std::size_t i = 0; i < datasets; ++i) {
      const Hdf5Id dataset(
          H5Dcreate2(file, std::to_string(i).c_str(), H5T_NATIVE_INT32, space, H5P_DEFAULT, layout, H5P_DEFAULT),
          H5Dclose, "create");
      datasets_.push_back({hdf5_address_of(dataset), {2, chunk_rows, columns, sizeof(std::int32_t)}});
    }
  }

  // Every element of row r of dataset d is 1000 d + r.
  static std::vector<std::int32_t> row(std::size_t d, std::uint64_t r) {
    return std::vector<std::int32_t>(columns, static_cast<std::int32_t>(1000 * d + r));
  }
  void append(Hdf5Appender& appender, std::uint64_t r) const {
    for (std::size_t d = 0; d < datasets_.size(); ++d) {
      const auto values = row(d, r);
      appender.write(d, r, std::as_bytes(std::span(values)));
    }
  }
  [[nodiscard]] Hdf5Id open(unsigned how = H5F_ACC_RDONLY) const {
    const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "open");
    hdf5_check(H5Pset_file_locking(access, false, true), "open");
    return {H5Fopen(file_.c_str(), how, access), H5Fclose, "open"};
  }
  static std::uint64_t rows_of(hid_t dataset) {
    const Hdf5Id space(H5Dget_space(dataset), H5Sclose, "read");
    hsize_t size[2] = {0, 0};
    hdf5_check(H5Sget_simple_extent_dims(space, size, nullptr), "read");
    return size[0];
  }
  void expect_rows(hid_t file, std::uint64_t rows) const {
    for (std::size_t d = 0; d < datasets_.size(); ++d) {
      const Hdf5Id dataset(H5Dopen2(file, std::to_string(d).c_str(), H5P_DEFAULT), H5Dclose, "read");
      ASSERT_EQ(rows_of(dataset), rows);
      std::vector<std::int32_t> values(rows * columns);
      if (rows == 0) continue;
      ASSERT_GE(H5Dread(dataset, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << rows;
      for (std::uint64_t r = 0; r < rows; ++r)
        for (std::uint64_t c = 0; c < columns; ++c)
          ASSERT_EQ(values[r * columns + c], row(d, r)[0]) << r << ", " << rows;
    }
  }

  fs::path file_;
  std::vector<GrowingDataset> datasets_;
  CommitStatus status_;
};

TEST_F(Hdf5AppenderTest, MakesTreesOfAnyHeightThatHdf5Reads) {
  for (const unsigned half_of_children : {1U, 2U, 32U}) {
    datasets_.clear();
    lay_out(3, half_of_children);
    const auto appender = Hdf5Appender::open(file_, datasets_, status_);
    ASSERT_NE(appender, nullptr);
    std::uint64_t committed = 0;
    for (std::uint64_t r = 0; r < 300; ++r) {  // 150 chunks: eight levels of two
      append(*appender, r);
      if (r > 40 && r % 23 != 0) continue;
      expect_rows(open(), committed);  // uncommitted rows are not visible
      appender->commit(committed = r + 1);
      expect_rows(open(), committed);
    }
    EXPECT_EQ(status_.error, 0);
  }
}

TEST_F(Hdf5AppenderTest, LeavesAFileThatHdf5GoesOnWith) {
  for (const unsigned half_of_children : {1U, 32U}) {
    datasets_.clear();
    lay_out(1, half_of_children);
    auto appender = Hdf5Appender::open(file_, datasets_, status_);
    ASSERT_NE(appender, nullptr);
    for (std::uint64_t r = 0; r < 99; ++r) append(*appender, r);
    appender->commit(99);
    appender.reset();
    const Hdf5Id file = open(H5F_ACC_RDWR);
    const Hdf5Id dataset(H5Dopen2(file, "0", H5P_DEFAULT), H5Dclose, "open");
    for (hsize_t r = 99; r < 200; ++r) {
      const hsize_t extent[2] = {r + 1, columns};
      ASSERT_GE(H5Dset_extent(dataset, extent), 0);
      const Hdf5Id space(H5Dget_space(dataset), H5Sclose, "write");
      const hsize_t begin[2] = {r, 0};
      const hsize_t count[2] = {1, columns};
      H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, nullptr, count, nullptr);
      const Hdf5Id memory(H5Screate_simple(2, count, nullptr), H5Sclose, "write");
      ASSERT_GE(H5Dwrite(dataset, H5T_NATIVE_INT32, memory, space, H5P_DEFAULT, row(0, r).data()), 0);
    }
    expect_rows(file, 200);
    const hsize_t fewer[2] = {31, columns};  // removes chunks from the tree
    ASSERT_GE(H5Dset_extent(dataset, fewer), 0);
    expect_rows(file, 31);
  }
}

TEST_F(Hdf5AppenderTest, StaysAtTheLastCommitWhenTheDiskIsFull) {
  lay_out(2, 1);
  const auto appender = Hdf5Appender::open(file_, datasets_, status_);
  ASSERT_NE(appender, nullptr);
  const FileSizeLimit limit(fs::file_size(file_) + 20'000);
  std::uint64_t committed = 0;
  for (std::uint64_t r = 0; status_.error == 0 && r < 10'000; ++r) {
    append(*appender, r);
    appender->commit(r + 1);
    if (status_.error == 0) committed = r + 1;
  }
  EXPECT_EQ(status_.error, EFBIG);
  EXPECT_GT(committed, 16U);  // eight chunks: at least three levels of nodes
  expect_rows(open(), committed);
}

TEST_F(Hdf5AppenderTest, LeavesFilesOfOtherKindsToTheLibrary) {
  EXPECT_EQ(Hdf5Appender::open(file_.string() + ".missing", datasets_, status_), nullptr);
  std::ofstream(file_) << "not HDF5";
  EXPECT_EQ(Hdf5Appender::open(file_, datasets_, status_), nullptr);
  lay_out(1, 32, true);
  EXPECT_EQ(Hdf5Appender::open(file_, datasets_, status_), nullptr) << "the newest format";
  datasets_.clear();
  lay_out(1, 32);
  datasets_[0].chunk.rows = 4;
  EXPECT_EQ(Hdf5Appender::open(file_, datasets_, status_), nullptr) << "other chunks";
  datasets_[0] = {0, {2, chunk_rows, columns, sizeof(std::int32_t)}};
  EXPECT_EQ(Hdf5Appender::open(file_, datasets_, status_), nullptr) << "no header there";
}

}  // namespace
}  // namespace consort::record
