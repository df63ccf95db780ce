#include "os/temp_folder.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace consort::os {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "consort-";
constexpr const char* record_name = ".consort-owner";
constexpr std::time_t day = 24 * 60 * 60;
constexpr std::time_t patience_with_strangers = 30 * day;

// --- owner of a folder

struct Owner {
  pid_t pid = 0;
  std::uint64_t started = 0;  // in clock ticks since boot: distinguishes processes with the same number
  std::string place;          // the boot and the process namespace in which the number is valid
};

// State and start time of a process, from /proc/<pid>/stat.
struct Process {
  char state = '?';
  std::uint64_t started = 0;
};

std::optional<Process> find_process(pid_t pid) {
  std::string stat;
  try {
    stat = read_file(fmt::format("/proc/{}/stat", pid), 64 * 1024);
  } catch (const Error&) {
    return std::nullopt;
  }
  // The name in parentheses may contain any characters; the first field after it is the third (state).
  const std::size_t end = stat.rfind(')');
  if (end == std::string::npos) return std::nullopt;
  const std::vector<std::string_view> fields = split_white(std::string_view(stat).substr(end + 1));
  constexpr std::size_t start_time = 22 - 3;
  if (fields.size() <= start_time) return std::nullopt;
  Process process{fields[0].front(), 0};
  std::from_chars(fields[start_time].data(), fields[start_time].data() + fields[start_time].size(), process.started);
  return process;
}

std::string this_place() {
  std::string boot;
  try {
    boot = read_file("/proc/sys/kernel/random/boot_id", 4096);
  } catch (const Error&) {
    boot = "-";
  }
  std::error_code none;
  const std::string pid_namespace = fs::read_symlink("/proc/self/ns/pid", none).string();
  return fmt::format("{}/{}", trim(boot), pid_namespace);
}

std::string record_of_this_process() {
  const std::optional<Process> self = find_process(::getpid());
  return fmt::format("{}:{}:{}", ::getpid(), self ? self->started : 0, this_place());
}

std::optional<Owner> read_record(int folder) {
  std::array<char, 512> buffer;
  const ssize_t length = ::readlinkat(folder, record_name, buffer.data(), buffer.size());
  if (length <= 0) return std::nullopt;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(length));
  const std::size_t first = text.find(':');
  const std::size_t second = first == std::string_view::npos ? first : text.find(':', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  Owner owner;
  const auto pid = std::from_chars(text.data(), text.data() + first, owner.pid);
  const auto started = std::from_chars(text.data() + first + 1, text.data() + second, owner.started);
  if (pid.ec != std::errc{} || pid.ptr != text.data() + first || owner.pid <= 0) return std::nullopt;
  if (started.ec != std::errc{} || started.ptr != text.data() + second) return std::nullopt;
  owner.place = text.substr(second + 1);
  return owner;
}

bool runs(const Owner& owner) {
  if (const std::optional<Process> process = find_process(owner.pid)) {
    const bool ended = process->state == 'Z' || process->state == 'X';
    return !ended && (owner.started == 0 || process->started == owner.started);
  }
  return ::kill(owner.pid, 0) == 0 || errno != ESRCH;  // the only check without /proc
}

// --- removal

// Makes read-only folders writable, so that their content can be deleted.
void make_writable(const fs::path& folder) {
  std::error_code ignored;
  fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add | fs::perm_options::nofollow, ignored);
  for (fs::directory_iterator i(folder, ignored), end; !ignored && i != end; i.increment(ignored)) {
    if (i->is_symlink(ignored) || !i->is_directory(ignored)) continue;
    make_writable(i->path());
  }
}

// Removes the owner record last, so that the next sweep can complete an interrupted removal. True if the folder existed
// and is gone; of several processes that remove it at once, only one gets true.
bool remove_folder(const fs::path& folder) noexcept {
  try {
    std::error_code failed;
    std::vector<fs::path> entries;
    for (fs::directory_iterator i(folder, failed), end; !failed && i != end; i.increment(failed)) {
      if (i->path().filename() != record_name) entries.push_back(i->path());
    }
    for (const fs::path& entry : entries) {
      fs::remove_all(entry, failed);
      if (!failed) continue;
      make_writable(folder);
      fs::remove_all(entry, failed);
    }
    if (fs::remove(folder / record_name, failed); failed) return false;
    return ::rmdir(folder.c_str()) == 0;
  } catch (...) {
    return false;
  }
}

bool is_abandoned(const fs::path& folder, const std::string& here) {
  const Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!fd.valid() || ::fstat(fd.get(), &status) != 0) return false;
  if (status.st_uid != ::geteuid() || (status.st_mode & 077) != 0) return false;
  const std::time_t age = std::time(nullptr) - status.st_mtime;
  const std::optional<Owner> owner = read_record(fd.get());
  if (!owner) {
    // Without a record the owner is unknown: remove the folder only if it is empty.
    if (age > day) ::rmdir(folder.c_str());
    return false;
  }
  if (owner->place != here) return age > patience_with_strangers;
  return !runs(*owner);
}

// --- existing folders

// Never destroyed, since folders of static objects may outlive any other object.
struct Registry {
  std::mutex mutex;
  std::vector<std::pair<fs::path, pid_t>> folders;
};

Registry& registry() {
  static Registry* const all = new Registry;
  return *all;
}

void enlist(const fs::path& folder, pid_t owner) {
  static const int registered = std::atexit([] { TempFolder::remove_live(); });
  static_cast<void>(registered);
  const std::lock_guard lock(registry().mutex);
  registry().folders.emplace_back(folder, owner);
}

void strike(const fs::path& folder) {
  const std::lock_guard lock(registry().mutex);
  std::erase_if(registry().folders, [&](const auto& entry) { return entry.first == folder; });
}

std::string safe_label(std::string_view label) {
  std::string safe(label.substr(0, 40));
  for (char& c : safe) c = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' ? c : '-';
  return safe.empty() ? "run" : safe;
}

}  // namespace

TempFolder::TempFolder(std::string_view label) : owner_(::getpid()) {
  static std::once_flag swept;
  std::call_once(swept, [] { sweep(); });

  std::string name = (root() / fmt::format("{}{}-XXXXXX", prefix, safe_label(label))).string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw run_error("cannot make a temporary folder in '{}': {}; set TMPDIR to a folder that can be written to",
                    root().string(), std::generic_category().message(errno));
  }
  path_ = name;
  if (::symlink(record_of_this_process().c_str(), (path_ / record_name).c_str()) != 0) {
    const int why = errno;
    ::rmdir(path_.c_str());
    throw run_error("cannot write into the temporary folder '{}': {}; set TMPDIR to a folder that can be written to",
                    name, std::generic_category().message(why));
  }
  enlist(path_, owner_);
}

TempFolder::~TempFolder() { remove(); }

TempFolder::TempFolder(TempFolder&& other) noexcept : path_(std::move(other.path_)), owner_(other.owner_) {
  other.path_.clear();
}

TempFolder& TempFolder::operator=(TempFolder&& other) noexcept {
  if (this == &other) return *this;
  remove();
  path_ = std::move(other.path_);
  owner_ = other.owner_;
  other.path_.clear();
  return *this;
}

void TempFolder::remove() noexcept {
  if (path_.empty() || owner_ != ::getpid()) return;
  strike(path_);
  remove_folder(path_);
  path_.clear();
}

fs::path TempFolder::root() {
  const char* chosen = std::getenv("TMPDIR");
  if (chosen == nullptr || *chosen == '\0') return "/tmp";
  std::error_code failed;
  fs::path absolute = fs::absolute(chosen, failed);
  return failed ? fs::path(chosen) : absolute;
}

int TempFolder::sweep() {
  // List all folders first: removal during the listing would disturb it.
  std::vector<fs::path> ours;
  std::error_code failed;
  for (fs::directory_iterator i(root(), failed), end; !failed && i != end; i.increment(failed)) {
    if (i->path().filename().string().starts_with(prefix)) ours.push_back(i->path());
  }
  const std::string here = this_place();
  return static_cast<int>(std::count_if(ours.begin(), ours.end(), [&](const fs::path& folder) {
    return is_abandoned(folder, here) && remove_folder(folder);
  }));
}

void TempFolder::remove_live() noexcept {
  std::vector<std::pair<fs::path, pid_t>> folders;
  {
    const std::lock_guard lock(registry().mutex);
    folders.swap(registry().folders);
  }
  for (const auto& [folder, owner] : folders) {
    if (owner == ::getpid()) remove_folder(folder);
  }
}

}  // namespace consort::os
