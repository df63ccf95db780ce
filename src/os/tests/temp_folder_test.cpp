#include "os/temp_folder.hpp"

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tests/error_text.hpp"
#include "base/tests/places.hpp"

namespace consort::os {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* record = ".consort-owner";

// Every test has its own TMPDIR.
class TempFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(places::scratch()) / (std::string("temp_folder-") + info->name() + std::to_string(::getpid()));
    fs::create_directories(root_);
    if (const char* before = std::getenv("TMPDIR")) before_ = before;
    ::setenv("TMPDIR", root_.c_str(), 1);
  }
  void TearDown() override {
    before_ ? ::setenv("TMPDIR", before_->c_str(), 1) : ::unsetenv("TMPDIR");
    fs::remove_all(root_);
  }

  // Makes a folder as left behind by a process with this record.
  fs::path leave_folder(const std::string& name, const std::string& owner, mode_t mode = 0700) {
    const fs::path folder = root_ / name;
    ::mkdir(folder.c_str(), mode);
    ::chmod(folder.c_str(), mode);
    if (!owner.empty()) fs::create_symlink(owner, folder / record);
    fs::create_directories(folder / "deep" / "deeper");
    std::ofstream(folder / "deep" / "file") << "content";
    return folder;
  }

  // The record of this process, and variants with another process number or start time.
  static std::string record_of_us() {
    const TempFolder folder;
    return fs::read_symlink(folder.path() / record).string();
  }
  static std::string dead_record() {
    const std::string ours = record_of_us();
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    ::waitpid(child, nullptr, 0);
    return std::to_string(child) + ours.substr(ours.find(':'));
  }
  static void make_old(const fs::path& folder, int days) {
    fs::last_write_time(folder, fs::file_time_type::clock::now() - std::chrono::hours(24 * days));
  }

  fs::path root_;
  std::optional<std::string> before_;
};

TEST_F(TempFolderTest, IsPrivateNamedAfterItsLabelAndGoneWithItsOwner) {
  fs::path path;
  {
    const TempFolder folder("my model/../x");
    path = folder.path();
    EXPECT_EQ(path.parent_path(), root_);
    EXPECT_THAT(path.filename().string(), StartsWith("consort-my-model-..-x-"));
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_all);
    fs::create_directories(path / "a" / "b");
    std::ofstream(path / "a" / "b" / "file") << "content";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(TempFolderTest, MovesWithItsOwner) {
  TempFolder first;
  const fs::path one = first.path();
  TempFolder second(std::move(first));
  EXPECT_EQ(second.path(), one);
  TempFolder third;
  const fs::path other = third.path();
  third = std::move(second);
  EXPECT_FALSE(fs::exists(other));
  EXPECT_TRUE(fs::exists(one));
}

TEST_F(TempFolderTest, RemovesFoldersThatWereMadeReadOnly) {
  fs::path path;
  {
    const TempFolder folder;
    path = folder.path();
    fs::create_directories(path / "locked" / "inner");
    std::ofstream(path / "locked" / "inner" / "file") << "content";
    ::chmod((path / "locked" / "inner").c_str(), 0500);
    ::chmod((path / "locked").c_str(), 0500);
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(TempFolderTest, DoesNotFollowLinksWhenItIsRemoved) {
  const fs::path outside = root_ / "outside";
  fs::create_directory(outside);
  std::ofstream(outside / "precious") << "content";
  {
    const TempFolder folder;
    fs::create_directory_symlink(outside, folder.path() / "link");
  }
  EXPECT_TRUE(fs::exists(outside / "precious"));
}

TEST_F(TempFolderTest, SurvivesAForkThatRunsItsDestructor) {
  auto folder = std::make_unique<TempFolder>();
  const pid_t child = ::fork();
  if (child == 0) {
    folder.reset();
    TempFolder::remove_live();
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(fs::exists(folder->path()));
}

TEST_F(TempFolderTest, IsRemovedByExit) {
  const pid_t child = ::fork();
  if (child == 0) {
    static TempFolder leaked("leaked");
    const auto* never_deleted = new TempFolder("never");
    std::ofstream(never_deleted->path() / "file") << "content";
    std::ofstream(root_ / "names") << leaked.path().string() << "\n" << never_deleted->path().string();
    std::exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  std::ifstream names(root_ / "names");
  std::string name;
  int count = 0;
  for (; std::getline(names, name); ++count) EXPECT_FALSE(fs::exists(name)) << name;
  EXPECT_EQ(count, 2);
}

TEST_F(TempFolderTest, SweepRemovesWhatADeadProcessLeft) {
  const fs::path dead = leave_folder("consort-run-aaaaaa", dead_record());
  EXPECT_EQ(TempFolder::sweep(), 1);
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_EQ(TempFolder::sweep(), 0);
}

TEST_F(TempFolderTest, SweepKeepsFoldersOfRunningProcesses) {
  const TempFolder ours;
  EXPECT_EQ(TempFolder::sweep(), 0);
  EXPECT_TRUE(fs::exists(ours.path()));
}

TEST_F(TempFolderTest, SweepDetectsThatAProcessNumberWasUsedAgain) {
  const std::string ours = record_of_us();
  const std::size_t first = ours.find(':');
  const std::size_t second = ours.find(':', first + 1);
  const fs::path dead = leave_folder("consort-run-aaaaaa", ours.substr(0, first) + ":1" + ours.substr(second));
  EXPECT_EQ(TempFolder::sweep(), 1);
  EXPECT_FALSE(fs::exists(dead));
}

TEST_F(TempFolderTest, SweepTakesAZombieForDead) {
  const pid_t child = ::fork();
  if (child == 0) {
    const TempFolder abandoned("zombie");
    ::_exit(0);
  }
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  EXPECT_EQ(TempFolder::sweep(), 1);
  ::waitpid(child, nullptr, 0);
}

TEST_F(TempFolderTest, SweepLeavesAloneWhatIsNotOurs) {
  const std::string dead = dead_record();
  const fs::path open_to_others = leave_folder("consort-run-bbbbbb", dead, 0755);
  const fs::path without_record = leave_folder("consort-data-backup", "");
  const fs::path bad_record = leave_folder("consort-run-cccccc", "12x:nonsense");
  const fs::path other_name = leave_folder("other-run-dddddd", dead);
  const fs::path elsewhere = leave_folder("consort-run-eeeeee", dead + "-in-another-container");
  make_old(without_record, 400);
  make_old(bad_record, 400);
  make_old(elsewhere, 20);
  const fs::path target = leave_folder("target", dead);
  fs::create_directory_symlink(target, root_ / "consort-run-ffffff");
  std::ofstream(root_ / "consort-file") << "content";

  EXPECT_EQ(TempFolder::sweep(), 0);
  for (const fs::path& kept : {open_to_others, without_record, bad_record, other_name, elsewhere, target}) {
    EXPECT_TRUE(fs::exists(kept / "deep" / "file")) << kept;
  }
  EXPECT_TRUE(fs::exists(root_ / "consort-file"));
}

TEST_F(TempFolderTest, SweepLeavesFoldersOfOtherUsersAlone) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make a folder of another user";
  const fs::path theirs = leave_folder("consort-run-aaaaaa", dead_record());
  ASSERT_EQ(::chown(theirs.c_str(), 12345, 12345), 0);
  EXPECT_EQ(TempFolder::sweep(), 0);
  EXPECT_TRUE(fs::exists(theirs / "deep" / "file"));
}

TEST_F(TempFolderTest, SweepRemovesEmptyFoldersWithoutRecordAfterADay) {
  const fs::path young = root_ / "consort-run-aaaaaa";
  const fs::path old = root_ / "consort-run-bbbbbb";
  for (const fs::path& folder : {young, old}) ::mkdir(folder.c_str(), 0700);
  make_old(old, 2);
  TempFolder::sweep();
  EXPECT_TRUE(fs::exists(young));
  EXPECT_FALSE(fs::exists(old));
}

TEST_F(TempFolderTest, SweepForgetsStrangersAfterAMonth) {
  const fs::path elsewhere = leave_folder("consort-run-eeeeee", dead_record() + "-on-another-machine");
  make_old(elsewhere, 31);
  EXPECT_EQ(TempFolder::sweep(), 1);
  EXPECT_FALSE(fs::exists(elsewhere));
}

TEST_F(TempFolderTest, SweepsAtOnceRemoveEachFolderExactlyOnce) {
  const std::string dead = dead_record();
  constexpr int folders = 40;
  for (int i = 0; i < folders; ++i) leave_folder("consort-run-aaaa" + std::to_string(10 + i), dead);
  std::array<pid_t, 4> children{};
  for (pid_t& child : children) {
    child = ::fork();
    if (child == 0) ::_exit(TempFolder::sweep());
  }
  int removed = 0;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    removed += WEXITSTATUS(status);
  }
  EXPECT_EQ(removed, folders);
  EXPECT_TRUE(fs::is_empty(root_));
}

TEST_F(TempFolderTest, SaysWhatToDoWhenNoneCanBeMade) {
  ::setenv("TMPDIR", (root_ / "missing").c_str(), 1);
  EXPECT_THAT(error_text([] { const TempFolder folder; }, Fault::run), HasSubstr("set TMPDIR"));
  EXPECT_EQ(TempFolder::sweep(), 0);
  ::setenv("TMPDIR", "", 1);
  EXPECT_EQ(TempFolder::root(), "/tmp");
}

}  // namespace
}  // namespace consort::os
