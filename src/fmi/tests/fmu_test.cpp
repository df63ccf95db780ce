#include "fmi/fmu.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/error_text.hpp"
#include "fmi/check.hpp"
#include "fmi/tests/fmu_files.hpp"

namespace consort::fmi {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::string open_error(const fs::path& path, const OpenOptions& options = {}) {
  return error_text([&] { (void)Fmu::open(path, options); });
}

std::vector<std::string> texts(const Diagnostics& diagnostics) {
  std::vector<std::string> all;
  for (const auto& one : diagnostics.all()) all.push_back(one.text());
  return all;
}

// --- opening

TEST(Fmu, IsUnpackedWhileSomebodyNeedsIt) {
  fs::path folder;
  std::unique_ptr<CoSimulation> unit;
  {
    const Fmu fmu = open_fmu(2, "Dahlquist");
    folder = fmu.folder();
    EXPECT_TRUE(fs::exists(folder / "modelDescription.xml"));
    EXPECT_EQ(fmu.path(), fmu_file(2, "Dahlquist"));
    unit = fmu.co_simulation({});
  }
  EXPECT_TRUE(fs::exists(folder));
  unit.reset();
  EXPECT_FALSE(fs::exists(folder));
}

TEST(Fmu, IsOpenedFromAFolderThatStays) {
  const UnpackedFmu copy(2, "Dahlquist", Kind::cs, "with space, ü and 50%");
  {
    const Fmu fmu = copy.open();
    EXPECT_EQ(fmu.folder(), fs::canonical(copy.path()));
    const auto unit = fmu.co_simulation({});
    initialize(*unit);
    unit->do_step(0, 0.1);
  }
  EXPECT_TRUE(fs::exists(copy.path() / "modelDescription.xml"));
}

TEST(Fmu, TellsTheModelWhereItsResourcesAre) {
  for (const int version : {2, 3}) {
    const UnpackedFmu copy(version, "Resource", Kind::cs, "with space, ü and 50%25 #1");
    const Fmu fmu = copy.open();
    const auto unit = fmu.co_simulation({});
    initialize(*unit);
    EXPECT_EQ(real(*unit, fmu.description(), "y"), std::stod(read_file(copy.path() / "resources" / "answer.txt")));
  }
}

TEST(Fmu, IsRefusedWhenItIsNone) {
  const os::TempFolder folder("test");
  EXPECT_THAT(open_error(folder.path() / "none.fmu"), HasSubstr("none.fmu: there is no such file"));
  EXPECT_THAT(open_error(folder.path()), HasSubstr("has no modelDescription.xml, so it is not an FMU"));
  write_file(folder.path() / "text.fmu", "not an archive");
  EXPECT_THAT(open_error(folder.path() / "text.fmu"), HasSubstr("text.fmu"));
  write_file(folder.path() / "in" / "readme.txt", "an archive of something else");
  os::pack(folder.path() / "in", folder.path() / "other.fmu");
  EXPECT_THAT(open_error(folder.path() / "other.fmu"), HasSubstr("other.fmu: has no modelDescription.xml"));
}

TEST(Fmu, NamesItselfTheFileAndTheLineOfWhatIsBroken) {
  const os::TempFolder folder("test");
  write_file(folder.path() / "modelDescription.xml", "<a>\n</b>");
  EXPECT_THAT(open_error(folder.path()),
              AllOf(StartsWith(folder.path().string() + ": modelDescription.xml:2: "), HasSubstr("not well-formed")));
  write_file(folder.path() / "modelDescription.xml", "<fmiModelDescription fmiVersion='7'/>");
  EXPECT_THAT(open_error(folder.path()), HasSubstr("modelDescription.xml:1: fmiVersion=\"7\""));
  write_file(folder.path() / "modelDescription.xml", "<fmiModelDescription fmiVersion='2.0'/>");
  EXPECT_THAT(open_error(folder.path(), {.xml = {.bytes = 10}}), HasSubstr("10"));
}

TEST(Fmu, IsUsedAllTheSameWhenAFileBesideTheDescriptionIsBroken) {
  const UnpackedFmu copy(3, "Dahlquist");
  write_file(copy.path() / "terminalsAndIcons" / "terminalsAndIcons.xml", "<a>\n<b>\n</a>");
  write_file(copy.path() / "sources" / "buildDescription.xml", "");
  const Fmu fmu = copy.open();
  EXPECT_THAT(texts(fmu.diagnostics()),
              ElementsAre(StartsWith("terminalsAndIcons/terminalsAndIcons.xml: error: "
                                     "terminalsAndIcons/terminalsAndIcons.xml:3: this is not well-formed"),
                          StartsWith("sources/buildDescription.xml: error: ")));
  EXPECT_NO_THROW((void)fmu.co_simulation({}));
}

TEST(Fmu, ReadsTheFilesBesideTheDescription) {
  const UnpackedFmu copy(2, "Dahlquist");
  write_file(copy.path() / "terminalsAndIcons" / "terminalsAndIcons.xml",
             "<fmiTerminalsAndIcons><Terminals><Terminal name='t' matchingRule='plug'><TerminalMemberVariable "
             "variableName='x' memberName='x' variableKind='signal'/></Terminal></Terminals></fmiTerminalsAndIcons>");
  write_file(copy.path() / "sources" / "buildDescription.xml",
             "<fmiBuildDescription><BuildConfiguration modelIdentifier='Dahlquist'/></fmiBuildDescription>");
  const Fmu fmu = copy.open();
  EXPECT_THAT(texts(fmu.diagnostics()), IsEmpty());
  EXPECT_EQ(fmu.description().terminals.terminals.at(0).members.at(0).variable, "x");
  EXPECT_EQ(fmu.description().build_configurations.size(), 1U);
}

TEST(Fmu, IsRefusedForABrokenRuleOnlyWhereThatIsWanted) {
  UnpackedFmu copy(2, "Dahlquist");
  copy.replace("fmiVersion=\"2.0\"", "fmiVersion=\"2.0\" variableNamingConvention=\"odd\"")
      .replace(" variableNamingConvention=\"structured\"", "");
  EXPECT_NO_THROW((void)copy.open());
  EXPECT_THAT(open_error(copy.path(), {.strict = true}),
              AllOf(HasSubstr("breaks 1 rule of the standard, the first: modelDescription.xml:2: warning: "),
                    HasSubstr("'consort check' lists them all")));
  EXPECT_NO_THROW((void)open_fmu(2, "Dahlquist", Kind::cs, {.strict = true}));
}

// --- instances

TEST(Fmu, MakesOneInstanceOnlyWhereMoreAreNotAllowed) {
  for (const int version : {1, 2, 3}) {
    UnpackedFmu copy(version, "Dahlquist");
    if (version == 1)
      copy.replace("OnlyOncePerProcess=\"false\"", "OnlyOncePerProcess=\"true\"");
    else
      copy.replace("<CoSimulation", "<CoSimulation canBeInstantiatedOnlyOncePerProcess=\"true\"");
    const Fmu fmu = copy.open();
    const Fmu again = copy.open();
    auto first = fmu.co_simulation({.name = "first"});
    for (const Fmu* second : {&fmu, &again}) {
      EXPECT_THAT(error_text([&] { (void)second->co_simulation({.name = "second"}); }),
                  AllOf(HasSubstr("unit 'second': 'Dahlquist' can be instantiated only once per process"),
                        HasSubstr("'first' is an instance of it already"), HasSubstr("process of its own")));
    }
    first.reset();
    EXPECT_NO_THROW((void)again.co_simulation({.name = "second"}));
  }
}

TEST(Fmu, GivesThePlaceBackWhenItsOnlyInstanceCannotBeMade) {
  UnpackedFmu copy(2, "Dahlquist");
  copy.replace("<CoSimulation", "<CoSimulation canBeInstantiatedOnlyOncePerProcess=\"true\"");
  const Fmu fmu = copy.open();
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(error_text([&] { (void)fmu.co_simulation({.name = ""}); }, Fault::run), HasSubstr("needs a name"));
  }
  EXPECT_NO_THROW((void)fmu.co_simulation({}));
}

TEST(Fmu, TakesAGuidWithOrWithoutBraces) {
  for (const int version : {1, 2}) {
    UnpackedFmu copy(version, "Dahlquist");
    const std::string guid = copy.open().description().instantiation_token;
    ASSERT_THAT(guid, StartsWith("{"));
    copy.replace(guid, guid.substr(1, guid.size() - 2));
    EXPECT_NO_THROW((void)copy.open().co_simulation({}));
  }
}

TEST(Fmu, SaysWhatTheBinarySaidToAnotherGuid) {
  for (const int version : {1, 2, 3}) {
    UnpackedFmu copy(version, "Dahlquist");
    const std::string guid = copy.open().description().instantiation_token;
    copy.replace(guid, "{00000000-0000-0000-0000-000000000000}");
    const Fmu fmu = copy.open();
    EXPECT_THAT(error_text([&] { (void)fmu.co_simulation({.name = "wheel"}); }, Fault::run),
                AllOf(HasSubstr("unit 'wheel' (FMI " + std::to_string(version) + ".0): fmi"), HasSubstr("nstantiate"),
                      HasSubstr("does not match this binary")));
  }
}

TEST(Fmu, SaysThatThereIsNoBinaryForThisPlatform) {
  const UnpackedFmu copy(2, "Dahlquist");
  fs::remove_all(copy.path() / "binaries" / "win64");
  fs::rename(copy.path() / "binaries" / "linux64", copy.path() / "binaries" / "win64");
  const Fmu fmu = copy.open();
  EXPECT_THAT(error_text([&] { (void)fmu.co_simulation({}); }), HasSubstr("has binaries for win64 only"));
}

// --- check

TEST(FmuCheck, FindsNothingWrongWithOurOwn) {
  for (const char* name : {"BouncingBall", "Dahlquist", "VanDerPol", "Feedthrough", "Bad", "Stair"}) {
    for (const int version : {1, 2, 3}) {
      for (const Kind kind : {Kind::cs, Kind::me}) {
        EXPECT_THAT(texts(check(open_fmu(version, name, kind))), IsEmpty()) << name << ' ' << version;
      }
    }
  }
}

TEST(FmuCheck, FindsWhatIsWrongWithTheBinary) {
  UnpackedFmu copy(2, "Dahlquist");
  const fs::path binary = copy.path() / "binaries" / "linux64" / "Dahlquist.so";
  const auto findings = [&] { return texts(check(copy.open())); };
  const std::string good = read_file(binary);

  fs::rename(binary, binary.parent_path() / "Other.so");
  EXPECT_THAT(findings(), testing::Each(HasSubstr("the binary is called Other.so, but the model identifier is")));
  EXPECT_EQ(findings().size(), 2U);  // once for each interface

  fs::remove(binary.parent_path() / "Other.so");
  write_file(binary, "MZ");
  EXPECT_THAT(findings(), testing::Each(StartsWith("binaries: error: Dahlquist.so is not a shared library for Linux")));

  fs::remove_all(copy.path() / "binaries");
  EXPECT_THAT(findings(), testing::Each(AllOf(StartsWith("binaries: note: "), HasSubstr("has no binaries"))));

  // A binary with the functions of another version.
  fs::create_directories(binary.parent_path());
  fs::copy_file(binary_of(open_fmu(3, "Dahlquist")), binary);
  EXPECT_THAT(findings(), testing::Each(AllOf(StartsWith("linux64/Dahlquist.so: warning: the binary for "),
                                              HasSubstr("does not export fmi2GetTypesPlatform, fmi2GetVersion"),
                                              HasSubstr("[FMI 2.0: functions of the binary]"))));
}

TEST(FmuCheck, SortsByFileAndLine) {
  UnpackedFmu copy(2, "Dahlquist");
  copy.replace("causality=\"parameter\"", "causality=\"no\"").replace("<CoSimulation", "<CoSimulation odd=\"1\"");
  const auto all = check(copy.open()).all();
  ASSERT_GE(all.size(), 2U);
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_LE(all[i - 1].line, all[i].line);
}

}  // namespace
}  // namespace consort::fmi
