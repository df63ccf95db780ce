// consort new model: errors, and a build of the created project with the installed package, outside of this source
// tree.
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "base/tests/places.hpp"
#include "program.hpp"

namespace consort::cli_tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Runs a shell command and returns its status and output.
std::pair<int, std::string> shell(const std::string& command) {
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {-1, "no pipe"};
  std::string text;
  std::array<char, 4096> buffer;
  while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) text.append(buffer.data(), n);
  const int status = ::pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text};
}

void expect_works(const std::string& command) {
  const auto [status, text] = shell(command);
  ASSERT_EQ(status, 0) << command << "\n" << text;
}

void expect_refused(const Desk& desk, const std::vector<std::string>& arguments, const std::string& part) {
  SCOPED_TRACE(::testing::PrintToString(arguments));
  const auto before = desk.files();
  const auto ended = desk.run(arguments);
  expect_one_paragraph(ended, 2);
  EXPECT_THAT(ended.err, HasSubstr(part));
  EXPECT_EQ(desk.files(), before) << "a stray file";
}

TEST(NewModel, RefusesNamesThatAreNoIdentifiers) {
  const Desk desk;
  for (const char* const name : {"", "1st", "heat pump", "heat-pump", "Wärme", "a/b", "../up", ".", "/tmp/x", "a.b",
                                 "_hidden", "two__bars", "a;b", "$HOME", "a\nb"}) {
    expect_refused(desk, {"new", "model", name}, "cannot be the name of a model");
  }
  for (const char* const name : {"double", "template", "xor"}) {
    expect_refused(desk, {"new", "model", name}, "it is a keyword of C++");
  }
  expect_refused(desk, {"new", "model", std::string(61, 'a')}, "at most 60 characters");
}

TEST(NewModel, LeavesWhatIsThereAlone) {
  const Desk desk;
  desk.write("file", "mine");
  fs::create_directory(desk.folder() / "folder");
  fs::create_symlink("nowhere", desk.folder() / "link");
  for (const char* const name : {"file", "folder", "link"}) {
    expect_refused(desk, {"new", "model", name}, "exists already");
  }
  EXPECT_EQ(desk.read("file"), "mine");
  EXPECT_TRUE(fs::is_empty(desk.folder() / "folder"));
}

TEST(NewModel, SaysThatAFolderCannotBeMadeHere) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write into every folder";
  const Desk desk;
  fs::permissions(desk.folder(), fs::perms::owner_read | fs::perms::owner_exec);
  expect_refused(desk, {"new", "model", "Tank"}, "cannot be created");
  fs::permissions(desk.folder(), fs::perms::owner_all);
}

TEST(NewModel, IsOneOfTheKindsThatNewKnows) {
  const Desk desk;
  expect_refused(desk, {"new"}, "consort new --help");
  expect_refused(desk, {"new", "modle", "Tank"}, "did you mean 'model'");
  expect_refused(desk, {"new", "model"}, "consort new model --help");
  const auto help = desk.run({"new", "--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_THAT(help.out, HasSubstr("model"));
}

TEST(NewModel, NamesFilesAndStructsAfterTheModel) {
  const Desk desk;
  const struct {
    const char *name, *file, *text;
  } cases[] = {{"HeatPump", "heat_pump.hpp", "struct HeatPump {"},
               {"heat_pump", "heat_pump.hpp", "struct HeatPump {"},
               {"PIDLoop2", "pid_loop2.hpp", "struct PIDLoop2 {"},
               {"signal", "signal.hpp", "struct Signal {"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto ended = desk.run({"new", "model", c.name});
    EXPECT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(ended.err, "");
    const std::string folder = std::string(c.name) + "/";
    EXPECT_THAT(desk.read(folder + c.file), HasSubstr(c.text));
    for (const char* const file : {"CMakeLists.txt", "tests/CMakeLists.txt", "README.md"}) {
      const std::string text = desk.read(folder + file);
      EXPECT_THAT(text, HasSubstr(c.name));
      EXPECT_THAT(text, ::testing::Not(HasSubstr("@"))) << "a placeholder was not replaced";
    }
    fs::remove_all(desk.folder() / c.name);
  }
}

// With a lower-case name, the struct and the model have different names, which tests more.
TEST(NewModel, BuildsFmusThroughTheInstalledPackageAndTheyPassTheirTests) {
  const Desk desk;
  const std::string work = desk.folder().string();
  const std::string prefix = work + "/prefix";
  expect_works("cmake --install '" + places::build() + "' --prefix '" + prefix + "'");
  expect_works("cd '" + work + "' && prefix/bin/consort new model water_tank");
  const std::string build = work + "/water_tank/build";
  expect_works("cmake -S '" + work + "/water_tank' -B '" + build +
               "' -G '" CONSORT_GENERATOR "' -D CMAKE_PREFIX_PATH='" + prefix +
               "' -D CMAKE_CXX_COMPILER='" CONSORT_COMPILER "'");
  expect_works("cmake --build '" + build + "'");
  expect_works("cd '" + build + "' && ctest --output-on-failure --no-tests=error");
  for (const char* const fmu : {"fmi1/cs", "fmi1/me", "fmi2", "fmi3"}) {
    EXPECT_TRUE(fs::exists(build + "/fmus/" + fmu + "/water_tank.fmu")) << fmu;
  }
  // The tank overflows: the event is found, and the level stays at the rim.
  expect_works("cd '" + work + "' && prefix/bin/consort simulate water_tank/build/fmus/fmi3/water_tank.fmu --quiet");
  const std::string result = desk.read("water_tank.csv");
  EXPECT_THAT(result, HasSubstr("level"));
  EXPECT_THAT(result.substr(result.rfind('\n', result.size() - 2)), ::testing::ContainsRegex(",1,|,1$|,true"));
}

// With Makefiles, because the test above uses the generator of this build.
TEST(NewModel, BuildsFmusForWindowsAndAgainAfterAnEdit) {
  if (std::string(CONSORT_WINDOWS_COMPILER).find("NOTFOUND") != std::string::npos) {
    GTEST_SKIP() << "the compiler for Windows is missing, package g++-mingw-w64-x86-64";
  }
  const Desk desk;
  const std::string work = desk.folder().string();
  const std::string prefix = work + "/prefix";
  const std::string build = work + "/Tank/build";
  expect_works("cmake --install '" + places::build() + "' --prefix '" + prefix + "'");
  expect_works("cd '" + work + "' && prefix/bin/consort new model Tank");
  // The folder of this header is known to the target of the model only.
  fs::create_directory(desk.folder() / "shared");
  desk.write("shared/size.hpp", "constexpr double size = 0.5;\n");
  expect_works("cd '" + work +
               "/Tank' && sed -i 's/= 0.5, drain/= size, drain/; s/#pragma once/&\\n#include \"size.hpp\"/' tank.hpp");
  expect_works("cd '" + work +
               "/Tank' && sed -i 's/INTERFACES me cs/INTERFACES cs PLATFORMS linux64 win64/' CMakeLists.txt");
  desk.write("Tank/CMakeLists.txt",
             desk.read("Tank/CMakeLists.txt") + "target_include_directories(Tank_model PRIVATE ../shared)\n");
  expect_works("cmake -S '" + work + "/Tank' -B '" + build + "' -G 'Unix Makefiles' -D CMAKE_PREFIX_PATH='" + prefix +
               "' -D CMAKE_CXX_COMPILER='" CONSORT_COMPILER "'");
  const auto built = [&] {
    expect_works("cmake --build '" + build + "' --parallel 2");
    expect_works("cd '" + work + "' && unzip -o -q '" + build + "/fmus/fmi3/Tank.fmu'");
    return std::pair(desk.read("binaries/x86_64-windows/Tank.dll"), fs::last_write_time(build + "/fmus/fmi3/Tank.fmu"));
  };
  const auto first = built();
  for (const char* const entry : {"fmi1/cs/Tank.fmu' binaries/win64", "fmi2/Tank.fmu' binaries/win64",
                                  "fmi3/Tank.fmu' binaries/x86_64-windows"}) {
    expect_works("unzip -t '" + build + "/fmus/" + entry + "/Tank.dll");
  }
  EXPECT_EQ(built().second, first.second) << "packed again without a reason";
  desk.write("shared/size.hpp", "constexpr double size = 0.6;\n");
  EXPECT_TRUE(built().first != first.first) << "not compiled again after the edit";
}

}  // namespace
}  // namespace consort::cli_tests
