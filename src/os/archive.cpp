#include "os/archive.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace consort::os {

namespace fs = std::filesystem;

namespace {

struct DiscardZip {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseZipFile {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Zip = std::unique_ptr<zip_t, DiscardZip>;
using ZipFile = std::unique_ptr<zip_file_t, CloseZipFile>;

std::string system_text(int why) { return std::generic_category().message(why); }

// --- reading the directory

struct OpenArchive {
  Zip zip;
  std::uint64_t bytes = 0;  // of the file
};

OpenArchive open_archive(const fs::path& archive) {
  Descriptor fd(::open(archive.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) {
    throw input_error("cannot read '{}': {}; check the path and the permissions", archive.string(), system_text(errno));
  }
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    throw input_error("'{}' is not a file; give a zip archive", archive.string());
  }
  if (status.st_size == 0) throw input_error("'{}' is empty; export or download it again", archive.string());

  int code = 0;
  Zip zip(zip_fdopen(fd.get(), 0, &code));
  if (zip == nullptr) {
    if (code == ZIP_ER_NOZIP) {
      throw input_error("'{}' is not a zip archive, or its end is missing; export or download it again",
                        archive.string());
    }
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string text = zip_error_strerror(&error);
    zip_error_fini(&error);
    throw input_error("'{}' is a damaged zip archive: {}; export or download it again", archive.string(), text);
  }
  static_cast<void>(fd.release());  // the archive closes the descriptor
  return {std::move(zip), static_cast<std::uint64_t>(status.st_size)};
}

std::uint64_t count_entries(zip_t* zip, const fs::path& archive, std::uint64_t limit) {
  const auto count = static_cast<std::uint64_t>(std::max<zip_int64_t>(zip_get_num_entries(zip, 0), 0));
  require(count <= limit, "'{}' has {} entries, more than the {} accepted; remove unneeded files", archive.string(),
          count, limit);
  return count;
}

// The name as stored in the archive; utf8_name() converts it to UTF-8. libzip's own conversion would show control
// characters as symbols of code page 437.
std::string_view raw_name(zip_t* zip, std::uint64_t index, const fs::path& archive) {
  const char* name = zip_get_name(zip, index, ZIP_FL_ENC_RAW);
  if (name == nullptr) {
    throw input_error("'{}', entry {}: the name cannot be read; export or download it again", archive.string(),
                      index + 1);
  }
  return name;
}

std::string utf8_name(zip_t* zip, std::uint64_t index, const fs::path& archive) {
  const std::string_view raw = raw_name(zip, index, archive);
  if (is_utf8(raw)) return std::string(raw);
  const char* converted = zip_get_name(zip, index, ZIP_FL_ENC_GUESS);
  require(converted != nullptr && is_utf8(converted), "'{}', entry {}: the name {} is not readable text; rename it",
          archive.string(), index + 1, quote(raw));
  return converted;
}

// --- planning: all checks that can refuse an archive

struct Entry {
  std::uint64_t index = 0;
  std::string path;  // relative, with single slashes
  std::uint64_t size = 0;
  std::optional<std::uint32_t> checksum{};
  bool is_folder = false;
};

class Planner {
 public:
  Planner(const fs::path& archive, const OpenArchive& open, const ArchiveLimits& limits)
      : archive_(archive), zip_(open.zip.get()), bytes_(open.bytes), limits_(limits) {}

  std::vector<Entry> plan() {
    const std::uint64_t count = count_entries(zip_, archive_, limits_.entries);
    std::vector<Entry> entries;
    for (std::uint64_t i = 0; i < count; ++i) {
      Entry entry = read_entry(i);
      if (!entry.path.empty()) entries.push_back(std::move(entry));
    }
    // Entries that share their data can be much larger in total than each one alone.
    require(!is_bomb(total_, bytes_),
            "'{}' would unpack to {} bytes from {}, more than {} times as much; it is not "
            "unpacked, as archives that do so are made to fill disks",
            archive_.string(), total_, bytes_, limits_.ratio);
    drop_repeated(entries);
    refuse_conflicts(entries);
    return entries;
  }

 private:
  template <class... Args>
  [[nodiscard]] Error refusal(const std::string& name, fmt::format_string<Args...> why, Args&&... args) const {
    return input_error("'{}', entry {}: {}", archive_.string(), quote(name),
                       fmt::format(why, std::forward<Args>(args)...));
  }

  [[nodiscard]] bool is_bomb(std::uint64_t unpacked, std::uint64_t packed) const {
    constexpr std::uint64_t small = std::uint64_t{1} << 20;
    return unpacked > small && static_cast<double>(unpacked) > limits_.ratio * static_cast<double>(packed);
  }

  Entry read_entry(std::uint64_t index) {
    const std::string name = utf8_name(zip_, index, archive_);
    Entry entry{.index = index, .path = safe_path(name, raw_name(zip_, index, archive_))};
    entry.is_folder = is_folder(name, index) || name.ends_with('/') || name.ends_with('\\') || entry.path.empty();

    zip_stat_t status;
    zip_stat_init(&status);
    constexpr zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
    if (zip_stat_index(zip_, index, 0, &status) != 0 || (status.valid & needed) != needed) {
      throw refusal(name, "its size cannot be read; export or download the archive again");
    }
    if ((status.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && status.encryption_method != ZIP_EM_NONE) {
      throw refusal(name, "it is encrypted; make the archive without a password");
    }
    if (entry.is_folder) {
      if (status.size != 0) throw refusal(name, "a folder with content; export the archive again");
      return entry;
    }
    if (is_bomb(status.size, status.comp_size)) {
      throw refusal(name,
                    "it would unpack to {} bytes from {}, more than {} times as much; it is not unpacked, as "
                    "archives that do so are made to fill disks",
                    status.size, status.comp_size, limits_.ratio);
    }
    entry.size = status.size;
    if ((status.valid & ZIP_STAT_CRC) != 0) entry.checksum = status.crc;
    if (status.size > limits_.total_bytes || total_ > limits_.total_bytes - status.size) {
      throw refusal(name, "the archive unpacks to more than the {} bytes accepted; remove unneeded files",
                    limits_.total_bytes);
    }
    total_ += status.size;
    return entry;
  }

  // Windows tools write backslashes; they separate like slashes. Empty for the top folder itself ("./").
  std::string safe_path(std::string name, std::string_view raw) const {
    if (name.empty()) throw refusal(name, "it has no name; export the archive again");
    if (name.size() > limits_.path_length) {
      throw refusal(name, "its name has {} bytes, more than {}; shorten it", name.size(), limits_.path_length);
    }
    if (std::any_of(raw.begin(), raw.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; })) {
      throw refusal(name, "its name has control characters; rename it");
    }
    std::replace(name.begin(), name.end(), '\\', '/');
    const bool letter = (name[0] >= 'a' && name[0] <= 'z') || (name[0] >= 'A' && name[0] <= 'Z');
    if (name[0] == '/' || (letter && name.size() > 1 && name[1] == ':')) {
      throw refusal(name, "its path is absolute; make the archive with paths relative to its top");
    }
    std::string path;
    for (const std::string_view part : split(name, '/')) {
      if (part.empty() || part == ".") continue;
      if (part == "..") throw refusal(name, "its path leaves the archive ('..'); make the archive without such paths");
      if (part.size() > 255) throw refusal(name, "a part of its path has more than 255 bytes; shorten it");
      if (!path.empty()) path += '/';
      path += part;
    }
    return path;
  }

  // True if the attributes mark a folder. Links and devices are refused for any declared origin system.
  [[nodiscard]] bool is_folder(const std::string& name, std::uint64_t index) const {
    zip_uint8_t system = 0;
    zip_uint32_t attributes = 0;
    if (zip_file_get_external_attributes(zip_, index, 0, &system, &attributes) != 0) return false;
    const mode_t kind = (attributes >> 16) & S_IFMT;
    if (kind == S_IFLNK) throw refusal(name, "it is a symbolic link; put the file itself into the archive");
    if (kind != 0 && kind != S_IFREG && kind != S_IFDIR) {
      throw refusal(name, "it is neither a file nor a folder; take it out of the archive");
    }
    return kind == S_IFDIR;
  }

  // Some tools pack a file twice. Copies of one size and CRC-32 are taken for equal; the first one is unpacked.
  static void drop_repeated(std::vector<Entry>& entries) {
    std::unordered_map<std::string, std::pair<std::uint64_t, std::optional<std::uint32_t>>> seen;
    std::erase_if(entries, [&](const Entry& entry) {
      if (entry.is_folder) return false;
      const auto [first, is_new] = seen.try_emplace(entry.path, entry.size, entry.checksum);
      return !is_new && entry.checksum && first->second == std::pair(entry.size, entry.checksum);
    });
  }

  // The sort order puts a folder's content directly behind the folder, so every conflict shows in neighbours.
  void refuse_conflicts(const std::vector<Entry>& entries) const {
    std::vector<const Entry*> sorted;
    for (const Entry& entry : entries) sorted.push_back(&entry);
    const auto rank = [](char c) { return c == '/' ? 0U : static_cast<unsigned>(static_cast<unsigned char>(c)) + 1U; };
    std::sort(sorted.begin(), sorted.end(), [&](const Entry* a, const Entry* b) {
      return std::lexicographical_compare(a->path.begin(), a->path.end(), b->path.begin(), b->path.end(),
                                          [&](char x, char y) { return rank(x) < rank(y); });
    });
    std::uint64_t folders = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const std::string& path = sorted[i]->path;
      const std::string_view before = i == 0 ? std::string_view() : std::string_view(sorted[i - 1]->path);
      if (path == before && !(sorted[i]->is_folder && sorted[i - 1]->is_folder)) {
        throw refusal(path, "it occurs twice with different content; remove one of them");
      }
      const bool inside = path.size() > before.size() && path.starts_with(before) && path[before.size()] == '/';
      if (i > 0 && inside && !sorted[i - 1]->is_folder) {
        throw refusal(path, "{} is a file and a folder at once; rename one of them", quote(before));
      }
      const auto common = std::mismatch(path.begin(), path.end(), before.begin(), before.end()).first;
      folders += static_cast<std::uint64_t>(std::count(common, path.end(), '/'));
    }
    require(folders <= limits_.entries,
            "'{}' has {} folders, more than the {} accepted; remove unneeded "
            "files",
            archive_.string(), folders, limits_.entries);
  }

  const fs::path& archive_;
  zip_t* zip_;
  std::uint64_t bytes_;
  const ArchiveLimits& limits_;
  std::uint64_t total_ = 0;
};

// --- writing

// Opens everything relative to the folder, one path component at a time, without following links. The destructor
// removes what was written unless keep() is called.
class Writer {
 public:
  Writer(const fs::path& archive, const fs::path& folder) : archive_(archive), folder_(folder) {
    top_ = Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!top_.valid()) throw cannot_write(folder.string(), errno);
  }
  ~Writer() {
    parent_.reset();
    for (auto made = made_.rbegin(); made != made_.rend(); ++made) {
      ::unlinkat(top_.get(), made->path.c_str(), made->is_folder ? AT_REMOVEDIR : 0);
    }
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void keep() { made_.clear(); }

  void make_folder(const std::string& path) { enter(path); }

  void write(const Entry& entry, zip_t* zip) {
    const std::size_t slash = entry.path.rfind('/');
    enter(slash == std::string::npos ? std::string() : entry.path.substr(0, slash));
    const std::string name = slash == std::string::npos ? entry.path : entry.path.substr(slash + 1);
    ZipFile in(zip_fopen_index(zip, entry.index, 0));
    if (in == nullptr) throw damaged(entry, zip_strerror(zip));
    const Descriptor out(
        ::openat(parent_.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!out.valid()) throw cannot_write(entry.path, errno);
    made_.push_back({entry.path, false});
    inflate(entry, in.get(), out.get());
  }

 private:
  struct Made {
    std::string path;
    bool is_folder;
  };

  [[nodiscard]] Error damaged(const Entry& entry, std::string_view why) const {
    return input_error("'{}', entry {}: it cannot be unpacked: {}; export or download the archive again",
                       archive_.string(), quote(entry.path), why);
  }
  [[nodiscard]] Error cannot_write(const std::string& path, int why) const {
    return run_error("unpacking '{}': cannot write {} in '{}': {}; free some space or set TMPDIR to another folder",
                     archive_.string(), quote(path), folder_.string(), system_text(why));
  }

  // Opens the folder of this path as parent_; creates missing folders.
  void enter(const std::string& path) {
    if (parent_.valid() && path == parent_path_) return;
    Descriptor at(::fcntl(top_.get(), F_DUPFD_CLOEXEC, 0));
    if (!at.valid()) throw cannot_write(path, errno);
    std::string so_far;
    if (!path.empty()) {
      for (const std::string_view part : split(path, '/')) {
        so_far += so_far.empty() ? "" : "/";
        so_far += part;
        const std::string name(part);
        if (::mkdirat(at.get(), name.c_str(), S_IRWXU) == 0) {
          made_.push_back({so_far, true});
        } else if (errno != EEXIST) {
          throw cannot_write(so_far, errno);
        }
        at = Descriptor(::openat(at.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (!at.valid()) throw cannot_write(so_far, errno);
      }
    }
    parent_ = std::move(at);
    parent_path_ = path;
  }

  // Reads past the declared size on purpose: libzip compares the checksum only at the true end.
  void inflate(const Entry& entry, zip_file_t* in, int out) {
    std::uint64_t done = 0;
    for (;;) {
      const zip_int64_t got = zip_fread(in, buffer_.data(), buffer_.size());
      if (got < 0) throw damaged(entry, zip_file_strerror(in));
      if (got == 0) break;
      done += static_cast<std::uint64_t>(got);
      if (done > entry.size) throw damaged(entry, "it has more content than the archive declares");
      write_all(entry, out, static_cast<std::size_t>(got));
    }
    if (done != entry.size) throw damaged(entry, "it has less content than the archive declares");
  }

  void write_all(const Entry& entry, int out, std::size_t count) {
    for (std::size_t written = 0; written < count;) {
      const ssize_t n = ::write(out, buffer_.data() + written, count - written);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw cannot_write(entry.path, errno);
      written += static_cast<std::size_t>(n);
    }
  }

  const fs::path& archive_;
  const fs::path& folder_;
  Descriptor top_;
  Descriptor parent_;
  std::string parent_path_;
  std::vector<Made> made_;
  std::vector<char> buffer_ = std::vector<char>(256 * 1024);
};

// --- packing

std::vector<std::string> files_below(const fs::path& folder, const fs::path& archive) {
  std::vector<std::string> files;
  std::error_code failed;
  fs::recursive_directory_iterator i(folder, failed);
  for (const fs::recursive_directory_iterator end; !failed && i != end; i.increment(failed)) {
    std::error_code none;
    if (!i->is_regular_file(none) || i->is_symlink(none) || fs::equivalent(i->path(), archive, none)) continue;
    files.push_back(i->path().lexically_relative(folder).generic_string());
    require(is_utf8(files.back()), "cannot pack {} in '{}': its name is not UTF-8; rename it", quote(files.back()),
            folder.string());
  }
  if (failed) throw run_error("cannot pack '{}': {}; check its permissions", folder.string(), failed.message());
  std::sort(files.begin(), files.end());
  return files;
}

void add_file(zip_t* zip, const fs::path& folder, const std::string& name, const fs::path& archive) {
  constexpr zip_uint16_t midnight = 0;
  constexpr zip_uint16_t first_of_january_1980 = (1U << 5) | 1U;
  zip_source_t* source = zip_source_file(zip, (folder / name).c_str(), 0, -1);
  const zip_int64_t index = source == nullptr ? -1 : zip_file_add(zip, name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0 && source != nullptr) zip_source_free(source);
  if (index < 0 ||
      zip_file_set_dostime(zip, static_cast<zip_uint64_t>(index), midnight, first_of_january_1980, 0) != 0) {
    throw run_error("cannot add {} to '{}': {}; check the file", quote(name), archive.string(), zip_strerror(zip));
  }
}

}  // namespace

void unpack(const fs::path& archive, const fs::path& folder, const ArchiveLimits& limits) {
  const OpenArchive open = open_archive(archive);
  const std::vector<Entry> entries = Planner(archive, open, limits).plan();
  Writer writer(archive, folder);
  for (const Entry& entry : entries) {
    if (entry.is_folder) {
      writer.make_folder(entry.path);
    } else {
      writer.write(entry, open.zip.get());
    }
  }
  writer.keep();
}

std::vector<std::string> list_archive(const fs::path& archive) {
  const OpenArchive open = open_archive(archive);
  const std::uint64_t count = count_entries(open.zip.get(), archive, ArchiveLimits{}.entries);
  std::vector<std::string> names;
  for (std::uint64_t i = 0; i < count; ++i) names.push_back(utf8_name(open.zip.get(), i, archive));
  return names;
}

void pack(const fs::path& folder, const fs::path& archive) {
  if (!fs::is_directory(folder)) throw input_error("'{}' is not a folder; give one to pack", folder.string());
  int code = 0;
  Zip zip(zip_open(archive.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
  if (zip == nullptr) throw run_error("cannot write '{}' (zip error {}); check the path", archive.string(), code);
  const std::vector<std::string> files = files_below(folder, archive);
  // libzip does not write an archive without entries and would delete an old one.
  require(!files.empty(), "there is no file to pack in '{}'; put some there", folder.string());
  for (const std::string& name : files) add_file(zip.get(), folder, name, archive);
  // libzip writes beside the target and renames, so an old archive stays intact until the new one is complete.
  if (zip_close(zip.get()) != 0) {
    throw run_error("cannot write '{}': {}; check the path and the free space", archive.string(),
                    zip_strerror(zip.get()));
  }
  static_cast<void>(zip.release());
}

}  // namespace consort::os
