// Binaries that a program of its own calls: what that program does when the binary misbehaves, and what remains of it.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/error_text.hpp"
#include "fmi/foreign/link.hpp"
#include "fmi/foreign/pe_file.hpp"
#include "fmi/foreign/wine.hpp"
#include "fmi/tests/fmu_files.hpp"

namespace consort::fmi {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// A Co-Simulation FMU of FMI 2.0 that does in a step what the parameter `deed` demands; y = 2 u.
constexpr const char* villain = R"(
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>
#include "fmi2Functions.h"
#ifdef NEEDS_HELPER
__declspec(dllimport) int help(void);
#endif
typedef struct { fmi2CallbackFunctions f; double u, y; int deed; char name[100]; char path[400]; } M;
static M* the_model;
const char* fmi2GetVersion(void) { return "2.0"; }
const char* fmi2GetTypesPlatform(void) { return "default"; }
fmi2Component fmi2Instantiate(fmi2String n, fmi2Type t, fmi2String g, fmi2String r, const fmi2CallbackFunctions* f,
                              fmi2Boolean v, fmi2Boolean l) {
  M* m = f->allocateMemory(1, sizeof *m);
  m->f = *f;
  strncpy(m->name, n, 99);
  strncpy(m->path, r, 399);
#ifdef NEEDS_HELPER
  m->deed = help();
#endif
  the_model = m;
  return m;
}
void fmi2FreeInstance(fmi2Component c) { M* m = c; m->f.freeMemory(m); }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean a, fmi2Real b, fmi2Real d, fmi2Boolean e, fmi2Real g) { return fmi2OK; }
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2Terminate(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2Reset(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference v[], size_t n, fmi2Real x[]) {
  M* m = c;
  for (size_t i = 0; i < n; ++i) x[i] = v[i] == 0 ? m->u : m->y;
  return fmi2OK;
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference v[], size_t n, const fmi2Real x[]) {
  M* m = c;
  m->u = x[0];
  if (x[0] < 1000) return fmi2OK;
  m->f.logger(m->f.componentEnvironment, m->name, fmi2Error, "values", "%g is too large", x[0]);
  return fmi2Error;
}
fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference v[], size_t n, fmi2Integer x[]) { x[0] = ((M*)c)->deed; return fmi2OK; }
fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference v[], size_t n, const fmi2Integer x[]) { ((M*)c)->deed = x[0]; return fmi2OK; }
fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference v[], size_t n, fmi2String x[]) {
  static char* huge;
  if (huge == NULL) { huge = malloc(300001); memset(huge, 'x', 300000); huge[300000] = 0; }
  for (size_t i = 0; i < n; ++i) x[i] = v[i] == 3 ? ((M*)c)->path : v[i] == 4 ? huge : NULL;
  return fmi2OK;
}
static int overflow(int n) { volatile char big[4096]; big[0] = (char)n; return overflow(n + 1) + big[0]; }
static DWORD WINAPI say(void* p) {
  M* m = p;
  m->f.logger(m->f.componentEnvironment, m->name, fmi2Warning, "thread", "said by thread %d of %s", 2, "two");
  return 0;
}
static DWORD WINAPI chatter(void* p) {
  M* m = p;
  for (int i = 0; i < 1234; ++i) m->f.logger(m->f.componentEnvironment, m->name, fmi2Warning, "thread", "line %d", i);
  return 0;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean b) {
  M* m = c;
  m->y = 2 * m->u;
  if (m->deed != 0) m->f.logger(m->f.componentEnvironment, m->name, fmi2OK, "step", "I am going to do %d", m->deed);
  switch (m->deed) {
    case 1: *(volatile int*)0 = 1; break;
    case 2: ExitProcess(7);
    case 3: for (;;) Sleep(10);
    case 4: printf("noise\n"); fflush(stdout); WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), "more\n", 5, &(DWORD){0}, NULL); break;
    case 5: MessageBoxA(NULL, "The licence has expired", "Licence", MB_OK); break;
    case 6: RaiseException(0xE06D7363, 0, 0, NULL);
    case 7: return overflow(0);
    case 8: { HANDLE h2 = CreateThread(NULL, 0, say, m, 0, NULL); WaitForSingleObject(h2, INFINITE); CloseHandle(h2); break; }
    case 9: abort();
    case 14: ExitThread(5);
    case 15: { HANDLE h2 = CreateThread(NULL, 0, chatter, m, 0, NULL); WaitForSingleObject(h2, INFINITE); CloseHandle(h2); break; }
    case 10: CloseHandle(GetStdHandle(STD_OUTPUT_HANDLE)); CloseHandle(GetStdHandle(STD_INPUT_HANDLE)); break;
    case 20: for (;;) m->f.logger(m->f.componentEnvironment, m->name, fmi2OK, "loop", "again");
    case 11: for (int i = 0; i < 3000; ++i) m->f.logger(m->f.componentEnvironment, m->name, fmi2Warning, "many", "%s %d", "line", i); break;
    case 12: m->y = GetEnvironmentVariableA(m->name, m->path, 399); break;
    case 13: { char folder[300]; GetTempPathA(300, folder); m->y = GetTempFileNameA(folder, "fmu", 0, m->path); DeleteFileA(m->path); break; }
    default: break;
  }
  return fmi2OK;
}
)";

constexpr const char* description = R"(<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Villain" guid="{1}">
<CoSimulation modelIdentifier="Villain" canHandleVariableCommunicationStepSize="true"/>
<ModelVariables>
<ScalarVariable name="u" valueReference="0" causality="input"><Real start="0"/></ScalarVariable>
<ScalarVariable name="y" valueReference="1" causality="output"><Real/></ScalarVariable>
<ScalarVariable name="deed" valueReference="2" causality="parameter" variability="tunable"><Integer start="0"/></ScalarVariable>
<ScalarVariable name="path" valueReference="3" causality="local" variability="discrete"><String/></ScalarVariable>
<ScalarVariable name="huge" valueReference="4" causality="local" variability="discrete"><String/></ScalarVariable>
<ScalarVariable name="nothing" valueReference="5" causality="local" variability="discrete"><String/></ScalarVariable>
</ModelVariables>
<ModelStructure><Outputs><Unknown index="2"/></Outputs></ModelStructure>
</fmiModelDescription>)";

constexpr const char* compiler = "x86_64-w64-mingw32-gcc";

bool compile(const fs::path& source, const fs::path& dll, const std::string& more = {}) {
  fs::create_directories(dll.parent_path());
  const std::string command =
      fmt::format("{} -shared -O1 -w -I'{}/src/fmi/headers/fmi2' '{}' -o '{}' {} > /dev/null 2>&1", compiler,
                  places::source(), source.string(), dll.string(), more);
  return std::system(command.c_str()) == 0;
}

// The processes of callers that this process has started and that still run.
std::vector<pid_t> callers() {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) continue;
    std::ifstream status(entry.path() / "status");
    std::string line;
    bool is_ours = false;
    bool is_zombie = false;
    while (std::getline(status, line)) {
      if (line == fmt::format("PPid:\t{}", ::getpid())) is_ours = true;
      if (line.starts_with("State:\tZ")) is_zombie = true;
    }
    if (is_ours && !is_zombie) found.push_back(static_cast<pid_t>(std::stoi(name)));
  }
  return found;
}

class Foreign : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto reason = foreign::cannot_run(Platform::win64); !reason.empty()) GTEST_SKIP() << reason;
    write_file(folder_.path() / "modelDescription.xml", description);
    write_file(source(), villain);
    ASSERT_TRUE(compile(source(), dll())) << compiler;
  }
  [[nodiscard]] fs::path source() const { return folder_.path() / "villain.c"; }
  [[nodiscard]] fs::path dll() const { return folder_.path() / "binaries/win64/Villain.dll"; }
  [[nodiscard]] Fmu open(std::optional<double> limit = {}) const {
    OpenOptions options;
    if (limit) options.call_limit = std::chrono::duration<double>(*limit);
    return Fmu::open(folder_.path(), options);
  }
  static std::unique_ptr<CoSimulation> with_deed(const Fmu& fmu, int deed, InstanceOptions options = {}) {
    options.name = "villain";
    auto unit = fmu.co_simulation(std::move(options));
    set<std::int32_t>(*unit, fmu.description(), "deed", {deed});
    initialize(*unit);
    return unit;
  }
  // The error of a step that demands the deed. Nothing may remain of the program.
  Error error_of(int deed, std::optional<double> limit = {}) {
    const Fmu fmu = open(limit);
    auto unit = with_deed(fmu, deed);
    const Error error = thrown_error([&] { unit->do_step(1.25, 0.5); }, Fault::run);
    EXPECT_THAT(callers(), IsEmpty());
    EXPECT_EQ(error.fields(), (ErrorFields{"villain", "fmi2DoStep", 1.25, ""}));
    EXPECT_THAT(error_text([&] { unit->reset(); }, Fault::run), HasSubstr("after its fatal error"));
    EXPECT_NO_THROW(unit->terminate());
    unit.reset();
    return error;
  }

  os::TempFolder folder_{"test"};
};

TEST_F(Foreign, StepsAndEndsWithoutATrace) {
  {
    const Fmu fmu = open();
    const auto unit = with_deed(fmu, 0);
    EXPECT_THAT(callers(), testing::SizeIs(1));
    set<double>(*unit, fmu.description(), "u", {21});
    EXPECT_EQ(unit->do_step(0, 1).end, StepReport::End::completed);
    EXPECT_EQ(real(*unit, fmu.description(), "y"), 42);
    unit->terminate();
  }
  EXPECT_THAT(callers(), IsEmpty());
}

// The inputs of a step travel together with it.
TEST_F(Foreign, NamesTheCallThatFailedInAStepThatIsSentAsOne) {
  const Fmu fmu = open();
  auto unit = with_deed(fmu, 0);
  const std::vector<ValueReference> u{0};
  const std::vector<ValueReference> y{1};
  const RealPorts ports{u, y, 1, 1};
  double in = 3;
  double out = 0;
  EXPECT_TRUE(unit->exchange(ports, &in, &out, 0, 1, false));
  EXPECT_EQ(out, 6);
  in = 2000;
  const Error error = thrown_error([&] { unit->exchange(ports, &in, &out, 1, 1, false); }, Fault::run);
  EXPECT_THAT(error.what(), HasSubstr("fmi2SetReal returned Error at t = 1 s: \"2000 is too large\""));
  unit->reset();
  EXPECT_EQ(real(*unit, fmu.description(), "y"), 6);  // the step was not made
}

TEST_F(Foreign, GivesTheLocationOfResourcesAsWindowsWritesIt) {
  const Fmu fmu = open();
  const auto unit = with_deed(fmu, 0);
  EXPECT_EQ(get<std::string>(*unit, fmu.description(), "path")[0], "file:///Z:" + fmu.folder().string() + "/resources");
}

// Silver's FMUs crash if there is no PATH.
TEST_F(Foreign, GivesTheVariablesThatEveryWindowsProgramHas) {
  const Fmu fmu = open();
  const auto value_of = [&](const char* variable) {
    const auto unit = fmu.co_simulation({.name = variable});
    set<std::int32_t>(*unit, fmu.description(), "deed", {12});
    initialize(*unit);
    unit->do_step(0, 1);
    return get<std::string>(*unit, fmu.description(), "path")[0];
  };
  EXPECT_EQ(value_of("PATH"), "C:\\windows\\system32;C:\\windows");
  EXPECT_EQ(value_of("windir"), "C:\\windows");
  EXPECT_EQ(value_of("OS"), "Windows_NT");
}

TEST_F(Foreign, HasAFolderForTemporaryFiles) {
  const Fmu fmu = open();
  const auto unit = with_deed(fmu, 13);
  unit->do_step(0, 1);
  EXPECT_NE(real(*unit, fmu.description(), "y"), 0) << "no temporary file could be made";
  EXPECT_THAT(get<std::string>(*unit, fmu.description(), "path")[0], StartsWith("C:\\windows\\temp\\fmu"));
}

TEST_F(Foreign, TellsTextsOfAnyLengthAndNone) {
  const Fmu fmu = open();
  const auto unit = with_deed(fmu, 0);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(get<std::string>(*unit, fmu.description(), "huge")[0], std::string(300000, 'x'));
    EXPECT_EQ(get<std::string>(*unit, fmu.description(), "nothing")[0], "");
  }
}

TEST_F(Foreign, NamesTheUnitTheCallAndThePlaceOfACrash) {
  EXPECT_THAT(error_of(1).what(),
              AllOf(StartsWith("unit 'villain' (FMI 2.0): fmi2DoStep did not return at t = 1.25 s"),
                    HasSubstr("crashed: it wrote to the invalid address"), HasSubstr("in Villain.dll + 0x"),
                    HasSubstr("its last messages: \"I am going to do 1\"")));
}

TEST_F(Foreign, SaysThatTheBinaryHasEndedTheProcess) {
  EXPECT_THAT(error_of(2).what(), HasSubstr("ended with exit status 7; a unit must not end its process"));
}

TEST_F(Foreign, EndsACallThatDoesNotReturnInTime) {
  const auto begin = std::chrono::steady_clock::now();
  for (const int deed : {3, 20})  // sleeps; writes messages
    EXPECT_THAT(error_of(deed, 0.5).what(), HasSubstr("did not return in time and was ended"));
  // Also starts the program, so this only excludes that the limit has no effect.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(120));
}

TEST_F(Foreign, IsNotDisturbedByOutputOfTheBinary) {
  const Fmu fmu = open();
  for (const int deed : {4, 10}) {
    const auto unit = with_deed(fmu, deed);
    set<double>(*unit, fmu.description(), "u", {4});
    for (int i = 0; i < 3; ++i) {
      // Longer than either side spins, so that both use the pipes.
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      EXPECT_EQ(unit->do_step(i, 1).end, StepReport::End::completed);
      EXPECT_EQ(real(*unit, fmu.description(), "y"), 8);
    }
  }
}

TEST_F(Foreign, QuotesADialog) {
  EXPECT_THAT(error_of(5).what(),
              HasSubstr("showed a dialog, which nobody can answer: \"Licence: The licence has expired\""));
}

TEST_F(Foreign, SurvivesExceptionsAbortsAndStackOverflows) {
  EXPECT_THAT(error_of(6).what(), HasSubstr("threw a C++ exception"));
  EXPECT_THAT(error_of(7).what(), HasSubstr("stack overflow"));
  EXPECT_THAT(error_of(9).what(), HasSubstr("ended with exit status 3"));
  EXPECT_THAT(error_of(14).what(), HasSubstr("its thread ended with exit status 5"));
}

TEST_F(Foreign, PassesOnMessagesOfOtherThreadsAndMany) {
  const Fmu fmu = open();
  std::vector<LogMessage> messages;
  auto unit = with_deed(fmu, 8, {.log = [&](const LogMessage& m) { messages.push_back(m); }});
  unit->do_step(0, 1);
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[1].text, "said by thread 2 of two");
  EXPECT_EQ(messages[1].category, "thread");
  EXPECT_EQ(messages[1].level, LogLevel::warning);
  set<std::int32_t>(*unit, fmu.description(), "deed", {11});
  messages.clear();
  unit->do_step(1, 1);
  ASSERT_EQ(messages.size(), 3001U);
  EXPECT_EQ(messages.back().text, "line 2999");
  set<std::int32_t>(*unit, fmu.description(), "deed", {15});
  messages.clear();
  unit->do_step(2, 1);
  ASSERT_EQ(messages.size(), 1002U);  // one of the call itself
  EXPECT_EQ(messages[1000].text, "line 999");
  EXPECT_EQ(messages[1001].level, LogLevel::warning);
  EXPECT_EQ(messages[1001].text, "234 more log lines of other threads of the FMU were dropped during this call");
  messages.clear();
  set<std::int32_t>(*unit, fmu.description(), "deed", {0});
  unit->do_step(3, 1);
  for (const auto& m : messages) EXPECT_THAT(m.text, Not(HasSubstr("dropped"))) << "they are told once";
}

TEST_F(Foreign, HasOneProgramPerInstance) {
  const Fmu fmu = open();
  const auto one = with_deed(fmu, 0);
  const auto two = with_deed(fmu, 0);
  EXPECT_THAT(callers(), testing::SizeIs(2));
  ::kill(callers().front(), SIGKILL);
  int failed = 0;
  for (auto* const unit : {one.get(), two.get()}) {
    try {
      unit->do_step(0, 1);
    } catch (const Error& error) {
      ++failed;
      EXPECT_THAT(error.what(), HasSubstr("was ended by signal 9"));
    }
  }
  EXPECT_EQ(failed, 1);
}

TEST_F(Foreign, IsFreedAfterItsProgramHasGone) {
  const Fmu fmu = open();
  auto unit = with_deed(fmu, 0);
  ::kill(callers().front(), SIGKILL);
  EXPECT_NO_THROW(unit.reset());
}

// --- 32 bits

// Several values in one call, sizes of states, and texts: all that differs in a program with 32-bit pointers.
constexpr const char* small_model = R"(
#include <stdlib.h>
#include <string.h>
#include "fmi2Functions.h"
typedef struct { double v[8]; char name[100]; } M;
const char* fmi2GetVersion(void) { return "2.0"; }
const char* fmi2GetTypesPlatform(void) { return "default"; }
fmi2Component fmi2Instantiate(fmi2String n, fmi2Type t, fmi2String g, fmi2String r, const fmi2CallbackFunctions* f,
                              fmi2Boolean v, fmi2Boolean l) {
  M* m = calloc(1, sizeof *m);
  strncpy(m->name, n, 99);
  f->logger(f->componentEnvironment, n, fmi2Warning, "made", "%d bits, %s, %g", (int)(8 * sizeof(void*)), n, 0.5);
  return m;
}
void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean a, fmi2Real b, fmi2Real d, fmi2Boolean e, fmi2Real g) { return fmi2OK; }
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2Terminate(fmi2Component c) { return fmi2OK; }
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference v[], size_t n, fmi2Real x[]) {
  for (size_t i = 0; i < n; ++i) x[i] = ((M*)c)->v[v[i]];
  return fmi2OK;
}
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference v[], size_t n, const fmi2Real x[]) {
  for (size_t i = 0; i < n; ++i) ((M*)c)->v[v[i]] = x[i];
  return fmi2OK;
}
fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference v[], size_t n, fmi2String x[]) { x[0] = ((M*)c)->name; return fmi2OK; }
fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* s) {
  if (*s == NULL) *s = malloc(sizeof(M));
  memcpy(*s, c, sizeof(M));
  return fmi2OK;
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate s) { memcpy(c, s, sizeof(M)); return fmi2OK; }
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate* s) { free(*s); *s = NULL; return fmi2OK; }
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate s, size_t* n) { *n = sizeof(M); return fmi2OK; }
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate s, fmi2Byte b[], size_t n) { memcpy(b, s, n); return fmi2OK; }
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte b[], size_t n, fmi2FMUstate* s) {
  *s = malloc(n);
  memcpy(*s, b, n);
  return fmi2OK;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean b) {
  M* m = c;
  m->v[1] = m->v[0] + h;
  return fmi2OK;
}
)";

TEST(Foreign32, CallsLibrariesFor32BitLinux) {
  if (const auto reason = foreign::cannot_run(Platform::linux32); !reason.empty()) GTEST_SKIP() << reason;
  const os::TempFolder folder("test");
  std::string text = description;
  const std::string attribute = "canHandleVariableCommunicationStepSize=\"true\"";
  text.insert(text.find(attribute), "canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\" ");
  write_file(folder.path() / "modelDescription.xml", text);
  write_file(folder.path() / "small.c", small_model);
  const fs::path library = folder.path() / "binaries/linux32/Villain.so";
  fs::create_directories(library.parent_path());
  const std::string command =
      fmt::format("cc -m32 -shared -fPIC -w -I'{}/src/fmi/headers/fmi2' '{}' -o '{}' > /dev/null 2>&1",
                  places::source(), (folder.path() / "small.c").string(), library.string());
  if (std::system(command.c_str()) != 0) GTEST_SKIP() << "the compiler does not build for 32 bits";
  const Fmu fmu = Fmu::open(folder.path());
  std::vector<LogMessage> messages;
  const auto unit = fmu.co_simulation({.name = "small", .log = [&](const LogMessage& m) { messages.push_back(m); }});
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].text, "32 bits, small, 0.5");
  initialize(*unit);
  const std::vector<ValueReference> all{0, 1, 2, 3, 4, 5, 6, 7};
  const std::vector<double> set{10, 11, 12, 13, 14, 15, 16, 17};
  std::vector<double> got(all.size());
  unit->set<double>(all, set);
  unit->get<double>(all, got);
  EXPECT_EQ(got, set);
  auto* const saving = unit->state_saving();
  ASSERT_NE(saving, nullptr);
  const auto state = saving->save(nullptr);
  const auto bytes = saving->serialize(*state);
  EXPECT_EQ(unit->do_step(0, 0.25).end, StepReport::End::completed);
  EXPECT_EQ(real(*unit, fmu.description(), "y"), 10.25);
  saving->restore(*saving->deserialize(bytes));
  unit->get<double>(all, got);
  EXPECT_EQ(got, set);
  EXPECT_EQ(get<std::string>(*unit, fmu.description(), "path")[0], "small");
}

// --- binaries that cannot be loaded

TEST_F(Foreign, NamesTheDllsThatAreMissing) {
  const fs::path helper = dll().parent_path() / "helper.dll";
  write_file(folder_.path() / "helper.c", "__declspec(dllexport) int help(void) { return 0; }");
  ASSERT_TRUE(compile(folder_.path() / "helper.c", helper));
  ASSERT_TRUE(compile(source(), dll(), fmt::format("-DNEEDS_HELPER '{}'", helper.string())));
  EXPECT_NO_THROW(with_deed(open(), 0)->do_step(0, 1));  // finds the DLL beside its own
  fs::remove(helper);
  EXPECT_THAT(error_text([&] { with_deed(open(), 0); }),
              AllOf(HasSubstr("its binary Villain.dll needs helper.dll, which is neither in the FMU nor part of Wine"),
                    HasSubstr("ask the maker of the FMU for a complete one")));
}

TEST_F(Foreign, RefusesFilesThatAreNoDllForThisPlatform) {
  std::string bytes = read_file(dll());
  const auto refusal = [&](const std::string& content) {
    write_file(dll(), content);
    return error_text([&] { with_deed(open(), 0); });
  };
  EXPECT_THAT(refusal("MZ, but not more"), HasSubstr("its binary Villain.dll is not a DLL for Windows"));
  EXPECT_THAT(refusal(""), HasSubstr("is not a DLL for Windows"));
  const auto header = static_cast<unsigned char>(bytes[0x3c]) + 256U * static_cast<unsigned char>(bytes[0x3d]);
  std::string other = bytes;
  other[header + 4] = 0x4c;
  other[header + 5] = 0x01;
  EXPECT_THAT(refusal(other), HasSubstr("its binary Villain.dll is for 32 bit"));
  other[header + 4] = 0x64;
  other[header + 5] = static_cast<char>(0xaa);
  EXPECT_THAT(refusal(other), HasSubstr("is for another processor"));
  // The header is right, the rest is missing.
  EXPECT_THAT(refusal(bytes.substr(0, 1000)), HasSubstr("its binary Villain.dll cannot be loaded"));
}

TEST_F(Foreign, SaysWhichFunctionIsMissingWhenItIsNeeded) {
  write_file(source(), std::string("#define fmi2SetReal another_name\n") + villain);
  ASSERT_TRUE(compile(source(), dll()));
  const Fmu fmu = open();
  const auto unit = with_deed(fmu, 0);
  EXPECT_THAT(error_text([&] { set<double>(*unit, fmu.description(), "u", {1}); }, Fault::run),
              HasSubstr("the FMU's binary has no function fmi2SetReal"));
}

// --- Wine

// Sets a variable of the environment while it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_)
      ::setenv(name_, before_->c_str(), 1);
    else
      ::unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST_F(Foreign, SaysWhatToInstallWithoutWine) {
  const Variable none("CONSORT_WINE", "none");
  EXPECT_THAT(
      error_text([&] { with_deed(open(), 0); }),
      AllOf(HasSubstr("has binaries for win64 only; binaries for win64 run through Wine, which is not installed"),
            HasSubstr("apt-get install --no-install-recommends wine64")));
  write_file(folder_.path() / "sources/a.c", "");
  EXPECT_THAT(error_text([&] { with_deed(open(), 0); }), HasSubstr("or add --compile"));
  const Variable wrong("CONSORT_WINE", "/dev/null/wine");
  EXPECT_THAT(error_text([&] { with_deed(open(), 0); }), HasSubstr("CONSORT_WINE is set to '/dev/null/wine'"));
}

TEST_F(Foreign, MakesASmallPrefixOfItsOwnOnce) {
  const os::TempFolder cache("test");
  const Variable home("XDG_CACHE_HOME", cache.path().string());
  const auto wine = foreign::find_wine();
  ASSERT_TRUE(wine);
  EXPECT_FALSE(foreign::is_prepared(*wine));
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { good += fs::exists(foreign::prepare_prefix(*wine) / "dosdevices/z:") ? 1 : 0; });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, 4);
  EXPECT_TRUE(foreign::is_prepared(*wine));
  EXPECT_EQ(std::distance(fs::directory_iterator(foreign::prefix_root()), fs::directory_iterator()), 1);
  EXPECT_NO_THROW(with_deed(open(), 0)->do_step(0, 1));
  // Nothing but what Wine itself needs: no desktop, no documents of the user.
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(foreign::prefix_root()))
    if (!entry.is_symlink() && entry.is_regular_file()) bytes += entry.file_size();
  EXPECT_LT(bytes, 2U << 20);
  EXPECT_TRUE(foreign::remove_prefixes());
  EXPECT_FALSE(foreign::remove_prefixes());
}

TEST_F(Foreign, RepairsADamagedPrefix) {
  const os::TempFolder cache("test");
  const Variable home("XDG_CACHE_HOME", cache.path().string());
  const auto wine = foreign::find_wine();
  ASSERT_TRUE(wine);
  const fs::path prefix = foreign::prepare_prefix(*wine);
  fs::remove(prefix / ".update-timestamp");
  fs::remove_all(prefix / "dosdevices");
  EXPECT_EQ(foreign::prepare_prefix(*wine), prefix);
  EXPECT_TRUE(fs::exists(prefix / "dosdevices/z:"));
  EXPECT_EQ(std::distance(fs::directory_iterator(foreign::prefix_root()), fs::directory_iterator()), 1);
}

// A program that is killed while it starts may leave a server that answers nobody.
TEST_F(Foreign, LeavesAPrefixInWhichNothingStarts) {
  const os::TempFolder cache("test");
  const Variable home("XDG_CACHE_HOME", cache.path().string());
  const auto wine = foreign::find_wine();
  ASSERT_TRUE(wine);
  const fs::path prefix = foreign::prepare_prefix(*wine);
  std::ofstream(prefix / "used") << "before";
  foreign::retire_prefix(prefix);
  EXPECT_FALSE(foreign::is_prepared(*wine));
  EXPECT_EQ(foreign::prepare_prefix(*wine), prefix);
  EXPECT_FALSE(fs::exists(prefix / "used"));
  EXPECT_NO_THROW(with_deed(open(), 0)->do_step(0, 1));
  EXPECT_TRUE(foreign::remove_prefixes());
}

TEST(ForeignLink, TellsAProgramThatDoesNothing) {
  foreign::LinkSetup setup;
  setup.start.file = "/bin/sh";
  setup.start.arguments = {"-c", "exec sleep 30"};
  setup.start.who = "nobody.fmu";
  setup.shown = "nobody.fmu";
  setup.start_limit = std::chrono::duration<double>(0.2);
  EXPECT_THROW(foreign::Link{setup}, foreign::StuckAtStart);
}

TEST_F(Foreign, SaysThatThePrefixCannotBeWritten) {
  const Variable home("XDG_CACHE_HOME", "/dev/null");
  EXPECT_THAT(error_text([&] { with_deed(open(), 0); }, Fault::run),
              AllOf(HasSubstr("Wine's files for Consort cannot be written to '/dev/null/consort/wine'"),
                    HasSubstr("set XDG_CACHE_HOME")));
}

}  // namespace
}  // namespace consort::fmi
