#include "fmi/library.hpp"

#include <algorithm>
#include <cstdlib>
#include <random>

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/tests/error_text.hpp"
#include "fmi/binaries.hpp"
#include "fmi/package.hpp"
#include "fmi/tests/fmu_files.hpp"

namespace consort::fmi {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string load_error(const fs::path& file) {
  return error_text([&] { (void)load_library(file, {"x.fmu", "x"}); });
}

// Compiles a shared library; false without a compiler, then the test is skipped.
bool compile_library(const fs::path& to, const std::string& source, const std::string& options = "") {
  const fs::path code = to.string() + ".c";
  write_file(code, source);
  const std::string command = "cc -shared -fPIC -o '" + to.string() + "' '" + code.string() + "' " + options;
  return std::system(command.c_str()) == 0;
}

// --- properties of a binary

TEST(Elf, TellsWhatOurBinariesNeedAndExport) {
  const Fmu fmu = open_fmu(2, "Dahlquist");
  const fs::path binary = binary_of(fmu);
  EXPECT_THAT(needed_libraries(binary), Contains("libc.so.6"));
  EXPECT_THAT(libraries_not_found(binary), IsEmpty());
  EXPECT_THAT(exported_symbols(binary), AllOf(Contains("fmi2DoStep"), Contains("fmi2Instantiate"),
                                              Not(Contains("fmi3DoStep")), Not(Contains("malloc"))));
  EXPECT_EQ(platform_mismatch(binary), "");
  EXPECT_THAT(exported_symbols(binary_of(open_fmu(1, "Dahlquist"))), Contains("Dahlquist_fmiDoStep"));
}

TEST(Elf, FindsNothingInWhatIsNone) {
  const os::TempFolder folder("test");
  const fs::path file = folder.path() / "x.so";
  using namespace std::string_literals;
  for (const std::string& bytes : {""s, "M"s,
                                   "\x7F"s
                                   "ELF",
                                   "MZ this is for Windows"s, std::string(1000, '\0')}) {
    write_file(file, bytes);
    EXPECT_THAT(needed_libraries(file), IsEmpty());
    EXPECT_THAT(exported_symbols(file), IsEmpty());
    EXPECT_EQ(platform_mismatch(file), "is not a shared library for Linux");
  }
  for (const char* none : {"none.so", "."}) EXPECT_THAT(exported_symbols(folder.path() / none), IsEmpty());
  EXPECT_EQ(platform_mismatch(folder.path() / "none.so"), "is not a shared library for Linux");
}

TEST(Elf, TellsAnotherPlatform) {
  const std::string good = read_file(binary_of(open_fmu(2, "Dahlquist")));
  const os::TempFolder folder("test");
  const fs::path file = folder.path() / "x.so";
  const auto changed = [&](std::size_t offset, int value) {
    std::string bytes = good;
    bytes[offset] = static_cast<char>(value);
    write_file(file, bytes);
    return platform_mismatch(file);
  };
  EXPECT_EQ(changed(EI_CLASS, ELFCLASS32), "is for 32-bit systems");
  EXPECT_EQ(changed(offsetof(Elf64_Ehdr, e_machine), EM_AARCH64), "is for ARM (aarch64)");
  EXPECT_THAT(changed(offsetof(Elf64_Ehdr, e_machine), EM_RISCV),
              HasSubstr("another kind of processor (ELF machine 243"));
  EXPECT_THAT(load_error(file), AllOf(HasSubstr("x.fmu: its binary x.so is for another kind of processor"),
                                      HasSubstr("64-bit Linux on x86")));
  write_file(file, good.substr(0, 40));
  EXPECT_EQ(platform_mismatch(file), "is cut short");
}

TEST(Elf, SurvivesBeingCutShortAnywhere) {
  const std::string good = read_file(binary_of(open_fmu(2, "Dahlquist")));
  const os::TempFolder folder("test");
  const fs::path file = folder.path() / "x.so";
  for (std::size_t size = 0; size < good.size(); size += size < 2048 ? 37 : good.size() / 40) {
    write_file(file, good.substr(0, size));
    EXPECT_LT(needed_libraries(file).size(), 100U);
    EXPECT_LT(exported_symbols(file).size(), 100'000U);
    (void)platform_mismatch(file);
  }
}

TEST(Elf, SurvivesBytesChangedAtRandom) {
  const std::string good = read_file(binary_of(open_fmu(2, "Dahlquist")));
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(good.data());
  const os::TempFolder folder("test");
  const fs::path file = folder.path() / "x.so";
  std::mt19937 random(1);  // fixed seed
  for (int round = 0; round < 150; ++round) {
    std::string bytes = good;
    // Damages the headers, the section tables and the rest in turn.
    const std::size_t from = round % 3 == 1 ? header->e_shoff : 0;
    const std::size_t size = round % 3 == 0 ? 1024 : bytes.size() - from;
    for (int i = 0; i < 20; ++i) bytes[from + random() % size] = static_cast<char>(random());
    write_file(file, bytes);
    for (const auto& name : exported_symbols(file)) EXPECT_LE(name.size(), 4096U);
    for (const auto& name : needed_libraries(file)) EXPECT_LE(name.size(), 4096U);
    (void)platform_mismatch(file);
  }
}

TEST(Elf, TakesNoMoreMemoryThanTheFileIsWorth) {
  // Every section is a symbol table whose names all extend to the end of the file.
  std::string bytes(20 << 20, '\1');  // as an offset into the names: 16 MiB
  Elf64_Ehdr header{};
  std::copy_n(ELFMAG, SELFMAG, header.e_ident);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_machine = EM_X86_64;
  header.e_shoff = sizeof header;
  header.e_shnum = 1000;
  std::copy_n(reinterpret_cast<const char*>(&header), sizeof header, bytes.begin());
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{};
    section.sh_type = SHT_DYNSYM;
    section.sh_size = bytes.size();
    std::copy_n(reinterpret_cast<const char*>(&section), sizeof section,
                bytes.begin() + static_cast<std::ptrdiff_t>(sizeof header + i * sizeof section));
  }
  const os::TempFolder folder("test");
  write_file(folder.path() / "x.so", bytes);
  std::size_t total = 0;
  for (const auto& name : exported_symbols(folder.path() / "x.so")) total += name.size();
  EXPECT_GT(total, 0U);
  EXPECT_LE(total, 2 * bytes.size());
}

// --- loading

TEST(Library, FindsFunctionsPlainAndWithThePrefixOfTheModel) {
  const Fmu fmu = open_fmu(1, "Dahlquist");
  const auto loaded = load_library(binary_of(fmu), {"x.fmu", "Dahlquist"});
  const Library& library = *loaded;
  EXPECT_NE(library.function<void()>("fmiDoStep").call, nullptr);
  EXPECT_STREQ(library.function<void()>("fmiDoStep").name, "fmiDoStep");
  EXPECT_EQ(library.function<void()>("fmiDance").call, nullptr);
}

TEST(Library, SaysWhatIsWrongWithABinary) {
  const os::TempFolder folder("test");
  const fs::path file = folder.path() / "x.so";
  write_file(file, "not a library");
  EXPECT_THAT(load_error(file), HasSubstr("x.fmu: its binary x.so is not a shared library for Linux; use an FMU"));
  // The loader maps the declared segments; a missing end of the file would cause a bus error.
  const std::string good = read_file(binary_of(open_fmu(2, "Dahlquist")));
  for (const std::size_t size : {std::size_t{4096}, std::size_t{16384}}) {
    write_file(file, good.substr(0, size));
    EXPECT_THAT(load_error(file), HasSubstr("x.fmu: its binary x.so is cut short; use an FMU"));
  }
  Elf64_Ehdr header{};
  std::copy_n(good.data(), sizeof header, reinterpret_cast<char*>(&header));
  header.e_phnum = 0;
  write_file(file, std::string(reinterpret_cast<const char*>(&header), sizeof header));
  EXPECT_THAT(load_error(file), AllOf(HasSubstr("x.fmu: its binary cannot be loaded: "), HasSubstr("complete one")));
}

TEST(Library, NamesTheLibraryThatIsMissing) {
  const os::TempFolder folder("test");
  const fs::path gone = folder.path() / "libgone_for_good.so.7";
  const fs::path file = folder.path() / "x.so";
  if (!compile_library(gone, "int f(void) { return 1; }", "-Wl,-soname,libgone_for_good.so.7"))
    GTEST_SKIP() << "there is no C compiler";
  ASSERT_TRUE(compile_library(file, "int f(void); int g(void) { return f(); }", "'" + gone.string() + "'"));
  EXPECT_THAT(needed_libraries(file), Contains("libgone_for_good.so.7"));
  fs::rename(gone, folder.path() / "elsewhere");
  EXPECT_THAT(libraries_not_found(file), ElementsAre("libgone_for_good.so.7"));
  EXPECT_THAT(
      load_error(file),
      HasSubstr("x.fmu: its binary needs libgone_for_good.so.7, which is not installed; install it and run again"));
  // A library beside the binary is found even without a search path.
  fs::rename(folder.path() / "elsewhere", gone);
  EXPECT_THAT(libraries_not_found(file), IsEmpty());
  EXPECT_NE(load_library(file, {"x.fmu", "x"})->function<int()>("g").call, nullptr);
}

TEST(Library, DoesNotLoadWhatItIsOnlyAskedAbout) {
  // Loading a needed library by its path would run its initialisers.
  const fs::path here = fs::current_path();
  const os::TempFolder folder("test");
  const fs::path trap = folder.path() / "trap.so";
  const fs::path sprung = folder.path() / "sprung";
  const fs::path file = folder.path() / "binaries" / "x.so";
  fs::create_directories(file.parent_path());
  const std::string name = fs::relative(trap, here).string();
  const std::string source =
      "#include <stdio.h>\n__attribute__((constructor)) static void run(void) { fclose(fopen(\"" + sprung.string() +
      "\", \"w\")); } int f(void) { return 1; }";
  if (!compile_library(trap, source, "-Wl,-soname,'" + name + "'")) GTEST_SKIP() << "there is no C compiler";
  ASSERT_TRUE(compile_library(file, "int f(void); int g(void) { return f(); }", "'" + trap.string() + "'"));
  ASSERT_THAT(needed_libraries(file), Contains(name));
  EXPECT_THAT(libraries_not_found(file), IsEmpty());
  EXPECT_FALSE(fs::exists(sprung));
}

// --- finding the binary

TEST(FindBinary, TakesTheFolderOfTheVersionAndThenTheOther) {
  const os::TempFolder folder("test");
  const auto find = [&](describe::FmiVersion version) {
    return find_binary({folder.path(), "x.fmu", "m", version}).file;
  };
  write_file(folder.path() / "binaries/linux64/m.so", "");
  EXPECT_EQ(find(describe::FmiVersion::v3), folder.path() / "binaries/linux64/m.so");
  write_file(folder.path() / "binaries/x86_64-linux/m.so", "");
  EXPECT_EQ(find(describe::FmiVersion::v3), folder.path() / "binaries/x86_64-linux/m.so");
  EXPECT_EQ(find(describe::FmiVersion::v2), folder.path() / "binaries/linux64/m.so");
  EXPECT_THAT(platforms(folder.path()), ElementsAre("linux64", "x86_64-linux"));
}

TEST(FindBinary, TakesTheOnlyOneWhateverItsNameAndNoneOfSeveral) {
  const os::TempFolder folder("test");
  write_file(folder.path() / "binaries/linux64/other.so", "");
  EXPECT_EQ(find_binary({folder.path(), "x.fmu", "m"}).file.filename(), "other.so");
  write_file(folder.path() / "binaries/linux64/another.so", "");
  EXPECT_THAT(error_text([&] {
                (void)find_binary({folder.path(), "x.fmu", "m"});
              }),
              HasSubstr("x.fmu: binaries/linux64 has no m.so; it has 2 other libraries"));
}

TEST(FindBinary, SaysWhichPlatformsThereAreAndWhatToDo) {
  const os::TempFolder folder("test");
  const auto refusal = [&] { return error_text([&] { (void)find_binary({folder.path(), "x.fmu", "m"}); }); };
  EXPECT_THAT(refusal(), HasSubstr("x.fmu: has no binaries; export it again for 64-bit Linux"));
  write_file(folder.path() / "binaries/aarch64-linux/m.so", "");
  write_file(folder.path() / "binaries/darwin64/m.dylib", "");
  EXPECT_THAT(refusal(), HasSubstr("has binaries for aarch64-linux, darwin64 only, none for 64-bit Linux"));
  fs::create_directories(folder.path() / "sources");
  EXPECT_THAT(refusal(), HasSubstr("export it again"));
  write_file(folder.path() / "sources/m.c", "");
  EXPECT_THAT(refusal(), HasSubstr("add --compile"));
}

TEST(FindBinary, TakesAnEmptyFolderForNoPlatform) {
  const os::TempFolder folder("test");
  fs::create_directories(folder.path() / "binaries/linux64");
  fs::create_directories(folder.path() / "binaries/darwin64");
  EXPECT_THAT(platforms(folder.path()), IsEmpty());
  const auto refusal = [&] { return error_text([&] { (void)find_binary({folder.path(), "x.fmu", "m"}); }); };
  EXPECT_THAT(refusal(), HasSubstr("x.fmu: has no binaries; export it again"));
  write_file(folder.path() / "binaries/linux64/read me.txt", "");
  write_file(folder.path() / "binaries/darwin64/m.dylib", "");
  EXPECT_THAT(refusal(), HasSubstr("has binaries for darwin64 only, none for 64-bit Linux"));
}

TEST(FileUri, EncodesEverythingThatMustBe) {
  EXPECT_EQ(file_uri("/a/b-c_d.e~f"), "file:///a/b-c_d.e~f");
  EXPECT_EQ(file_uri("/with space/50%/ä"), "file:///with%20space/50%25/%C3%A4");
  EXPECT_EQ(file_uri("/#?&+"), "file:///%23%3F%26%2B");
}

}  // namespace
}  // namespace consort::fmi
