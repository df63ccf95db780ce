// Checks that after every single write, the file is readable and contains all flushed rows: a killed process leaves one
// of these files.
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/tests/places.hpp"
#include "record/hdf5/hdf5_reader.hpp"
#include "record/hdf5/hdf5_sink.hpp"
#include "record/tests/sink_rows.hpp"
#include "record/tests/write_journal.hpp"

namespace consort::record::hdf5_writes_test {
namespace {

namespace fs = std::filesystem;
using namespace testing_rows;

struct Shape {
  const char* name;
  std::size_t signals;
  std::size_t rows;
  bool with_text;
};

constexpr Shape shapes[] = {
    {"Numbers", 20, 600, false},
    {"NumbersInManyChunks", 1000, 540, false},
    {"Texts", 20, 700, true},
};

constexpr std::size_t flush_every = 23;

// Most texts are short, some are longer than a page.
std::string text_of(std::size_t i) { return i % 100 == 50 ? std::string(5000 + i, 'x') : "row " + std::to_string(i); }

class Hdf5Writes : public testing::TestWithParam<Shape> {
 protected:
  Hdf5Writes()
      : folder_(fs::path(places::scratch()) / "hdf5_writes" / GetParam().name),
        written_(folder_ / "written.h5"),
        replayed_(folder_ / "replayed.h5") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  // Pairs of a number of changes and the number of rows guaranteed after them.
  std::vector<std::pair<std::size_t, std::size_t>> write(std::vector<FileChange>& changes) const {
    const Shape& shape = GetParam();
    WriteJournal journal;
    Hdf5Sink sink(written_);
    Header header = numbers(1, shape.signals);
    if (shape.with_text) header.signals.push_back({"note", Type::String, "", "", true, ""});
    sink.begin(header);
    std::vector<std::pair<std::size_t, std::size_t>> flushed{{journal.changes.size(), 0}};
    for (std::size_t i = 0; i < shape.rows; ++i) {
      Columns row = count_row(i, shape.signals);
      if (shape.with_text) row.column<std::string>() = {text_of(i)};
      sink.write(static_cast<double>(i), row);
      if (i % flush_every != 0) continue;
      sink.flush();
      flushed.emplace_back(journal.changes.size(), i + 1);
    }
    sink.end();
    flushed.emplace_back(journal.changes.size(), shape.rows);
    changes = std::move(journal.changes);
    return flushed;
  }

  // Returns the number of rows in the file and checks that all are complete.
  [[nodiscard]] std::size_t rows_read() const {
    const Result result = read_hdf5_result(replayed_);
    for (std::size_t i = 0; i < result.rows(); ++i)
      if (result.time[i] != static_cast<double>(i)) return i;
    for (const auto& t : result.trajectories)
      for (std::size_t i = 0; i < result.rows(); ++i)
        if (t.is_text() ? t.texts[i] != text_of(i) : t.numbers[i] != static_cast<double>(i)) return i;
    return result.rows();
  }

  fs::path folder_, written_, replayed_;
};
INSTANTIATE_TEST_SUITE_P(Every, Hdf5Writes, testing::ValuesIn(shapes),
                         [](const auto& shape) { return std::string(shape.param.name); });

void apply(const fs::path& file, const FileChange& change) {
  if (change.bytes.empty()) {
    fs::resize_file(file, change.at);
    return;
  }
  std::fstream to(file, std::ios::in | std::ios::out | std::ios::binary);
  to.seekp(static_cast<std::streamoff>(change.at));
  to.write(change.bytes.data(), static_cast<std::streamsize>(change.bytes.size()));
}

TEST_P(Hdf5Writes, LeaveAReadableFileOneByOne) {
  std::vector<FileChange> changes;
  const auto flushed = write(changes);
  std::ofstream(replayed_).close();
  std::size_t next = 0;
  for (std::size_t done = 0; done <= changes.size(); ++done) {
    if (done > 0) apply(replayed_, changes[done - 1]);
    while (next < flushed.size() && flushed[next].first <= done) ++next;
    if (next == 0) continue;  // the file is still being created
    ASSERT_GE(rows_read(), flushed[next - 1].second) << "after " << done << " of " << changes.size() << " writes";
  }
  EXPECT_EQ(rows_read(), GetParam().rows);
}

}  // namespace
}  // namespace consort::record::hdf5_writes_test
