#include "engine/checkpoint.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.hpp"
#include "base/descriptor.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"

namespace consort::engine {

namespace {

constexpr std::string_view magic = "consort checkpoint 5\n";
constexpr std::size_t digest_size = 64;
constexpr std::size_t header_size = magic.size() + digest_size + 1;

std::string checksum_of(std::span<const std::uint8_t> bytes) {
  Sha256 digest;
  digest.add(std::as_bytes(bytes));
  return digest.finish();
}

}  // namespace

std::vector<std::uint8_t> encode(const Checkpoint& c) {
  ByteWriter writer;
  writer(c.identity, c.t, c.rows, c.last_row, c.run, c.units);
  const auto contents = writer.take();
  const std::string digest = checksum_of(contents);
  std::vector<std::uint8_t> bytes(magic.begin(), magic.end());
  bytes.reserve(header_size + contents.size());
  bytes.insert(bytes.end(), digest.begin(), digest.end());
  bytes.push_back('\n');
  bytes.insert(bytes.end(), contents.begin(), contents.end());
  return bytes;
}

Checkpoint decode_contents(std::span<const std::uint8_t> bytes) {
  Checkpoint c;
  ByteReader reader(bytes);
  reader(c.identity, c.t, c.rows, c.last_row, c.run);
  reader.any_size(c.units);
  reader.expect_end();
  return c;
}

Checkpoint decode(std::span<const std::uint8_t> bytes, const std::string& name) {
  const bool begins = bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin());
  require(begins, "'{}' is not a checkpoint of this version of Consort; give a file that --checkpoint-every wrote",
          name);
  bool whole = bytes.size() > header_size && bytes[header_size - 1] == '\n';
  if (whole) {
    const std::string digest = checksum_of(bytes.subspan(header_size));
    whole = std::equal(digest.begin(), digest.end(), bytes.begin() + magic.size());
  }
  require(whole, "the checkpoint '{}' is damaged: its checksum is wrong; take another one, or start from the beginning",
          name);
  return decode_contents(bytes.subspan(header_size));
}

namespace {

[[noreturn]] void fail(const std::filesystem::path& file, int error) {
  throw run_error("cannot write the checkpoint '{}': {}; make room or choose another place with --checkpoint-file",
                  file.string(), std::generic_category().message(error));
}

void write_whole(int descriptor, std::span<const std::uint8_t> bytes, const std::filesystem::path& file) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(file, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
}

// Removes the file unless it was moved to its final name.
class Temporary {
 public:
  explicit Temporary(std::filesystem::path path) : path_(std::move(path)) {}
  ~Temporary() {
    std::error_code ignored;
    if (!kept_) std::filesystem::remove(path_, ignored);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  void keep() { kept_ = true; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  bool kept_ = false;
};

}  // namespace

void write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint) {
  const auto bytes = encode(checkpoint);
  Temporary temporary(file.string() + ".part");
  {
    const Descriptor out(::open(temporary.path().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666));
    if (out.get() < 0) fail(file, errno);
    write_whole(out.get(), bytes, file);
    if (::fsync(out.get()) != 0) fail(file, errno);
  }
  if (std::rename(temporary.path().c_str(), file.c_str()) != 0) fail(file, errno);
  temporary.keep();
  // The new name must survive a power failure, too. Folders that cannot be synchronised are skipped.
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  const Descriptor parent(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (parent.get() >= 0) ::fsync(parent.get());
}

Checkpoint read_checkpoint(const std::filesystem::path& file) {
  std::error_code error;
  require(std::filesystem::is_regular_file(file, error), "there is no checkpoint '{}'; check the path", file.string());
  std::ifstream in(file, std::ios::binary);
  const std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  require(in.good() || in.eof(), "the checkpoint '{}' cannot be read; check its permissions", file.string());
  return decode(bytes, file.string());
}

namespace {

// Shortens a checksum: a few of its 64 digits are enough for a message.
std::string readable(std::string line) {
  constexpr std::size_t shown = 12;
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  for (std::size_t i = 0; i + digest_size <= line.size(); ++i) {
    if (!std::all_of(line.begin() + static_cast<std::ptrdiff_t>(i),
                     line.begin() + static_cast<std::ptrdiff_t>(i + digest_size), is_digit))
      continue;
    line.replace(i + shown, digest_size - shown, "…");
    break;
  }
  return line;
}

// The first line of `text` that is not in `other` and is not just a heading; empty if there is none.
std::string only_in(const std::string& text, const std::string& other) {
  const auto lines = [](const std::string& all) {
    std::vector<std::string> found;
    std::istringstream in(all);
    for (std::string line; std::getline(in, line);) found.push_back(line.erase(0, line.find_first_not_of(' ')));
    return found;
  };
  const auto theirs = lines(other);
  const std::set<std::string> known(theirs.begin(), theirs.end());
  constexpr std::size_t most = 120;
  for (auto& line : lines(text))
    if (!known.contains(line) && !line.ends_with(':')) return readable(line).substr(0, most);
  return {};
}

}  // namespace

void require_same_identity(const std::string& saved, const std::string& present, const std::string& name) {
  if (saved == present) return;
  const auto its = only_in(saved, present);
  const auto ours = only_in(present, saved);
  std::string difference = "the order of their lines differs";
  if (!its.empty() && !ours.empty()) difference = fmt::format("it has '{}', this run has '{}'", its, ours);
  if (!its.empty() && ours.empty()) difference = fmt::format("it has '{}', which this run does not have", its);
  if (its.empty() && !ours.empty()) difference = fmt::format("this run has '{}', which it does not have", ours);
  throw input_error(
      "the checkpoint '{}' belongs to another system or to other settings: {}; run the same system with the same "
      "settings, or start a new run",
      name, difference);
}

}  // namespace consort::engine
