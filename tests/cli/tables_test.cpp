// Tables of signals over time as elements of systems, in every file that carries a system.
#include <algorithm>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.hpp"
#include "program.hpp"
#include "record/formats.hpp"

namespace consort::cli_tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A unit that is driven by a table in the system and by another one in a nested system. Both files have the same name.
class Tables : public ::testing::Test {
 protected:
  Tables() {
    for (const char* const folder : {"one", "two"}) fs::create_directories(desk.folder() / folder);
    fs::copy(fmu("fmi3/Feedthrough.fmu"), desk.folder() / "feed.fmu");
    desk.write("one/signals.csv", "time,level,mode\n0,0,1\n0.5,5,1\n0.5,5,3\n1,10,3\n");
    desk.write("two/signals.csv", "time,width\n0,100\n1,200\n");
    desk.write("road.csv", "time,road\n0,7\n1,8\n");
    desk.write("driven.yaml",
               "consort: 1\nname: driven\nunits:\n  feed: feed.fmu\n"
               "  sensors: {table: one/signals.csv, connectors: {level: cm, mode: {type: Int32}}}\n"
               "  inner:\n    units: {more: {table: two/signals.csv}}\n    outputs: [w]\n"
               "    connections: [more.width -> w]\n"
               "inputs: [road]\n"
               "connections:\n  - sensors.level -> feed.float64_in * 2\n  - sensors.mode -> feed.int32_in\n"
               "  - {from: inner.w, to: \"feed.vector_in[1]\"}\n  - road -> feed.float64_discrete_in\n"
               "experiment: {stop: 1, step: 0.1}\nrun: {input_file: road.csv}\n");
  }
  Ended run_ok(std::vector<std::string> arguments) const {
    auto ended = desk.run(std::move(arguments));
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(desk.left_behind(), IsEmpty());
    return ended;
  }
  [[nodiscard]] record::Result result(const std::string& file) const {
    return record::read_result(desk.folder() / file);
  }
  void expect_same_rows(const std::string& one, const std::string& other) const {
    const auto a = result(one), b = result(other);
    ASSERT_GT(a.rows(), 10U);
    EXPECT_EQ(a.time, b.time);
    ASSERT_EQ(a.trajectories.size(), b.trajectories.size());
    for (const auto& trajectory : a.trajectories)
      EXPECT_EQ(trajectory.numbers, b[trajectory.signal.name].numbers) << trajectory.signal.name;
  }
  // Other numbers in the places of the tables.
  void replace_tables() const {
    desk.write("one/signals.csv", "time,level,mode\n0,1,2\n1,3,2\n");
    desk.write("two/signals.csv", "time,width\n0,1\n1,2\n");
    desk.write("road.csv", "time,road\n0,-7\n1,-8\n");
  }
  void remove_tables() const {
    for (const char* const name : {"one", "two", "road.csv"}) fs::remove_all(desk.folder() / name);
  }
  Desk desk;
};

TEST_F(Tables, DriveUnitsInUnitsOfMeasureAndTypesOfTheirConnectors) {
  run_ok({"run", "driven.yaml", "-q"});
  const auto rows = result("driven.h5");
  const auto& level = rows["feed.float64_out"].numbers;
  const auto& mode = rows["feed.int32_out"].numbers;
  const auto& width = rows["feed.vector_out[1]"].numbers;
  ASSERT_GE(rows.rows(), 11U);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double t = rows.time[i];
    // Held inputs are up to a step of 0.1 s old: 20/s and 100/s.
    EXPECT_NEAR(level[i], 20 * t, 2.01) << t;
    EXPECT_NEAR(width[i], 100 + 100 * t, 10.01) << t;
    if (t < 0.45 || t > 0.65) {
      EXPECT_EQ(mode[i], t < 0.5 ? 1 : 3) << t;
    }
  }
  const auto shown = run_ok({"info", "driven.yaml"}).out;
  EXPECT_THAT(shown, AllOf(HasSubstr("sensors"), HasSubstr("signals.csv")));
}

TEST_F(Tables, AreCheckedWithTheirRows) {
  run_ok({"check", "driven.yaml", "--strict"});
  desk.write("two/signals.csv", "time,width\n0,1\n1\n");
  run_ok({"info", "driven.yaml"});  // needs the columns only
  const auto ended = desk.run({"check", "driven.yaml"});
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.out, AllOf(HasSubstr("driven.yaml:7"), HasSubstr("signals.csv, line 3: only 1 cells")));
}

TEST_F(Tables, MustHaveTheColumnsThatTheirConnectorsName) {
  desk.write("one/signals.csv", "time,levle,mode\n0,0,1\n");
  const auto ended = desk.run({"run", "driven.yaml"});
  expect_one_paragraph(ended, 2);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("driven.yaml:5:"), HasSubstr("has no column 'level'"), HasSubstr("'levle'")));
}

// --- packages

TEST_F(Tables, KeepTheirNumbersInPackages) {
  run_ok({"run", "driven.yaml", "-q"});
  for (const char* const version : {"1.0", "2.0"}) {
    run_ok({"convert", "driven.yaml", "driven.ssp", "--ssp-version", version});
    fs::create_directories(desk.folder() / "away");
    fs::rename(desk.folder() / "driven.ssp", desk.folder() / "away/driven.ssp");
    run_ok({"check", "away/driven.ssp", "--strict"});
    run_ok({"run", "away/driven.ssp", "-q", "-o", "packed.h5"});
    expect_same_rows("driven.h5", "packed.h5");
  }
  run_ok({"convert", "away/driven.ssp", "back.yaml"});
  fs::remove_all(desk.folder() / "away");
  remove_tables();
  run_ok({"run", "back.yaml", "-q"});
  expect_same_rows("driven.h5", "back.h5");
}

TEST_F(Tables, OfOneNameStayApartInPackagesAndFolders) {
  desk.write("two/road.csv", desk.read("two/signals.csv"));
  desk.write("driven.yaml", [&] {
    auto text = desk.read("driven.yaml");
    return text.replace(text.find("two/signals"), 11, "two/road");
  }());
  run_ok({"run", "driven.yaml", "-q"});
  run_ok({"convert", "driven.yaml", "driven.ssp"});
  run_ok({"convert", "driven.ssp", "back.yaml"});
  remove_tables();
  run_ok({"run", "driven.ssp", "-q", "-o", "packed.h5"});
  expect_same_rows("driven.h5", "packed.h5");
  run_ok({"run", "back.yaml", "-q"});
  expect_same_rows("driven.h5", "back.h5");
}

// --- results

TEST_F(Tables, ArePartOfAResult) {
  run_ok({"run", "driven.yaml", "-q"});
  replace_tables();
  run_ok({"run", "driven.h5", "-q"});
  expect_same_rows("driven.h5", "driven_again.h5");
  fs::remove(desk.folder() / "driven.yaml");
  remove_tables();
  run_ok({"run", "driven.h5", "-q"});
  expect_same_rows("driven.h5", "driven_again.h5");
  run_ok({"convert", "driven.h5", "back.yaml"});
  run_ok({"run", "back.yaml", "-q"});
  expect_same_rows("driven.h5", "back.h5");
}

TEST_F(Tables, OfAPackageArePartOfItsResult) {
  run_ok({"convert", "driven.yaml", "driven.ssp"});
  remove_tables();
  run_ok({"run", "driven.ssp", "-q"});
  const auto facts = result("driven.h5").facts;
  for (const auto& fact : facts) EXPECT_THAT(fact.name + fact.value, Not(HasSubstr(desk.temp().string())));
  run_ok({"run", "driven.h5", "-q"});
  expect_same_rows("driven.h5", "driven_again.h5");
  run_ok({"convert", "driven.h5", "back.yaml"});
  fs::remove(desk.folder() / "driven.ssp");
  run_ok({"run", "back.yaml", "-q"});
  expect_same_rows("driven.h5", "back.h5");
}

TEST_F(Tables, ThatAreTooLargeForAResultAreIdentifiedByTheirChecksum) {
  const std::string blanks(17U << 20, ' ');
  desk.write("two/signals.csv", "time,width\n0,100\n1," + blanks + "200\n");
  run_ok({"run", "driven.yaml", "-q"});
  run_ok({"run", "driven.h5", "-q"});
  expect_same_rows("driven.h5", "driven_again.h5");
  desk.write("two/signals.csv", "time,width\n0,100\n1,200\n");
  const auto ended = desk.run({"run", "driven.h5"});
  expect_one_paragraph(ended, 2);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("'two/signals.csv' is not the file that the run read")));
}

// Writes a text to a pipe as soon as a program reads it.
class Pipe {
 public:
  Pipe(const fs::path& file, const std::string& text) : file_(file) {
    if (::mkfifo(file.c_str(), 0600) != 0) ADD_FAILURE() << "no pipe";
    writer_ = std::thread([file, text] { std::ofstream(file) << text; });
  }
  ~Pipe() {
    const int end = ::open(file_.c_str(), O_RDONLY | O_NONBLOCK);  // releases a writer without a reader
    writer_.join();
    ::close(end);
    fs::remove(file_);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

 private:
  fs::path file_;
  std::thread writer_;
};

TEST_F(Tables, MayComeFromAPipeAndArePartOfTheResultAllTheSame) {
  run_ok({"run", "driven.yaml", "-q"});
  {
    const Pipe pipe(desk.folder() / "pipe", desk.read("road.csv"));
    run_ok({"run", "driven.yaml", "-q", "--input-file", "pipe", "-o", "piped.h5"});
  }
  remove_tables();
  run_ok({"run", "piped.h5", "-q"});
  expect_same_rows("driven.h5", "piped_again.h5");
}

TEST_F(Tables, FromAPipeAreIdentifiedByTheTextThatWasRead) {
  const std::string text = "time,float64_in\n0,0\n1,3\n";
  {
    const Pipe pipe(desk.folder() / "pipe", text);
    run_ok({"simulate", "feed.fmu", "-q", "--stop-time", "1", "--input-file", "pipe", "-o", "piped.h5"});
  }
  const auto facts = result("piped.h5").facts;
  const auto found = std::find_if(facts.begin(), facts.end(), [](auto& f) { return f.name == "sha256 of pipe.csv"; });
  ASSERT_NE(found, facts.end());
  EXPECT_EQ(found->value, sha256_of(text));
}

TEST_F(Tables, ThatAreElementsCannotComeFromAPipe) {
  fs::remove(desk.folder() / "two/signals.csv");
  const Pipe pipe(desk.folder() / "two/signals.csv", "time,width\n0,1\n");
  const auto ended = desk.run({"run", "driven.yaml"});
  expect_one_paragraph(ended, 2);
  EXPECT_THAT(ended.err, HasSubstr("is not a regular file"));
}

TEST_F(Tables, AreNotReplacedByAResult) {
  const auto ended = desk.run({"run", "driven.yaml", "-o", "two/signals.csv"});
  expect_one_paragraph(ended, 2);
  EXPECT_THAT(ended.err, HasSubstr("is read by this run"));
}

}  // namespace
}  // namespace consort::cli_tests
