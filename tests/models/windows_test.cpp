// FMUs with binaries for Windows, without running them: what the archives and the DLLs contain.
#include <filesystem>
#include <set>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/places.hpp"
#include "base/text.hpp"
#include "tests/models/helpers.hpp"

namespace consort::windows_fmus_test {
namespace {

namespace fs = std::filesystem;
using models_test::Output;
using models_test::run;
using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::StartsWith;

using Names = std::set<std::string>;

class WindowsFmus : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    for (const std::string program : {CONSORT_WINDOWS_COMPILER, CONSORT_WINDOWS_OBJDUMP}) {
      if (program.find("NOTFOUND") != std::string::npos) {
        GTEST_SKIP() << "the compiler for Windows is missing, package g++-mingw-w64-x86-64: " << program;
      }
    }
  }
  static std::string folder() { return GetParam(); }
  static std::string linux_folder() { return folder() == "fmi3" ? "x86_64-linux" : "linux64"; }
  static std::string windows_folder() { return folder() == "fmi3" ? "x86_64-windows" : "win64"; }
  static fs::path dll(const fmi::Fmu& fmu, const std::string& name) {
    return fmu.folder() / "binaries" / windows_folder() / (name + ".dll");
  }
  // Calls `test(name, FMU for both platforms, FMU for Windows alone)` for all models.
  template <class Test>
  static void for_each(Test&& test) {
    int count = 0;
    for (const auto& entry : fs::directory_iterator(fs::path(places::fmus()) / "win64" / folder())) {
      const std::string name = entry.path().stem().string();
      SCOPED_TRACE(entry.path());
      test(name, models_test::open(name, folder()), fmi::Fmu::open(entry.path()));
      ++count;
    }
    EXPECT_GE(count, 8);
  }
};

Names entries(const fs::path& folder) {
  Names names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

// The functions with this prefix that the Linux binary exports.
Names exports_of_so(const fs::path& file, const std::string& prefix) {
  const Output output = run("nm -D --defined-only --format=posix '" + file.string() + "'");
  EXPECT_EQ(output.status, 0) << output.text;
  Names names;
  std::istringstream lines(output.text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(prefix)) names.insert(line.substr(0, line.find(' ')));
  }
  return names;
}

struct Tables {
  Names exports;
  Names imported_dlls;
};

// Reads what objdump prints. The names of functions are the last words of the lines "[   0] …" below the title of their
// table, which ends with an empty line: "[   0] fmi2CancelStep" in Debian 12; a line with the titles of columns and
// "[   0] +base[   1]  0000 fmi2CancelStep" in Debian 13.
Tables read_tables(const std::string& text) {
  Tables tables;
  bool in_names = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto words = split_white(line);
    if (const auto at = line.find("DLL Name: "); at != std::string::npos)
      tables.imported_dlls.insert(line.substr(at + 10));
    if (line.find("Name Pointer] Table") != std::string::npos) {
      in_names = true;
    } else if (words.empty()) {
      in_names = false;
    } else if (in_names && words.front().starts_with('[')) {
      tables.exports.emplace(words.back());
    }
  }
  return tables;
}

Tables tables_of_dll(const fs::path& file) {
  const Output output = run(std::string(CONSORT_WINDOWS_OBJDUMP) + " -p '" + file.string() + "'");
  EXPECT_EQ(output.status, 0) << output.text;
  return read_tables(output.text);
}

TEST(TablesOfADll, AreReadAsBothReleasesOfDebianPrintThem) {
  const std::string imports = "The Import Tables\n\tDLL Name: KERNEL32.dll\n\tvma:  Hint/Ord Member-Name Bound-To\n\n";
  const std::string next = "\nThe Function Table\n [vma: 00000000:\t0\n";
  const Tables debian12 = read_tables(imports + "[Ordinal/Name Pointer] Table\n\t[   0] one\n\t[   1] two\n" + next);
  const Tables debian13 =
      read_tables(imports +
                  "[Ordinal/Name Pointer] Table -- Ordinal Base 1\n\t          Ordinal   Hint Name\n"
                  "\t[   0] +base[   1]  0000 one\n\t[   1] +base[   2]  0001 two\n" +
                  next);
  for (const Tables& tables : {debian12, debian13}) {
    EXPECT_THAT(tables.exports, ElementsAre("one", "two"));
    EXPECT_THAT(tables.imported_dlls, ElementsAre("KERNEL32.dll"));
  }
}

TEST_P(WindowsFmus, ContainTheBinariesThatWereAskedFor) {
  for_each([](const std::string& name, const fmi::Fmu& both, const fmi::Fmu& alone) {
    EXPECT_THAT(entries(both.folder() / "binaries"), testing::UnorderedElementsAre(linux_folder(), windows_folder()));
    EXPECT_THAT(entries(alone.folder() / "binaries"), ElementsAre(windows_folder()));
    for (const fmi::Fmu* fmu : {&both, &alone}) {
      EXPECT_THAT(entries(fmu->folder() / "binaries" / windows_folder()), ElementsAre(name + ".dll"));
    }
    EXPECT_EQ(fs::exists(both.folder() / "resources"), fs::exists(alone.folder() / "resources"));
    for (const char* const file : {"modelDescription.xml", "resources/answer.txt"}) {
      if (fs::exists(both.folder() / file)) {
        EXPECT_EQ(read_file(both.folder() / file), read_file(alone.folder() / file));
      }
    }
    EXPECT_EQ(read_file(dll(both, name)), read_file(dll(alone, name)));
  });
}

TEST_P(WindowsFmus, ExportTheFunctionsOfTheStandardAndNothingElse) {
  for_each([](const std::string& name, const fmi::Fmu& both, const fmi::Fmu& alone) {
    const std::string prefix = folder().starts_with("fmi1") ? name + "_fmi" : folder();
    const Names expected = exports_of_so(both.folder() / "binaries" / linux_folder() / (name + ".so"), prefix);
    EXPECT_THAT(expected, Contains(prefix + "GetVersion"));
    EXPECT_EQ(tables_of_dll(dll(alone, name)).exports, expected);
  });
}

TEST_P(WindowsFmus, NeedOnlyWhatWindowsHas) {
  for_each([](const std::string& name, const fmi::Fmu&, const fmi::Fmu& alone) {
    const Names dlls = tables_of_dll(dll(alone, name)).imported_dlls;
    EXPECT_THAT(dlls, Contains("KERNEL32.dll"));
    EXPECT_THAT(dlls,
                testing::Each(AnyOf("KERNEL32.dll", "msvcrt.dll", "ucrtbase.dll", StartsWith("api-ms-win-crt-"))));
  });
}

INSTANTIATE_TEST_SUITE_P(Versions, WindowsFmus, testing::Values("fmi1/cs", "fmi1/me", "fmi2", "fmi3"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::erase(name, '/');
                           return name;
                         });

}  // namespace
}  // namespace consort::windows_fmus_test
