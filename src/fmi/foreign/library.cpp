#include "fmi/foreign/library.hpp"

#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "fmi/foreign/link.hpp"
#include "fmi/foreign/pe_file.hpp"
#include "fmi/foreign/stubs.hpp"
#include "fmi/foreign/wine.hpp"
#include "os/program.hpp"

namespace consort::fmi::foreign {

thread_local Link* current_link = nullptr;

void check_told(const std::vector<std::uint8_t>& told, std::size_t count, Link& link) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t length = 0;
    if (told.size() - at < 8) link.lose("sent a damaged message");
    std::memcpy(&length, told.data() + at, 8);
    at += 8;
    if (length == null_count) continue;
    if (length > told.size() - at || Cursor::padded(length) > told.size() - at) link.lose("sent a damaged message");
    at += Cursor::padded(length);
  }
}

namespace {

// --- the stubs of a version ------------------------------------------------------------------------------------------

// The stubs of a function by name, if the binary has the function; otherwise null.
Library::Found find_stubs(int version, std::string_view wanted, const Link& link) {
  Library::Found found;
  with_functions(version, [&]<class Functions>() {
    Functions::each([&]<std::size_t number, class R>() {
      if (wanted == R::name && link.has(number))
        found = {reinterpret_cast<void*>(&Stub<number, R, typename R::Function>::call),
                 reinterpret_cast<void*>(&Stub<number, R, typename R::Function>::post)};
    });
  });
  return found;
}

class ForeignLibrary final : public Library {
 public:
  explicit ForeignLibrary(LinkSetup setup) : version_(setup.version), link_(std::move(setup)) {}

  void make_current() const override { current_link = &link_; }
  [[nodiscard]] bool has_own_process() const override { return true; }

 protected:
  [[nodiscard]] Found find(const char* name) const override { return find_stubs(version_, name, link_); }

 private:
  int version_;
  mutable Link link_;  // calls change it
};

// --- programs --------------------------------------------------------------------------------------------------------

struct Caller {
  Platform platform;
  const char* program;
  const char* variable;
  bool uses_wine;
};
constexpr auto callers = std::to_array<Caller>({
    {Platform::win64, "consort-caller-win64.exe", "CONSORT_CALLER_WIN64", true},
    {Platform::win32, "consort-caller-win32.exe", "CONSORT_CALLER_WIN32", true},
    {Platform::linux32, "consort-caller-linux32", "CONSORT_CALLER_LINUX32", false},
});

const Caller* caller_for(Platform platform) {
  for (const auto& c : callers)
    if (c.platform == platform) return &c;
  return nullptr;
}

std::filesystem::path program_of(const Caller& caller) {
  return os::find_program(caller.program, caller.variable,
                          fmt::format("binaries for {} need", name_of(caller.platform)).c_str());
}

os::ProgramStart start_of(const Caller& caller, const std::string& shown) {
  os::ProgramStart start{.file = program_of(caller), .who = shown};
  if (!caller.uses_wine) return start;
  const auto wine = find_wine();
  require(wine.has_value(), "{}: {}", shown, cannot_run(caller.platform));
  start.environment = wine_environment(prepare_prefix(*wine));
  start.arguments.push_back(start.file.string());
  start.file = wine->program;
  return start;
}

int number_of(describe::FmiVersion version) {
  switch (version) {
    case describe::FmiVersion::v1: return 1;
    case describe::FmiVersion::v2: return 2;
    default: return 3;
  }
}

}  // namespace

std::string cannot_run(Platform platform) {
  const Caller* const caller = caller_for(platform);
  if (caller == nullptr) return {};
  try {
    static_cast<void>(program_of(*caller));
  } catch (const Error&) {
    return fmt::format("this build of Consort has no {}, which calls binaries for {}", caller->program,
                       name_of(platform));
  }
  if (!caller->uses_wine) {
    const bool has_loader = std::filesystem::exists("/lib/ld-linux.so.2");
    return has_loader ? std::string()
                      : fmt::format(
                            "binaries for {} need the C library for 32 bits, which is not installed: install Debian's "
                            "libc6:i386 or libc6-i386",
                            name_of(platform));
  }
  const auto wine = find_wine();
  if (!wine)
    return fmt::format("binaries for {} run through Wine, which is not installed: {}", name_of(platform),
                       advice_on_wine());
  if (platform == Platform::win32 && wine->libraries32.empty())
    return "binaries for win32 run through Wine for 32 bits, which is not installed: install Debian's wine32:i386 (as "
           "root: "
           "dpkg --add-architecture i386 && apt-get update && apt-get install --no-install-recommends wine32:i386)";
  return {};
}

std::shared_ptr<Library> open_library(const BinaryFile& binary, const LibraryOptions& options) {
  const Caller* const caller = caller_for(binary.platform);
  CONSORT_ASSERT(caller != nullptr);
  if (caller->uses_wine) {
    const std::string mismatch = dll_mismatch(binary.file, binary.platform == Platform::win64);
    require(mismatch.empty(), "{}: its binary {} {}; ask the maker of the FMU for a correct one", options.shown,
            binary.file.filename().string(), mismatch);
  }
  LinkSetup setup{.start = start_of(*caller, options.shown),
                  .version = number_of(options.version),
                  .binary = std::filesystem::absolute(binary.file).string(),
                  .prefix = options.model_identifier,
                  .shown = options.shown,
                  .call_limit = options.call_limit};
  try {
    return std::make_shared<ForeignLibrary>(setup);
  } catch (const StuckAtStart&) {
    if (!caller->uses_wine) throw;
    retire_prefix(prepare_prefix(*find_wine()));
    setup.start = start_of(*caller, options.shown);
    setup.start_limit *= 2;
    return std::make_shared<ForeignLibrary>(std::move(setup));
  } catch (const Error& error) {
    // Wine's server may have been about to end. A binary that ends the program does so again.
    if (error.fault() != Fault::run) throw;
    return std::make_shared<ForeignLibrary>(std::move(setup));
  }
}

}  // namespace consort::fmi::foreign
