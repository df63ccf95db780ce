// Results that say where they come from: info, and run again.
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"
#include "record/formats.hpp"

namespace consort::cli_tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A decay and a road profile that drive a unit in a nested system, with values from everywhere.
class Again : public ::testing::Test {
 protected:
  Again() {
    fs::create_directories(desk.folder() / "models");
    fs::copy(fmu("fmi2/Dahlquist.fmu"), desk.folder() / "models/decay.fmu");
    fs::copy(fmu("fmi3/Feedthrough.fmu"), desk.folder() / "models/feed.fmu");
    desk.write("pair.yaml",
               "consort: 1\nname: pair\nunits:\n  source: {fmu: models/decay.fmu, start: {k: 2}}\n"
               "  box:\n    units: {feed: models/feed.fmu}\n    inputs: [u, v]\n"
               "    connections: [u -> feed.float64_in, v -> feed.float64_discrete_in]\n"
               "inputs: {road: m}\n"
               "connections:\n  - {from: source.x, to: box.u, factor: 2, offset: 1}\n  - road -> box.v\n"
               "set: {box.feed.fixed_parameter: 7}\nexperiment: {stop: 1, step: 10 ms}\n"
               "run: {stepper: gauss-seidel, input_file: road.csv}\n");
    desk.write("road.csv", "time,road\n0,0\n0.5,0.1\n1,10\n");
    desk.write("values.csv", "name,value,unit\nsource.k,1.25,1/s\n");
  }
  Ended run_ok(std::vector<std::string> arguments) const {
    auto ended = desk.run(std::move(arguments));
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(desk.left_behind(), IsEmpty());
    return ended;
  }
  void record(const std::string& file) const {
    run_ok({"run", "pair.yaml", "--parameters", "values.csv", "--set", "box.feed.tunable_parameter=-0.1", "--setting",
            "record.every=3", "-q", "-o", file});
  }
  void expect_same_rows(const std::string& one, const std::string& other) const {
    const auto a = record::read_result(desk.folder() / one), b = record::read_result(desk.folder() / other);
    ASSERT_GT(a.rows(), 30U);
    EXPECT_EQ(a.time, b.time);
    ASSERT_EQ(a.trajectories.size(), b.trajectories.size());
    for (std::size_t i = 0; i < a.trajectories.size(); ++i) {
      EXPECT_EQ(a.trajectories[i].signal.name, b.trajectories[i].signal.name);
      EXPECT_EQ(a.trajectories[i].numbers, b.trajectories[i].numbers) << a.trajectories[i].signal.name;
    }
  }
  Desk desk;
};

TEST_F(Again, AResultRepeatsItsRunBitForBitWithoutTheFilesThatDescribedIt) {
  record("pair.h5");
  for (const char* const file : {"pair.yaml", "values.csv", "road.csv"}) fs::remove(desk.folder() / file);
  const auto ended = run_ok({"run", "pair.h5"});
  EXPECT_THAT(ended.err, HasSubstr("wrote pair_again.h5"));
  expect_same_rows("pair.h5", "pair_again.h5");
  run_ok({"run", "pair_again.h5", "-q", "-o", "third.h5"});
  expect_same_rows("pair.h5", "third.h5");
}

TEST_F(Again, AResultOfAPackageNamesFilesInIt) {
  run_ok({"convert", "pair.yaml", "pair.ssp"});
  run_ok({"run", "pair.ssp", "-q", "-o", "packed.h5"});
  for (const char* const file : {"pair.yaml", "road.csv"}) fs::remove(desk.folder() / file);
  fs::remove_all(desk.folder() / "models");
  run_ok({"run", "packed.h5", "-q"});
  expect_same_rows("packed.h5", "packed_again.h5");
  EXPECT_THAT(run_ok({"info", "packed.h5"}).out, HasSubstr("pair.ssp/resources/"));
}

TEST_F(Again, ARepeatedRunTakesOptions) {
  record("pair.h5");
  run_ok({"run", "pair.h5", "-q", "--set", "source.k=3", "-o", "other.h5"});
  EXPECT_LT(record::read_result(desk.folder() / "other.h5")["source.x"].numbers.back(),
            record::read_result(desk.folder() / "pair.h5")["source.x"].numbers.back());
}

TEST_F(Again, AResultIsNotReplacedByItsOwnRepetition) {
  record("pair.h5");
  const auto ended = desk.run({"run", "pair.h5", "-o", "pair.h5"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("is read by this run"));
}

TEST_F(Again, FilesAreFoundAfterAMoveOfTheFolderAndBesideTheResult) {
  record("pair.h5");
  fs::create_directories(desk.folder() / "away");
  fs::rename(desk.folder() / "models", desk.folder() / "away/models");
  fs::rename(desk.folder() / "pair.h5", desk.folder() / "away/pair.h5");
  run_ok({"run", "away/pair.h5", "-q"});
  expect_same_rows("away/pair.h5", "pair_again.h5");
  fs::rename(desk.folder() / "away/models/decay.fmu", desk.folder() / "away/decay.fmu");
  run_ok({"run", "away/pair.h5", "-q"});
  fs::remove(desk.folder() / "away/decay.fmu");
  const auto missing = desk.run({"run", "away/pair.h5"});
  expect_one_paragraph(missing, 2);
  EXPECT_THAT(missing.err, AllOf(HasSubstr("'models/decay.fmu'"), HasSubstr("beside the result")));
}

TEST_F(Again, AChangedFileIsRefusedUnlessAllowed) {
  record("pair.h5");
  fs::copy(fmu("fmi3/Dahlquist.fmu"), desk.folder() / "models/decay.fmu", fs::copy_options::overwrite_existing);
  const auto refused = desk.run({"run", "pair.h5"});
  expect_one_paragraph(refused, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("'models/decay.fmu'"), HasSubstr("--allow-changed-files")));
  EXPECT_FALSE(desk.has("pair_again.h5"));
  const auto allowed = run_ok({"run", "pair.h5", "--allow-changed-files"});
  EXPECT_THAT(allowed.err, HasSubstr("'models/decay.fmu' is not the file that the run of pair.h5 read"));
}

TEST_F(Again, AnUnpackedFmuIsCheckedByItsFiles) {
  run_ok({"convert", "pair.yaml", "pair.ssp"});
  const std::string folder = (desk.folder() / "models/decay").string();
  fs::create_directories(folder);
  ASSERT_EQ(std::system(("unzip -q " + (desk.folder() / "models/decay.fmu").string() + " -d " + folder).c_str()), 0);
  desk.write("one.yaml",
             "consort: 1\nunits: {a: models/decay, b: models/feed.fmu}\nexperiment: {stop: 1, step: 10 ms}\n");
  run_ok({"run", "one.yaml", "-q"});
  run_ok({"run", "one.h5", "-q"});
  expect_same_rows("one.h5", "one_again.h5");
  desk.write("models/decay/resources.txt", "more");
  EXPECT_EQ(desk.run({"run", "one.h5"}).status, 2);
}

TEST_F(Again, OtherResultsSayWhyTheyCannotBeRepeated) {
  run_ok({"run", "pair.yaml", "-q", "-o", "pair.csv"});
  EXPECT_THAT(desk.run({"run", "pair.csv"}).err, AllOf(HasSubstr("do not carry their system"), HasSubstr(".h5")));
  run_ok({"simulate", "models/decay.fmu", "-q", "--stop-time", "2", "--set", "k= 3", "-o", "one.h5"});
  EXPECT_THAT(desk.run({"run", "one.h5"}).err,
              HasSubstr("consort simulate models/decay.fmu -q --stop-time 2 --set 'k= 3' -o one.h5"));
}

TEST_F(Again, TheSystemOfAResultBecomesAFile) {
  record("pair.h5");
  run_ok({"convert", "pair.h5", "out.yaml"});
  EXPECT_THAT(desk.read("out.yaml"), Not(HasSubstr(desk.folder().string())));
  fs::remove(desk.folder() / "pair.yaml");
  run_ok({"run", "out.yaml", "-q"});
  expect_same_rows("pair.h5", "out.h5");
}

// --- info

TEST_F(Again, InfoOfAResultShowsVariablesAndWhatRan) {
  record("pair.h5");
  const auto shown = run_ok({"info", "pair.h5"}).out;
  EXPECT_THAT(shown,
              AllOf(HasSubstr("consort run pair.yaml --parameters values.csv"), HasSubstr("models/decay.fmu (SHA-256 "),
                    HasSubstr("simulated 0 s to 1 s in 100 steps of 0.01 s (gauss-seidel), 35 rows"),
                    HasSubstr("35, from 0 s to 1 s"), HasSubstr("source.x"), HasSubstr("… 1 ")));
  EXPECT_THAT(shown, Not(HasSubstr(desk.folder().string()))) << "no path of this machine";
  run_ok({"run", "pair.yaml", "-q", "-o", "pair.csv"});
  EXPECT_THAT(run_ok({"info", "pair.csv"}).out, AllOf(HasSubstr("result, CSV"), HasSubstr("source.x")));
}

TEST_F(Again, InfoOfAResultSpeaksJson) {
  record("pair.h5");
  const auto json = nlohmann::json::parse(run_ok({"info", "pair.h5", "--json"}).out);
  EXPECT_EQ(json.at("rows"), 35);
  EXPECT_EQ(json.at("time"), nlohmann::json({0, 1}));
  EXPECT_THAT(json.at("facts").at("program").get<std::string>(), HasSubstr("consort "));
  EXPECT_EQ(json.at("facts").at("sha256 of models/decay.fmu").get<std::string>().size(), 64U);
  EXPECT_EQ(json.at("report").at(0).at("kind"), "headline");
  const auto& x = json.at("variables").at(0);
  EXPECT_EQ(x.at("name"), "source.x");
  EXPECT_EQ(x.at("range").at(1), 1);
  EXPECT_EQ(x.at("not finite"), 0);
}

}  // namespace
}  // namespace consort::cli_tests
