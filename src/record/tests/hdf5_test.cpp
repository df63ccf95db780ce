#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "base/text.hpp"
#include "record/buffered_sink.hpp"
#include "record/hdf5/hdf5_handle.hpp"
#include "record/hdf5/hdf5_reader.hpp"
#include "record/hdf5/hdf5_sink.hpp"
#include "record/tests/file_size_limit.hpp"
#include "record/tests/sink_rows.hpp"

namespace consort::record {
namespace {

namespace fs = std::filesystem;
using namespace testing_rows;
using testing::HasSubstr;

class Hdf5Test : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(places::scratch()) / "hdf5" / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    file_ = folder_ / "result.h5";
  }

  void write_counted(std::size_t rows, std::size_t units = 2, std::size_t signals = 3, int compression = 0) const {
    Hdf5Sink sink(file_, {.compression = compression});
    sink.begin(numbers(units, signals));
    for (std::size_t i = 0; i < rows; ++i) sink.write(static_cast<double>(i), count_row(i, units * signals));
    sink.end();
  }

  // Checks that every row of a file of counted rows contains its row number.
  static std::size_t check_counted(const fs::path& file, std::size_t width) {
    const Result result = read_hdf5_result(file);
    EXPECT_EQ(result.trajectories.size(), width);
    for (std::size_t i = 0; i < result.rows(); ++i) {
      if (result.time[i] != static_cast<double>(i)) {
        ADD_FAILURE() << "time of row " << i << " is " << result.time[i];
        return i;
      }
    }
    for (const auto& t : result.trajectories) {
      if (t.is_text()) continue;
      EXPECT_EQ(t.numbers.size(), result.rows());
      for (std::size_t i = 0; i < result.rows(); ++i) {
        if (t.numbers[i] == static_cast<double>(i)) continue;
        ADD_FAILURE() << t.signal.name << " in row " << i << " of " << result.rows() << " is " << t.numbers[i];
        return i;
      }
    }
    return result.rows();
  }

  fs::path folder_;
  fs::path file_;
};

TEST_F(Hdf5Test, IsAValidFileFromBeginOn) {
  Hdf5Sink sink(file_);
  EXPECT_FALSE(fs::exists(file_)) << "nothing may be touched before begin()";
  sink.begin(numbers(2, 3));
  EXPECT_EQ(check_counted(file_, 6), 0U);
  sink.write(0, count_row(0, 6));
  sink.flush();
  EXPECT_EQ(check_counted(file_, 6), 1U) << "while the sink has it open";
  sink.write(1, count_row(1, 6));
  sink.end();
  EXPECT_EQ(check_counted(file_, 6), 2U);
}

TEST_F(Hdf5Test, GrowsOverManyChunksWithFlushesAnywhere) {
  for (const int compression : {0, 4}) {
    Hdf5Sink sink(file_, {.compression = compression});
    sink.begin(numbers(3, 700));  // chunks of 11 rows
    for (std::size_t i = 0; i < 500; ++i) {
      sink.write(static_cast<double>(i), count_row(i, 2100));
      if (i % 57 == 3) {
        sink.flush();
        ASSERT_EQ(check_counted(file_, 2100), i + 1) << "compression " << compression;
      }
    }
    sink.end();
    EXPECT_EQ(check_counted(file_, 2100), 500U);
  }
}

TEST_F(Hdf5Test, CompressesOnRequest) {
  write_counted(20'000, 1, 10, 0);
  const auto plain = fs::file_size(file_);
  write_counted(20'000, 1, 10, 6);
  EXPECT_LT(fs::file_size(file_), plain / 4);
  EXPECT_EQ(check_counted(file_, 10), 20'000U);
}

TEST_F(Hdf5Test, RefusesACompressionThatDoesNotExist) {
  for (const int level : {-1, 10}) {
    Hdf5Sink sink(file_, {.compression = level});
    EXPECT_THROW(sink.begin(numbers(1, 1)), Error);
  }
}

TEST_F(Hdf5Test, RefusesTwoSignalsOfOneName) {
  Header header = numbers(1, 1);
  header.signals.push_back(header.signals[0]);
  Hdf5Sink sink(file_);
  EXPECT_THROW(sink.begin(header), Error);
}

TEST_F(Hdf5Test, KeepsUnitsWithNamesThatArePaths) {
  Header header;
  for (const char* const unit : {"", ".", "a/b", "a", "a%2Fb", "time", "variables", "units", "Float64", "ü"}) {
    header.signals.push_back({std::string(unit) + ".x", Type::Float64, "", "", false, unit});
  }
  Hdf5Sink sink(file_);
  sink.begin(header);
  Columns row;
  for (std::size_t k = 0; k < header.signals.size(); ++k) row.column<double>().push_back(static_cast<double>(k));
  sink.write(0, row);
  sink.end();
  const Result back = read_hdf5_result(file_);
  for (std::size_t k = 0; k < header.signals.size(); ++k) {
    EXPECT_EQ(back[header.signals[k].name].numbers[0], static_cast<double>(k));
    EXPECT_EQ(back[header.signals[k].name].signal.group, header.signals[k].group);
  }
}

TEST_F(Hdf5Test, KeepsMoreSignalsThanAnAttributeHolds) {
  Hdf5Sink sink(file_);
  sink.begin(numbers(1, 9000));
  sink.write(0, count_row(0, 9000));
  sink.end();
  EXPECT_EQ(check_counted(file_, 9000), 1U);
}

TEST_F(Hdf5Test, BlamesTheInputWhenTheFileCannotBeMade) {
  for (const fs::path& path : {folder_ / "no" / "such" / "folder.h5", folder_}) {
    Hdf5Sink sink(path);
    try {
      sink.begin(numbers(1, 1));
      FAIL() << path << " was accepted";
    } catch (const Error& e) {
      EXPECT_EQ(e.fault(), Fault::input);
      EXPECT_THAT(e.what(), HasSubstr(path.string()));
    }
    EXPECT_NO_THROW(sink.end());
  }
}

TEST_F(Hdf5Test, KeepsWhatWasFlushedWhenTheDiskIsFull) {
  for (const int compression : {0, 1}) {
    Hdf5Sink sink(file_, {.compression = compression});
    sink.begin(numbers(2, 50));
    std::size_t flushed = 0;
    bool failed = false;
    {
      const FileSizeLimit limit(fs::file_size(file_) + 300'001);
      try {
        for (std::size_t i = 0; i < 1'000'000; ++i) {
          sink.write(static_cast<double>(i), count_row(i, 100));
          if (i % 100 != 99) continue;
          sink.flush();
          flushed = i + 1;
        }
      } catch (const Error& e) {
        failed = true;
        EXPECT_EQ(e.fault(), Fault::run);
        EXPECT_THAT(e.what(), HasSubstr("intact"));
        EXPECT_THAT(e.what(), HasSubstr("too large"));
      }
      EXPECT_THROW(sink.write(0, count_row(0, 100)), Error);
      EXPECT_NO_THROW(sink.end());
    }
    ASSERT_TRUE(failed);
    EXPECT_GT(flushed, 0U);
    EXPECT_GE(check_counted(file_, 100), compression == 0 ? flushed : flushed / 2);
  }
}

TEST_F(Hdf5Test, BlamesTheRunWhenThereIsNoRoomForTheHeader) {
  const FileSizeLimit limit(3000);
  Hdf5Sink sink(file_);
  try {
    sink.begin(numbers(20, 50));
    FAIL() << "a full disk went unnoticed";
  } catch (const Error& e) {
    EXPECT_EQ(e.fault(), Fault::run);
  }
  EXPECT_NO_THROW(sink.end());
}

// Kind of file; files with texts are written only by the library.
struct Shape {
  std::size_t units;
  std::size_t signals;
  bool with_text;
};

// Forks a process that writes rows, at full speed or slowly, until it is killed.
std::size_t killed_after(const fs::path& file, std::chrono::microseconds delay, const Shape& shape) {
  int pipe_ends[2];
  if (::pipe(pipe_ends) != 0) return 0;
  const pid_t child = ::fork();
  if (child == 0) {
    Hdf5Sink sink(file);
    Header header = numbers(shape.units, shape.signals);
    if (shape.with_text) header.signals.push_back({"note", Type::String, "", "", true, ""});
    sink.begin(header);
    (void)!::write(pipe_ends[1], "b", 1);
    for (std::size_t i = 0;; ++i) {
      Columns row = count_row(i, shape.units * shape.signals);
      if (shape.with_text) row.column<std::string>() = {"text"};
      sink.write(static_cast<double>(i), row);
      if (i % 7 != 0) continue;
      sink.flush();
      (void)!::write(pipe_ends[1], "f", 1);  // seven more rows are in the file
    }
  }
  ::close(pipe_ends[1]);
  char c = 0;
  (void)!::read(pipe_ends[0], &c, 1);
  std::size_t flushes = 0;
  std::thread reader([&] {
    while (::read(pipe_ends[0], &c, 1) == 1) ++flushes;
  });
  std::this_thread::sleep_for(delay);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  reader.join();
  ::close(pipe_ends[0]);
  return flushes;
}

TEST_F(Hdf5Test, LeavesAReadableFileWhereverTheProcessIsKilled) {
  std::srand(1);
  // Two datasets have chunks of four rows, so that their B-trees have many nodes.
  constexpr Shape shapes[] = {{2, 2000, false}, {5, 10, false}, {2, 2000, true}, {5, 10, true}};
  for (int i = 0; i < 40; ++i) {
    const std::chrono::microseconds delay(std::rand() % 20'000);
    const Shape& shape = shapes[i % 4];
    const std::size_t flushes = killed_after(file_, delay, shape);
    const std::size_t rows = check_counted(file_, shape.units * shape.signals + (shape.with_text ? 1 : 0));
    EXPECT_GE(rows, flushes == 0 ? 0 : (flushes - 1) * 7 + 1) << "after " << delay.count() << " us";
    if (HasFailure()) break;
  }
}

TEST_F(Hdf5Test, KeepsTablesAboutTheRun) {
  Hdf5Sink file(file_);
  Sink* const sinks[] = {&file};
  BufferedSink sink(sinks);
  sink.begin(numbers(1, 1));
  sink.write(0, count_row(0, 1));
  Table table{"connections", {}};
  table.columns.push_back({"from", {}, {"a.y", "b.Größe"}, true});
  table.columns.push_back({"rms", {0.25, 0.5}});
  sink.add_table(table);
  sink.add_table({"empty", {{"name", {}, {}, true}}});
  sink.end();
  const auto result = read_hdf5_result(file_);
  EXPECT_EQ(result.rows(), 1U);
  ASSERT_EQ(result.tables.size(), 2U);
  EXPECT_EQ(result.tables[0].name, "connections");
  EXPECT_EQ(result.tables[0].columns[0].texts, (std::vector<std::string>{"a.y", "b.Größe"}));
  EXPECT_EQ(result.tables[0].columns[1].name, "rms");
  EXPECT_EQ(result.tables[0].columns[1].numbers, (std::vector<double>{0.25, 0.5}));
  EXPECT_EQ(result.tables[1].rows(), 0U);

  const Hdf5Session session;
  const Hdf5Id in(H5Fopen(file_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "open the file");
  const Hdf5Id dataset(H5Dopen2(in, "/report/connections", H5P_DEFAULT), H5Dclose, "open a dataset");
  struct Row {
    char* from;
    double rms;
  };
  const Hdf5Id type(H5Tcreate(H5T_COMPOUND, sizeof(Row)), H5Tclose, "make a type");
  const Hdf5Id text = hdf5_text_type();
  hdf5_check(H5Tinsert(type, "from", offsetof(Row, from), text), "make a type");
  hdf5_check(H5Tinsert(type, "rms", offsetof(Row, rms), H5T_NATIVE_DOUBLE), "make a type");
  const Hdf5Id space(H5Dget_space(dataset), H5Sclose, "read");
  ASSERT_EQ(H5Sget_simple_extent_npoints(space), 2);
  Row rows[2];
  hdf5_check(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows), "read");
  EXPECT_STREQ(rows[1].from, "b.Größe");
  EXPECT_EQ(rows[1].rms, 0.5);
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, rows);
  EXPECT_GT(H5Lexists(in, "/report/empty", H5P_DEFAULT), 0);
}

// Changes a file with the HDF5 library.
template <class F>
void change(const fs::path& file, F&& how) {
  const Hdf5Session session;
  const Hdf5Id id(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "open it");
  how(id);
}

TEST_F(Hdf5Test, IsReadableWithoutItsTables) {
  Hdf5Sink sink(file_);
  sink.begin(numbers(1, 1));
  sink.write(0, count_row(0, 1));
  sink.add_table({"connections", {{"rms", {0.25, 0.5}}}});
  sink.add_table({"steps", {{"rms", {1}}}});
  sink.end();
  change(file_, [](hid_t file) {
    ASSERT_GE(H5Ldelete(file, "/report/connections", H5P_DEFAULT), 0);
    const Hdf5Id odd(H5Gcreate2(file, "/report/connections", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "");
  });
  const auto some = read_hdf5_result(file_);
  EXPECT_EQ(some.rows(), 1U);
  ASSERT_EQ(some.tables.size(), 1U);
  EXPECT_EQ(some.tables[0].name, "steps");
  change(file_, [](hid_t file) {
    ASSERT_GE(H5Ldelete(file, "/report", H5P_DEFAULT), 0);
    const Hdf5Id scalar(H5Screate(H5S_SCALAR), H5Sclose, "");
    const Hdf5Id odd(H5Dcreate2(file, "/report", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                     H5Dclose, "");
  });
  const auto nothing = read_hdf5_result(file_);
  EXPECT_EQ(nothing.rows(), 1U);
  EXPECT_TRUE(nothing.tables.empty());
}

TEST_F(Hdf5Test, RefusesFilesThatWereCutOff) {
  write_counted(5000);
  const std::string whole = read_file(file_);
  for (std::size_t part = 0; part < 40; ++part) {
    const std::size_t size = whole.size() * part / 40;
    std::ofstream(file_, std::ios::binary).write(whole.data(), static_cast<std::streamsize>(size));
    try {
      (void)read_hdf5_result(file_);
      FAIL() << "a file of " << size << " of " << whole.size() << " bytes was accepted";
    } catch (const Error& e) {
      EXPECT_EQ(e.fault(), Fault::input);
      EXPECT_THAT(e.what(), HasSubstr(file_.string()));
    }
  }
}

TEST_F(Hdf5Test, RefusesWhatIsNotAResult) {
  for (const char* const text : {"", "time,x\n0,1\n", "\x89HDF\r\n\x1a\n and nothing else"}) {
    std::ofstream(file_) << text;
    EXPECT_THROW((void)read_hdf5_result(file_), Error);
  }
  const Hdf5Id other(H5Fcreate(file_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, "create");
  H5Fflush(other, H5F_SCOPE_GLOBAL);
  EXPECT_THROW((void)read_hdf5_result(file_), Error);
  EXPECT_THROW((void)read_hdf5_result(folder_ / "missing.h5"), Error);
}

TEST_F(Hdf5Test, ReachesTheFileWithinAboutASecondOfASlowRun) {
  Hdf5Sink sink(file_);
  sink.begin(numbers(1, 1));
  for (std::size_t i = 0; i < 8; ++i) {
    sink.write(static_cast<double>(i), count_row(i, 1));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  EXPECT_GE(check_counted(file_, 1), 4U);
}

}  // namespace
}  // namespace consort::record
