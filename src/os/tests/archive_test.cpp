#include "os/archive.hpp"

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zip.h>

#include "base/tests/error_text.hpp"
#include "base/text.hpp"
#include "os/tests/raw_zip.hpp"

namespace consort::os {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

// <top>/in.zip is unpacked into <top>/out/inner; any other new file below <top> has escaped.
class ArchiveTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(target_); }

  void write_archive(std::string_view bytes) { std::ofstream(archive_, std::ios::binary) << bytes; }

  // Regular files and folders below, with the content of the files.
  static std::map<std::string, std::string> tree(const fs::path& folder) {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const std::string name = entry.path().lexically_relative(folder).string();
      found[name] = entry.is_regular_file() ? read_file(entry.path()) : "/";
    }
    return found;
  }

  // Unpacks and expects an error that names the archive; no file may remain anywhere.
  std::string refusal(const RawZip& zip, const ArchiveLimits& limits = {}) { return refusal(zip.bytes(), limits); }
  std::string refusal(const std::string& bytes, const ArchiveLimits& limits = {}) {
    write_archive(bytes);
    std::string text = error_text([&] { unpack(archive_, target_, limits); });
    EXPECT_THAT(text, HasSubstr("in.zip'"));
    EXPECT_TRUE(fs::is_empty(target_)) << text;
    EXPECT_THAT(tree(top_.path() / "out"), ElementsAre(Pair("inner", "/"))) << text;
    EXPECT_EQ(std::distance(fs::directory_iterator(top_.path()), {}), 3) << text;  // archive, out, owner record
    return text;
  }

  TempFolder top_{"test"};
  fs::path archive_ = top_.path() / "in.zip";
  fs::path target_ = top_.path() / "out" / "inner";
};

// --- accepted archives

TEST_F(ArchiveTest, UnpacksFilesAndFoldersWithPrivateModes) {
  write_archive(RawZip()
                    .add({.name = "modelDescription.xml", .content = "<x/>", .mode = S_IFREG | 0777})
                    .add({.name = "resources/", .mode = S_IFDIR | 0777})
                    .add({.name = "binaries/linux64/m.so", .content = "code"})
                    .add({.name = "empty", .content = ""})
                    .bytes());
  unpack(archive_, target_);
  EXPECT_THAT(tree(target_), UnorderedElementsAre(Pair("modelDescription.xml", "<x/>"), Pair("resources", "/"),
                                                  Pair("binaries", "/"), Pair("binaries/linux64", "/"),
                                                  Pair("binaries/linux64/m.so", "code"), Pair("empty", "")));
  EXPECT_EQ(fs::status(target_ / "modelDescription.xml").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(target_ / "binaries").permissions(), fs::perms::owner_all);
}

TEST_F(ArchiveTest, TakesBackslashesForSeparators) {
  write_archive(
      RawZip().add({.name = "resources\\", .system = 0}).add({.name = "resources\\a\\b.txt", .content = "b"}).bytes());
  unpack(archive_, target_);
  EXPECT_EQ(read_file(target_ / "resources" / "a" / "b.txt"), "b");
}

TEST_F(ArchiveTest, AcceptsHarmlessOddNames) {
  write_archive(RawZip()
                    .add({.name = "./", .mode = S_IFDIR | 0755})
                    .add({.name = "./a//b", .content = "1"})
                    .add({.name = "..c", .content = "2"})
                    .add({.name = "d..", .content = "3"})
                    .add({.name = "a/", .mode = S_IFDIR | 0755})
                    .add({.name = "a/", .mode = S_IFDIR | 0755})
                    .add({.name = "folder without slash", .mode = S_IFDIR | 0755})
                    .add({.name = "folder without slash/e", .content = "5"})
                    .add({.name = "gr\xC3\xBC\xC3\x9F", .content = "4", .flags = 0x800})
                    .add({.name = "dos\x81", .content = "6", .system = 0})
                    .bytes());
  unpack(archive_, target_);
  EXPECT_EQ(read_file(target_ / "a" / "b"), "1");
  EXPECT_EQ(read_file(target_ / "..c"), "2");
  EXPECT_EQ(read_file(target_ / "gr\xC3\xBC\xC3\x9F"), "4");
  EXPECT_EQ(read_file(target_ / "dos\xC3\xBC"), "6");  // code page 437
  EXPECT_EQ(read_file(target_ / "folder without slash" / "e"), "5");
}

TEST_F(ArchiveTest, AcceptsAnArchiveWithoutEntries) {
  write_archive(RawZip().bytes());
  unpack(archive_, target_);
  EXPECT_TRUE(fs::is_empty(target_));
  EXPECT_TRUE(list_archive(archive_).empty());
}

TEST_F(ArchiveTest, KeepsWhatWasInTheFolderBeforeAFailure) {
  std::ofstream(target_ / "before") << "kept";
  fs::create_directory(target_ / "a");
  write_archive(RawZip()
                    .add({.name = "a/new", .content = "x"})
                    .add({.name = "b/new", .content = "x"})
                    .add({.name = "z", .content = "x", .declared_crc = 1})
                    .bytes());
  EXPECT_THAT(error_text([&] { unpack(archive_, target_); }), HasSubstr("entry 'z'"));
  EXPECT_THAT(tree(target_), UnorderedElementsAre(Pair("before", "kept"), Pair("a", "/")));
}

TEST_F(ArchiveTest, DoesNotOverwriteOrFollowWhatIsInTheFolder) {
  std::ofstream(top_.path() / "precious") << "kept";
  fs::create_symlink(top_.path() / "precious", target_ / "link");
  fs::create_directory_symlink(top_.path(), target_ / "up");
  write_archive(RawZip().add({.name = "link", .content = "overwritten"}).bytes());
  EXPECT_THAT(error_text([&] { unpack(archive_, target_); }, Fault::run), HasSubstr("'link'"));
  write_archive(RawZip().add({.name = "up/escaped", .content = "x"}).bytes());
  EXPECT_THAT(error_text([&] { unpack(archive_, target_); }, Fault::run), HasSubstr("'up'"));
  EXPECT_EQ(read_file(top_.path() / "precious"), "kept");
  EXPECT_FALSE(fs::exists(top_.path() / "escaped"));
}

TEST_F(ArchiveTest, NeedsAFolderToUnpackInto) {
  write_archive(RawZip().add({.name = "a", .content = "x"}).bytes());
  EXPECT_THAT(error_text([&] { unpack(archive_, top_.path() / "missing"); }, Fault::run), HasSubstr("missing"));
}

// --- paths that lead elsewhere

TEST_F(ArchiveTest, RefusesPathsThatLeaveTheFolder) {
  for (const char* name :
       {"../escaped", "a/../../escaped", "..", "a/..", "..\\escaped", "a\\..\\..\\escaped", "./../x", "../"}) {
    EXPECT_THAT(refusal(RawZip().add({.name = "first", .content = "1"}).add({.name = name, .content = "x"})),
                HasSubstr("leaves the archive"))
        << name;
  }
}

TEST_F(ArchiveTest, RefusesAbsolutePaths) {
  const std::string absolute = (top_.path() / "escaped").string();
  for (const std::string& name : {absolute, std::string("\\escaped"), std::string("C:\\escaped"),
                                  std::string("c:escaped"), std::string("//host/share"), std::string("/")}) {
    EXPECT_THAT(refusal(RawZip().add({.name = name, .content = "x"})), HasSubstr("absolute")) << name;
  }
}

TEST_F(ArchiveTest, RefusesControlCharactersAndMissingOrLongNames) {
  EXPECT_THAT(refusal(RawZip().add({.name = "a\nb", .content = "x"})), HasSubstr("control characters"));
  EXPECT_THAT(refusal(RawZip().add({.name = "a\x1b[2J", .content = "x"})), HasSubstr("control characters"));
  EXPECT_THAT(refusal(RawZip().add({.name = "a\x7f", .content = "x"})), HasSubstr("control characters"));
  EXPECT_THAT(refusal(RawZip().add({.name = "\x01\x81", .content = "x", .system = 0})),
              HasSubstr("control characters"));
  EXPECT_THAT(refusal(RawZip().add({.name = "", .content = "x"})), HasSubstr("no name"));
  EXPECT_THAT(refusal(RawZip().add({.name = std::string(300, 'a'), .content = "x"})), HasSubstr("255 bytes"));
  std::string deep;
  for (int i = 0; i < 600; ++i) deep += "a/";
  EXPECT_THAT(refusal(RawZip().add({.name = deep + "b", .content = "x"})), HasSubstr("1201 bytes"));
}

TEST_F(ArchiveTest, RefusesNothingButReadsANulAsABlank) {
  write_archive(RawZip().add({.name = std::string("a\0b", 3), .content = "x"}).bytes());
  unpack(archive_, target_);
  EXPECT_THAT(tree(target_), ElementsAre(Pair("a b", "x")));
}

// --- entries that are not files

TEST_F(ArchiveTest, RefusesLinksAndDevices) {
  EXPECT_THAT(refusal(RawZip().add({.name = "link", .content = "/etc/passwd", .mode = S_IFLNK | 0777})),
              HasSubstr("symbolic link"));
  EXPECT_THAT(refusal(RawZip().add({.name = "link", .content = "..", .mode = S_IFLNK | 0777, .system = 0})),
              HasSubstr("symbolic link"));
  EXPECT_THAT(refusal(RawZip().add({.name = "link/", .mode = S_IFLNK | 0777})), HasSubstr("symbolic link"));
  for (const std::uint32_t kind : {0020000U, 0060000U, 0010000U, 0140000U}) {  // S_IFCHR, S_IFBLK, S_IFIFO, S_IFSOCK
    EXPECT_THAT(refusal(RawZip().add({.name = "device", .mode = kind | 0666U})),
                HasSubstr("neither a file nor a folder"));
  }
}

TEST_F(ArchiveTest, RefusesALinkFollowedByAFileBehindIt) {
  EXPECT_THAT(refusal(RawZip()
                          .add({.name = "x", .content = top_.path().string(), .mode = S_IFLNK | 0777})
                          .add({.name = "x/escaped", .content = "x"})),
              HasSubstr("symbolic link"));
}

TEST_F(ArchiveTest, RefusesDuplicates) {
  EXPECT_THAT(
      refusal(RawZip().add({.name = "a", .content = "1"}).add({.name = "b"}).add({.name = "a", .content = "2"})),
      HasSubstr("entry 'a': it occurs twice"));
  EXPECT_THAT(refusal(RawZip().add({.name = "d/a"}).add({.name = "d\\a", .content = "1"})), HasSubstr("twice"));
  EXPECT_THAT(refusal(RawZip().add({.name = "a"}).add({.name = "./a", .content = "1"})), HasSubstr("twice"));
  EXPECT_THAT(refusal(RawZip()
                          .add({.name = "a", .content = "1"})
                          .add({.name = "a", .content = "1"})
                          .add({.name = "a", .content = "2"})),
              HasSubstr("twice"));
}

TEST_F(ArchiveTest, UnpacksOneOfSeveralEqualFiles) {
  write_archive(RawZip()
                    .add({.name = "a", .content = "same"})
                    .add({.name = "b", .content = "other"})
                    .add({.name = "./a", .content = "same"})
                    .bytes());
  unpack(archive_, target_);
  EXPECT_THAT(tree(target_), UnorderedElementsAre(Pair("a", "same"), Pair("b", "other")));
}

TEST_F(ArchiveTest, RefusesAFileThatIsAFolderToo) {
  EXPECT_THAT(refusal(RawZip().add({.name = "a", .content = "1"}).add({.name = "a/b"})),
              HasSubstr("'a' is a file and a folder"));
  EXPECT_THAT(refusal(RawZip().add({.name = "a/b"}).add({.name = "a", .content = "1"})),
              HasSubstr("'a' is a file and a folder"));
  EXPECT_THAT(refusal(RawZip().add({.name = "a/"}).add({.name = "a", .content = "1"})), HasSubstr("twice"));
  // Other names sort between "a" and "a/b" unless the slash is the first of all characters.
  EXPECT_THAT(refusal(RawZip().add({.name = "a"}).add({.name = "a b"}).add({.name = "a!"}).add({.name = "a/b"})),
              HasSubstr("'a' is a file and a folder"));
  EXPECT_THAT(refusal(RawZip().add({.name = "a/", .content = "content"})), HasSubstr("folder with content"));
}

TEST_F(ArchiveTest, RefusesEncryptedEntries) {
  EXPECT_THAT(refusal(RawZip().add({.name = "secret", .content = "xxxxxxxxxxxxxxxx", .flags = 1})),
              HasSubstr("encrypted"));
}

// --- sizes

TEST_F(ArchiveTest, RefusesEntriesThatLieAboutTheirSize) {
  EXPECT_THAT(
      refusal(RawZip().add({.name = "ok", .content = "1"}).add({.name = "a", .content = "12345", .declared_size = 3})),
      HasSubstr("entry 'a'"));
  EXPECT_THAT(refusal(RawZip().add({.name = "a", .content = "12345", .declared_size = 10})), HasSubstr("entry 'a'"));
  EXPECT_THAT(refusal(RawZip().add({.name = "a", .content = "12345", .declared_crc = 1})), HasSubstr("entry 'a'"));
  EXPECT_THAT(refusal(RawZip().add({.name = "a", .content = "12345", .declared_packed = 4000})), HasSubstr("in.zip"));
}

TEST_F(ArchiveTest, RefusesADeflatedEntryThatGrowsBeyondItsDeclaredSize) {
  // One stored block of 5 bytes as deflate writes it, declared as 2 bytes.
  const std::string deflated = std::string("\x01\x05\x00\xfa\xff", 5) + "hello";
  const RawEntry honest{
      .name = "a", .content = deflated, .method = 8, .declared_size = 5, .declared_crc = RawZip::crc("hello")};
  write_archive(RawZip().add(honest).bytes());
  unpack(archive_, target_);
  EXPECT_EQ(read_file(target_ / "a"), "hello");
  fs::remove(target_ / "a");

  RawEntry liar = honest;
  liar.declared_size = 2;
  EXPECT_THAT(refusal(RawZip().add(liar)), HasSubstr("entry 'a': it cannot be unpacked"));
  RawEntry garbage = honest;
  garbage.content[0] = '\x07';
  EXPECT_THAT(refusal(RawZip().add(garbage)), HasSubstr("entry 'a': it cannot be unpacked"));
}

TEST_F(ArchiveTest, RefusesWhatUnpacksToFarMoreThanItsSize) {
  EXPECT_THAT(refusal(RawZip().add(
                  {.name = "bomb", .content = std::string(100, 'x'), .method = 8, .declared_size = 2'000'000})),
              HasSubstr("made to fill disks"));
  // The ratio of small entries is not checked, but there may be many of them.
  RawZip many;
  const RawEntry small{.name = "", .content = "x", .method = 8, .declared_size = 1'000'000};
  for (int i = 0; i < 200; ++i) {
    RawEntry entry = small;
    entry.name = std::to_string(i);
    many.add(entry);
  }
  EXPECT_THAT(refusal(many), AllOf(HasSubstr("made to fill disks"), HasSubstr("200000000 bytes")));
}

TEST_F(ArchiveTest, RefusesARealBombAndTakesItWithHigherLimits) {
  const fs::path folder = top_.path() / "bomb";
  fs::create_directory(folder);
  std::ofstream(folder / "zeros") << std::string(8 << 20, '\0');
  pack(folder, archive_);
  fs::remove_all(folder);
  EXPECT_THAT(refusal(read_file(archive_), {.ratio = 500}), HasSubstr("entry 'zeros'"));
  unpack(archive_, target_, {.ratio = 2000});
  EXPECT_EQ(fs::file_size(target_ / "zeros"), 8U << 20);
}

TEST_F(ArchiveTest, RefusesMoreThanItsLimits) {
  RawZip zip;
  for (int i = 0; i < 20; ++i) zip.add({.name = std::to_string(i) + "/g", .content = "12345"});
  EXPECT_THAT(refusal(zip, {.entries = 19}), HasSubstr("20 entries, more than the 19"));
  EXPECT_THAT(refusal(zip, {.total_bytes = 99}), HasSubstr("more than the 99 bytes"));
  EXPECT_THAT(refusal(zip, {.path_length = 3}), HasSubstr("shorten"));
  RawZip deep;
  for (int i = 0; i < 5; ++i) deep.add({.name = std::to_string(i) + "/1/2/3/4/5/file"});
  EXPECT_THAT(refusal(deep, {.entries = 10}), HasSubstr("30 folders, more than the 10"));
  unpack(archive_, target_, {.entries = 30});
}

TEST_F(ArchiveTest, RefusesHugeDeclaredSizesWithoutOverflow) {
  RawZip zip;
  for (int i = 0; i < 5; ++i) {
    zip.add({.name = std::to_string(i), .content = "x", .declared_size = 0xFFFFFFF0U, .declared_packed = 0xFFFFFFF0U});
  }
  EXPECT_THAT(refusal(zip, {.total_bytes = ~std::uint64_t{0}}), HasSubstr("in.zip"));
}

// --- files that are not archives

TEST_F(ArchiveTest, RefusesWhatIsNoArchive) {
  EXPECT_THAT(refusal(std::string()), HasSubstr("is empty"));
  EXPECT_THAT(refusal(std::string("just text")), HasSubstr("not a zip archive"));
  EXPECT_THAT(refusal(std::string(100'000, 'P')), HasSubstr("not a zip archive"));
  EXPECT_THAT(error_text([&] { unpack(target_, target_); }), HasSubstr("is not a file"));
  EXPECT_THAT(error_text([&] { unpack("/dev/zero", target_); }), HasSubstr("is not a file"));
  EXPECT_THAT(error_text([&] { unpack(top_.path() / "missing.fmu", target_); }), HasSubstr("No such file"));
  EXPECT_THAT(error_text([&] { (void)list_archive(top_.path() / "missing.fmu"); }), HasSubstr("No such file"));
}

TEST_F(ArchiveTest, RefusesAnArchiveThatIsCutOffAnywhere) {
  const std::string whole =
      RawZip().add({.name = "a/b", .content = "12345"}).add({.name = "c", .content = "6"}).bytes();
  for (std::size_t length = 0; length < whole.size(); ++length) refusal(whole.substr(0, length));
}

TEST_F(ArchiveTest, NeverCrashesNorEscapesWhenAByteIsChanged) {
  const std::string whole =
      RawZip().add({.name = "a/b", .content = "12345"}).add({.name = "c", .content = "6"}).bytes();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char value : {'\0', '\xFF', '/', '.'}) {
      std::string changed = whole;
      changed[at] = value;
      write_archive(changed);
      try {
        unpack(archive_, target_);
      } catch (const Error& error) {
        EXPECT_TRUE(fs::is_empty(target_)) << error.what();
      }
      fs::remove_all(target_);
      EXPECT_TRUE(fs::is_empty(top_.path() / "out"));
      fs::create_directory(target_);
    }
  }
}

// --- listing and packing

TEST_F(ArchiveTest, ListsNamesInTheOrderOfTheArchive) {
  write_archive(RawZip().add({.name = "z"}).add({.name = "a/"}).add({.name = "a/b", .content = "x"}).bytes());
  EXPECT_THAT(list_archive(archive_), ElementsAre("z", "a/", "a/b"));
}

TEST_F(ArchiveTest, PacksWhatItUnpacks) {
  const fs::path folder = top_.path() / "folder";
  fs::create_directories(folder / "b" / "empty");
  std::ofstream(folder / "b" / "two") << std::string(100'000, 'x');
  std::ofstream(folder / "one") << "1";
  std::ofstream(folder / "b.txt") << "";
  fs::create_symlink("one", folder / "link");
  pack(folder, archive_);
  EXPECT_THAT(list_archive(archive_), ElementsAre("b.txt", "b/two", "one"));
  unpack(archive_, target_);
  EXPECT_EQ(read_file(target_ / "b" / "two"), std::string(100'000, 'x'));
}

TEST_F(ArchiveTest, PacksEqualContentIntoEqualBytes) {
  const std::vector<fs::path> folders = {top_.path() / "first", top_.path() / "second"};
  std::vector<std::string> bytes;
  for (const fs::path& folder : folders) {
    fs::create_directory(folder);
    // Created in another order, with other times.
    for (int i = 0; i < 20; ++i) {
      const int n = folder == folders[0] ? i : 19 - i;
      std::ofstream(folder / (std::string("file") + std::to_string(n)))
          << std::string(1000, static_cast<char>('a' + n));
      fs::last_write_time(folder / (std::string("file") + std::to_string(n)),
                          fs::file_time_type::clock::now() - std::chrono::hours(i));
    }
    pack(folder, archive_);
    bytes.push_back(read_file(archive_));
  }
  EXPECT_EQ(bytes[0], bytes[1]);
}

TEST_F(ArchiveTest, PackReplacesAnArchiveAndDoesNotPackItself) {
  std::ofstream(target_ / "a") << "1";
  const fs::path inside = target_ / "self.zip";
  pack(target_, inside);
  pack(target_, inside);
  EXPECT_THAT(list_archive(inside), ElementsAre("a"));
}

TEST_F(ArchiveTest, PackSaysWhatIsWrong) {
  EXPECT_THAT(error_text([&] { pack(top_.path() / "missing", archive_); }), HasSubstr("not a folder"));
  EXPECT_THAT(error_text([&] { pack(target_, archive_); }), HasSubstr("no file to pack"));
  std::ofstream(target_ / "a") << "1";
  EXPECT_THAT(error_text([&] { pack(target_, top_.path() / "missing" / "x.zip"); }, Fault::run), HasSubstr("x.zip"));
  std::ofstream(target_ / "bad\xFFname") << "1";
  EXPECT_THAT(error_text([&] { pack(target_, archive_); }), HasSubstr("not UTF-8"));
}

}  // namespace
}  // namespace consort::os
