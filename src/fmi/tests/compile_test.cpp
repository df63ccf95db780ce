// Source FMUs: written here, compiled on request, and run.
#include "fmi/compile.hpp"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/error_text.hpp"
#include "fmi/check.hpp"
#include "fmi/library.hpp"
#include "fmi/tests/fmu_files.hpp"

namespace consort::fmi {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

// y grows by STEP in every step; STEP comes from a header in a separate folder.
const char* const source_v2 = R"(
#include <stdlib.h>
#include "fmi2Functions.h"
#include "step.h"
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
    const fmi2CallbackFunctions* functions, fmi2Boolean visible, fmi2Boolean logging) { return calloc(1, sizeof(double)); }
void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean a, fmi2Real b, fmi2Real d, fmi2Boolean e, fmi2Real f) { return fmi2OK; }
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real v[]) { v[0] = *(double*)c; return fmi2OK; }
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean b) { *(double*)c += STEP; return fmi2OK; }
)";

const char* const source_v3 = R"(
#include <stdlib.h>
#include "fmi3Functions.h"
fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3Boolean events, fmi3Boolean early, const fmi3ValueReference r[], size_t n,
    fmi3InstanceEnvironment e, fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update) { return calloc(1, sizeof(double)); }
void fmi3FreeInstance(fmi3Instance c) { free(c); }
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean a, fmi3Float64 b, fmi3Float64 d, fmi3Boolean e, fmi3Float64 f) { return fmi3OK; }
fmi3Status fmi3ExitInitializationMode(fmi3Instance c) { return fmi3OK; }
fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t n, fmi3Float64 v[], size_t m) { v[0] = *(double*)c; return fmi3OK; }
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean b, fmi3Boolean* event, fmi3Boolean* end,
    fmi3Boolean* early, fmi3Float64* last) { *(double*)c += STEP; *event = *end = *early = 0; *last = t + h; return fmi3OK; }
)";

bool has_compiler() { return std::system("cc --version > /dev/null 2>&1") == 0; }

// A folder with description and sources of one of the two models.
class SourceFmu {
 public:
  explicit SourceFmu(int version, const std::string& before = "") {
    if (version == 2) {
      write_file(
          folder_.path() / "modelDescription.xml",
          "<fmiModelDescription fmiVersion='2.0' modelName='Count' guid='g'><CoSimulation modelIdentifier='Count' "
          "canGetAndSetFMUstate='true'><SourceFiles><File name='count.c'/></SourceFiles></CoSimulation>"
          "<ModelVariables><ScalarVariable name='y' valueReference='0' causality='output'><Real/>"
          "</ScalarVariable></ModelVariables><ModelStructure><Outputs><Unknown index='1'/></Outputs>"
          "</ModelStructure></fmiModelDescription>");
      write_file(source(), before + source_v2);
      write_file(folder_.path() / "sources" / "step.h", "#define STEP 2\n");
    } else {
      write_file(
          folder_.path() / "modelDescription.xml",
          "<fmiModelDescription fmiVersion='3.0' modelName='Count' instantiationToken='g'><CoSimulation "
          "modelIdentifier='Count'/><ModelVariables><Float64 name='y' valueReference='0' causality='output'/>"
          "</ModelVariables><ModelStructure><Output valueReference='0'/></ModelStructure></fmiModelDescription>");
      write_file(source(), before + source_v3);
      build(
          "<SourceFileSet language='C99'><SourceFile name='count.c'/><PreprocessorDefinition name='STEP' value='2'/>"
          "</SourceFileSet>");
    }
  }
  [[nodiscard]] const fs::path& path() const { return folder_.path(); }
  [[nodiscard]] fs::path source() const { return folder_.path() / "sources" / "count.c"; }
  void build(const std::string& sets) const {
    write_file(folder_.path() / "sources" / "buildDescription.xml",
               "<fmiBuildDescription fmiVersion='3.0'><BuildConfiguration modelIdentifier='Count'>" + sets +
                   "</BuildConfiguration></fmiBuildDescription>");
  }
  [[nodiscard]] Fmu open(bool compile = true) const { return Fmu::open(folder_.path(), {.compile = compile}); }
  [[nodiscard]] std::string error() const {
    return error_text([&] { (void)open().co_simulation({}); });
  }

 private:
  os::TempFolder folder_{"test"};
};

class CompileOf : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!has_compiler()) GTEST_SKIP() << "there is no C compiler";
  }
};

INSTANTIATE_TEST_SUITE_P(Fmi, CompileOf, testing::Values(2, 3));

void count_to_four(const Fmu& fmu) {
  const auto unit = fmu.co_simulation({});
  initialize(*unit);
  unit->do_step(0, 1);
  unit->do_step(1, 1);
  EXPECT_EQ(real(*unit, fmu.description(), "y"), 4);
}

TEST_P(CompileOf, BuildsAndRunsASourceFmu) {
  const SourceFmu fmu(GetParam());
  count_to_four(fmu.open());
  // The binary now exists.
  EXPECT_THAT(platforms(fmu.path()), testing::ElementsAre(GetParam() == 2 ? "linux64" : "x86_64-linux"));
  count_to_four(fmu.open(false));
}

TEST_P(CompileOf, FindsFunctionsThatCarryThePrefixOfTheModel) {
  const std::string macro = GetParam() == 2 ? "FMI2_FUNCTION_PREFIX" : "FMI3_FUNCTION_PREFIX";
  count_to_four(SourceFmu(GetParam(), "#define " + macro + " Count_\n").open());
}

TEST_P(CompileOf, SaysThatItCanBeDoneWhenItWasNotAskedFor) {
  const SourceFmu sources(GetParam());
  const Fmu fmu = sources.open(false);
  EXPECT_THAT(error_text([&] { (void)fmu.co_simulation({}); }),
              AllOf(HasSubstr("has no binaries"), HasSubstr("add --compile")));
}

TEST_P(CompileOf, ShowsWhatTheCompilerSaid) {
  const SourceFmu fmu(GetParam(), "#error this is on purpose\n");
  EXPECT_THAT(fmu.error(), AllOf(HasSubstr("compiling count.c failed"), HasSubstr("this is on purpose"),
                                 HasSubstr("export the FMU with a binary")));
  EXPECT_FALSE(fs::exists(fmu.path() / "binaries"));
}

TEST_P(CompileOf, NamesASourceThatIsMissing) {
  const SourceFmu fmu(GetParam());
  fs::remove(fmu.source());
  EXPECT_THAT(fmu.error(), HasSubstr("count.c"));
}

TEST(Compile, NeverLeavesTheFolderOfTheSources) {
  const SourceFmu fmu(3);
  for (const std::string name : {"../count.c", "/etc/passwd", "a/../../x.c", ".."}) {
    fmu.build("<SourceFileSet><SourceFile name='" + name + "'/></SourceFileSet>");
    EXPECT_THAT(fmu.error(), HasSubstr("the source '" + name + "' lies outside its sources folder"));
    fmu.build("<SourceFileSet><SourceFile name='count.c'/><IncludeDirectory name='" + name + "'/></SourceFileSet>");
    EXPECT_THAT(fmu.error(), HasSubstr("the source '" + name + "' lies outside its sources folder"));
  }
}

TEST(Compile, SaysThatThereIsNothingToCompile) {
  const SourceFmu fmu(3);
  fmu.build("");
  EXPECT_THAT(fmu.error(), HasSubstr("lists no source files"));
  write_file(fmu.path() / "sources" / "buildDescription.xml",
             "<fmiBuildDescription><BuildConfiguration modelIdentifier='Other'/></fmiBuildDescription>");
  EXPECT_THAT(fmu.error(), HasSubstr("has no build configuration for 'Count' on this platform"));
}

TEST(Compile, LeavesABinaryAlone) {
  const UnpackedFmu copy(2, "Dahlquist");
  const auto before = fs::last_write_time(copy.path() / "binaries" / "linux64" / "Dahlquist.so");
  EXPECT_NO_THROW((void)copy.open({.compile = true}).co_simulation({}));
  EXPECT_EQ(fs::last_write_time(copy.path() / "binaries" / "linux64" / "Dahlquist.so"), before);
}

TEST(Compile, MakesNoSecretOfFunctionsThatAreMissing) {
  if (!has_compiler()) GTEST_SKIP() << "there is no C compiler";
  const SourceFmu sources(2);
  const Fmu fmu = sources.open();
  const auto unit = fmu.co_simulation({.name = "wheel"});
  initialize(*unit);
  // Declared, but missing.
  EXPECT_EQ(unit->state_saving(), nullptr);
  EXPECT_THAT(unit->missing("saving"), HasSubstr("or its binary lacks the functions"));
  const ValueReference y = 0;
  std::string text;
  EXPECT_THAT(error_text([&] { unit->get<std::string>(std::span(&y, 1), std::span(&text, 1)); }, Fault::run),
              AllOf(HasSubstr("unit 'wheel' (FMI 2.0): the FMU's binary has no function fmi2GetString"),
                    HasSubstr("ask the maker")));
  std::vector<std::string> findings;
  const Diagnostics diagnostics = check(fmu);
  for (const auto& one : diagnostics.all()) findings.push_back(one.text());
  EXPECT_THAT(findings, Contains(AllOf(HasSubstr("does not export"), HasSubstr("fmi2GetString"))));
}

}  // namespace
}  // namespace consort::fmi
