#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "base/tests/places.hpp"
#include "yaml/reader.hpp"
#include "yaml/reader_parts.hpp"

namespace consort::yaml::reader_errors_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(parse_system(text, "s.yaml"));
  } catch (const Error& e) {
    EXPECT_EQ(e.fault(), Fault::input);
    return e.what();
  }
  ADD_FAILURE() << "read without an error:\n" << text;
  return {};
}

struct BadCase {
  const char* body;   // after "consort: 1\nunits: {a: a.fmu, b: b.fmu}\n", from line 3
  const char* place;  // "3:5"
  const char* text;   // part of the message
};
class YamlError : public testing::TestWithParam<BadCase> {};

TEST_P(YamlError, HasThePlaceAndSaysWhatIsExpected) {
  const auto& c = GetParam();
  const auto error = error_of(std::string("consort: 1\nunits: {a: a.fmu, b: b.fmu}\n") + c.body + "\n");
  EXPECT_THAT(error, StartsWith("s.yaml:" + std::string(c.place) + ": ")) << c.body;
  EXPECT_THAT(error, HasSubstr(c.text)) << c.body;
}

INSTANTIATE_TEST_SUITE_P(Keys, YamlError,
                         testing::Values(BadCase{"conections: []", "3:1", "did you mean 'connections'"},
                                         BadCase{"run: {steper: jacobi}", "3:7", "did you mean 'stepper'"},
                                         BadCase{"connections: [{form: a.y, to: b.u}]", "3:16", "did you mean 'from'"},
                                         BadCase{"connections: [{to: b.u}]", "3:15", "needs the key 'from'"},
                                         BadCase{"set: [1]", "3:6", "must be a mapping"},
                                         BadCase{"connections: {a: b}", "3:14", "must be a list"},
                                         BadCase{"run: 3", "3:6", "must be a mapping"},
                                         BadCase{"name: [a]", "3:7", "must be a text"},
                                         BadCase{"name: ''", "3:7", "must not be empty"},
                                         BadCase{"name: a\nname: b", "4:1", "given twice"}));

INSTANTIATE_TEST_SUITE_P(
    Connections, YamlError,
    testing::Values(BadCase{"connections: [a.y = b.u]", "3:15", "FROM.OUTPUT -> TO.INPUT"},
                    BadCase{"connections:\n  - a.y ->", "4:5", "goes from one output to one input"},
                    BadCase{"connections: [a.y -> b.u -> c.u]", "3:15", "goes from one output to one input"},
                    BadCase{"connections: [a.y -> bb.u]", "3:15", "did you mean 'b'"},
                    BadCase{"connections: [sped -> b.u]\ninputs: [speed]", "3:15", "did you mean 'speed'"},
                    BadCase{"connections: [a.y -> speed]\ninputs: [speed]", "3:15", "is an input of the system"},
                    BadCase{"connections: [force -> a.u]\noutputs: [force]", "3:15", "is an output of the system"},
                    BadCase{"connections: [{from: a.y, to: b.u, map: {}}]", "3:41", "no entries"},
                    BadCase{"connections: [{from: a.y, to: b.u, map: {1: 2}, factor: 2}]", "3:41", "either"},
                    BadCase{"connections: [{from: a.y, to: b.u, factor: two}]", "3:44", "must be a number, not 'two'"},
                    BadCase{"connections: [{from: a.y, to: b.u, convert_units: 1}]", "3:51", "true or false"},
                    BadCase{"inputs: [x]\noutputs: [x]", "4:11", "another connector 'x'"},
                    BadCase{"inputs: {x: {type: Real}}", "3:20", "there is no type 'Real'"},
                    BadCase{"inputs: {x: {causality: input}}", "3:25", "remove the key"}));

INSTANTIATE_TEST_SUITE_P(Values, YamlError,
                         testing::Values(BadCase{"set: {a.k: }", "3:12", "is missing"},
                                         BadCase{"set: {a.k: {valeu: 3}}", "3:13", "did you mean"},
                                         BadCase{"set: {a.k: {value: }}", "3:20", "must be a value"},
                                         BadCase{"set: {a.k: [{x: 1}]}", "3:13", "must be a list"},
                                         BadCase{"units_of_measure: {x: {kg: 1.5}}", "3:28", "whole number"},
                                         BadCase{"units_of_measure: {x: {kg: 1, factor: 0}}", "3:39",
                                                 "greater than 0"}));

INSTANTIATE_TEST_SUITE_P(
    Run, YamlError,
    testing::Values(BadCase{"experiment: {step: 0}", "3:20", "must be > 0, got"},
                    BadCase{"experiment: {step: -1 ms}", "3:20", "must be > 0, got"},
                    BadCase{"experiment: {step: fast}", "3:20", "a time in seconds"},
                    BadCase{"experiment: {step: 1 year}", "3:20", "a time in seconds"},
                    BadCase{"experiment: {stop: .inf}", "3:20", "a time in seconds"},
                    BadCase{"experiment: {stop: '1'}", "3:20", "a time in seconds"},
                    BadCase{"experiment: {start: 5, stop: 2}", "3:30", "before the start time 5"},
                    BadCase{"run: {extrapolation: 6}", "3:22", "a name or 0 to 5"},
                    BadCase{"run: {extrapolation: 1.5}", "3:22", "a name or 0 to 5"},
                    BadCase{"run: {iteration: {most: 3}}", "3:19", "'max_iterations' now"},
                    BadCase{"run: {threads: 0}", "3:16", "got 0"}, BadCase{"run: {threads: two}", "3:16", "not 'two'"},
                    BadCase{"run: {schedule: [a, {serial: [b], parallel: [a]}]}", "3:21", "either serial or parallel"},
                    BadCase{"run: {schedule: [{serial: []}]}", "3:27", "empty"},
                    BadCase{"run: {schedule: [[a, b]]}", "3:18", "a member of a group"},
                    BadCase{"run: {consistent: maybe}", "3:19", "auto, always, never"},
                    BadCase{"run: {loops: {tolerance: 0}}", "3:26", "must be > 0, got"},
                    BadCase{"run: {iteration: {tolerance: -1}}", "3:30", "must be > 0, got"},
                    BadCase{"run: {iteration: {methode: aitken}}", "3:19", "method"},
                    BadCase{"run: {iteration: {scope: all}}", "3:26", "components"},
                    BadCase{"run: {control: {tolerance: 0}}", "3:28", "must be > 0, got"},
                    BadCase{"run: {control: {rule: pid}}", "3:23", "elementary"},
                    BadCase{"record: {compression: 10}", "3:23", "0 to 9, got 10"},
                    BadCase{"record: {every: 0}", "3:17", "got 0"},
                    BadCase{"record: {variables: {}}", "3:21", "a list"}));

INSTANTIATE_TEST_SUITE_P(
    Scenario, YamlError,
    testing::Values(BadCase{"scenario:\n  - {set: a.z, to: 1}", "4:5", "needs the key 'at'"},
                    BadCase{"scenario: [{at: 1}]", "3:12", "one of set, hold, ramp and release"},
                    BadCase{"scenario: [{at: 1, set: a.z, hold: a.z, to: 1}]", "3:12", "one of set"},
                    BadCase{"scenario: [{at: 1, set: a.z}]", "3:12", "needs 'to: VALUE'"},
                    BadCase{"scenario: [{at: 1, hold: a.z, to: 1}]", "3:12", "takes no 'to: VALUE'"},
                    BadCase{"scenario: [{at: 1, ramp: a.z, to: 1}]", "3:12", "within"},
                    BadCase{"scenario: [{at: 1, set: a.z, to: 1, within: 2}]", "3:12", "belongs to a ramp"},
                    BadCase{"scenario: [{at: 1, ramp: a.z, to: 1, within: 0}]", "3:46", "greater than 0"}));

TEST(YamlErrors, NameTheSettingThatIsWrong) {
  const auto setting_of = [](const std::string& section) {
    try {
      static_cast<void>(parse_system("consort: 1\nunits: {a: a.fmu}\n" + section + "\n", "s.yaml"));
    } catch (const Error& error) {
      return error.setting();
    }
    return std::string("no error");
  };
  EXPECT_EQ(setting_of("run: {iteration: {reuse: -1}}"), "iteration.reuse");
  EXPECT_EQ(setting_of("run: {iteration: {reuses: 1}}"), "iteration.reuses");
  EXPECT_EQ(setting_of("run: {threads: 0}"), "threads");
  EXPECT_EQ(setting_of("run: {schedule: [[a]]}"), "schedule");
  EXPECT_EQ(setting_of("experiment: {step: 0}"), "experiment.step");
  EXPECT_EQ(setting_of("record: {every: 0}"), "record.every");
  EXPECT_EQ(setting_of("connections: [{from: a.x}]"), "") << "a key that is not a setting";
}

TEST(YamlErrors, AFileWithoutVersionOrUnitsIsNoSystem) {
  EXPECT_THAT(error_of("units: {a: a.fmu}\n"), AllOf(StartsWith("s.yaml:1:1: "), HasSubstr("consort: 1")));
  EXPECT_THAT(error_of("consort: 2\nunits: {}\n"), StartsWith("s.yaml:1:10: "));
  EXPECT_THAT(error_of("consort: 1\n"), HasSubstr("needs the key 'units'"));
  EXPECT_THAT(error_of("just text\n"), HasSubstr("a system file must be a mapping"));
}

TEST(YamlErrors, AUnitIsOneThing) {
  const auto unit = [](const std::string& text) { return error_of("consort: 1\nunits:\n  a: " + text + "\n"); };
  EXPECT_THAT(unit("{solver: bdf}"), AllOf(StartsWith("s.yaml:3:3: "), HasSubstr("not defined")));
  EXPECT_THAT(unit("{fmu: a.fmu, model: gain}"), HasSubstr("both an FMU and a model"));
  EXPECT_THAT(unit("{python: 'a.py:A', model: gain}"), HasSubstr("defined twice"));
  EXPECT_THAT(unit("{python: a.py}"), HasSubstr("FILE:CLASS"));
  EXPECT_THAT(unit("{fmu: a.fmu, sytem: x.yaml}"), HasSubstr("no key 'sytem'"));
  EXPECT_THAT(unit("{system: x.yaml, fmu: a.fmu}"), HasSubstr("a system from another file has no key 'fmu'"));
  EXPECT_THAT(unit("{units: {}, run: {}}"), HasSubstr("no key 'run'"));
  EXPECT_THAT(unit("{fmu: a.fmu, interface: both}"), AllOf(StartsWith("s.yaml:3:30: "), HasSubstr("cs, me")));
  EXPECT_THAT(unit("{fmu: a.fmu, substeps: 0}"), HasSubstr("from 1 to"));
  EXPECT_THAT(unit("[a.fmu]"), HasSubstr("must be a mapping"));
  EXPECT_THAT(unit(""), HasSubstr("not defined"));
  EXPECT_THAT(error_of("consort: 1\nunits: {.a: a.fmu}\n"), HasSubstr("dot"));
}

// --- files

class YamlFiles : public testing::Test {
 protected:
  YamlFiles()
      : folder_(std::filesystem::path(places::scratch()) / "yaml_files" /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::create_directories(folder_);
  }
  ~YamlFiles() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  std::string read_error(const std::filesystem::path& file) {
    try {
      static_cast<void>(read_system(file));
    } catch (const Error& e) {
      return e.what();
    }
    ADD_FAILURE() << "read without an error";
    return {};
  }
  std::filesystem::path folder_;
};

TEST_F(YamlFiles, ASystemThatContainsItselfIsAnErrorThatNamesTheWay) {
  const auto file = write("a.yaml", "consort: 1\nunits: {b: b.yaml}\n");
  write("b.yaml", "consort: 1\nunits:\n  c: {system: sub/../a.yaml}\n");
  const auto error = read_error(file);
  EXPECT_THAT(error, StartsWith((folder_ / "b.yaml").string() + ":3:15: "));
  EXPECT_THAT(error, HasSubstr("a.yaml → b.yaml → a.yaml"));
}

TEST_F(YamlFiles, AFileThatIsMissingIsReportedWhereItIsAskedFor) {
  const auto file = write("a.yaml", "consort: 1\nunits:\n  b: nowhere.yaml\n");
  EXPECT_THAT(read_error(file), AllOf(StartsWith(file.string() + ":3:6: "), HasSubstr("nowhere.yaml")));
  EXPECT_THAT(read_error(folder_ / "missing.yaml"), HasSubstr("missing.yaml"));
}

TEST_F(YamlFiles, AnErrorInAFileHasThePlaceInThatFile) {
  const auto file = write("a.yaml", "consort: 1\nunits: {b: b.yaml}\n");
  write("b.yaml", "consort: 1\nunits: {c: c.fmu}\nste: {c.k: 1}\n");
  EXPECT_THAT(read_error(file), AllOf(StartsWith((folder_ / "b.yaml").string() + ":3:1: "), HasSubstr("'set'")));
}

TEST_F(YamlFiles, FilesThatMultiplyAreBounded) {
  // Each file includes the next one twice, so that the last one is included 2^24 times.
  const Load load = [](const std::filesystem::path& file) {
    const int i = std::stoi(file.stem().string());
    const auto next = std::to_string(i + 1) + ".yaml";
    return i < 24 ? "consort: 1\nunits: {a: " + next + ", b: " + next + "}\n" : "consort: 1\nunits: {a: a.fmu}\n";
  };
  const Header header = read_csv_header;
  Context context{load, header, {}, {}, nullptr};
  context.budget.nodes = 20'000;
  try {
    static_cast<void>(read_file_of_system(load("0.yaml"), "0.yaml", context, nullptr));
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("more values than allowed"));
  }
}

TEST_F(YamlFiles, FilesInFilesAreBounded) {
  for (int i = 0; i < 40; ++i)
    write("f" + std::to_string(i) + ".yaml", "consort: 1\nunits: {a: f" + std::to_string(i + 1) + ".yaml}\n");
  EXPECT_THAT(read_error(folder_ / "f0.yaml"), HasSubstr("nested more than"));
}

}  // namespace
}  // namespace consort::yaml::reader_errors_test
