// Malicious archives: all unpacked files must stay inside their folder, and nothing may be left after an Error.
//
// Input that begins with "zip\n" describes an archive, so that the fuzzer gets past the checksums: one line per entry,
// `mode flags method size crc packed name|content` (octal, then numbers or `-` for the true ones), and lines `@offset
// byte` that change bytes of the archive. Any other input is the archive itself.
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "os/archive.hpp"
#include "os/temp_folder.hpp"
#include "os/tests/raw_zip.hpp"

namespace {

using namespace consort;
namespace fs = std::filesystem;

std::optional<std::uint32_t> number(std::string_view text, int base = 10) {
  std::uint32_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return result.ec == std::errc{} ? std::optional(value) : std::nullopt;
}

std::string_view next_word(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

std::string described_archive(std::string_view text) {
  RawZip zip;
  std::vector<std::string_view> changes;
  for (std::string_view line : split(text, '\n')) {
    if (line.starts_with('@')) {
      changes.push_back(line.substr(1));
      continue;
    }
    RawEntry entry;
    entry.mode = number(next_word(line), 8).value_or(0100644);
    entry.flags = static_cast<std::uint16_t>(number(next_word(line)).value_or(0));
    entry.method = static_cast<std::uint16_t>(number(next_word(line)).value_or(0));
    entry.declared_size = number(next_word(line));
    entry.declared_crc = number(next_word(line));
    entry.declared_packed = number(next_word(line));
    const std::size_t bar = line.find('|');
    entry.name = line.substr(0, bar);
    if (bar != std::string_view::npos) entry.content = line.substr(bar + 1);
    zip.add(entry);
  }
  std::string bytes = zip.bytes();
  for (std::string_view change : changes) {
    const std::optional<std::uint32_t> offset = number(next_word(change));
    const std::optional<std::uint32_t> byte = number(change);
    if (offset && byte) bytes[*offset % bytes.size()] = static_cast<char>(*byte & 0xFF);
  }
  return bytes;
}

void unpack_and_check(const fs::path& archive) {
  static const os::TempFolder top("fuzz");
  const fs::path target = top.path() / "inner";
  fs::create_directory(target);
  try {
    os::unpack(archive, target, {.entries = 100, .total_bytes = 1U << 20, .path_length = 200});
    static_cast<void>(os::list_archive(archive));
  } catch (const Error&) {
    CONSORT_ASSERT(fs::is_empty(target));
  }
  for (const auto& entry : fs::recursive_directory_iterator(target)) {
    CONSORT_ASSERT(!entry.is_symlink() && (entry.is_regular_file() || entry.is_directory()));
    CONSORT_ASSERT((entry.status().permissions() & (fs::perms::group_all | fs::perms::others_all)) == fs::perms::none);
  }
  fs::remove_all(target);
  // Only the owner record is left: no files were written next to the folder.
  CONSORT_ASSERT(std::distance(fs::directory_iterator(top.path()), {}) == 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::string_view mark = "zip\n";
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with(mark)) bytes = described_archive(std::string_view(bytes).substr(mark.size()));

  const Descriptor file(::memfd_create("archive", MFD_CLOEXEC));
  CONSORT_ASSERT(file.valid());
  CONSORT_ASSERT(::write(file.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  unpack_and_check("/proc/self/fd/" + std::to_string(file.get()));
  return 0;
}
