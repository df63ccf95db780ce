// The binaries of an unpacked FMU, and the one that this machine uses.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "describe/description.hpp"

namespace consort::fmi {

// Platforms whose binaries can be run, by their names in FMI 1.0 and 2.0; all on x86. Those that are not linux64 need a
// program that calls them; see foreign/library.hpp.
enum class Platform : std::uint8_t { linux64, win64, linux32, win32 };
[[nodiscard]] std::string_view name_of(Platform platform);
// By a name of any version: "win64", "x86_64-windows". Throws Error (input) with the names that exist.
[[nodiscard]] Platform platform_of(std::string_view name);

// Names of the platforms for which an unpacked FMU has binaries, sorted: "linux64", "x86_64-linux", "win64".
[[nodiscard]] std::vector<std::string> platforms(const std::filesystem::path& folder);

struct BinaryFile {
  std::filesystem::path file;
  Platform platform = Platform::linux64;
};

struct BinaryQuery {
  std::filesystem::path folder;  // of the unpacked FMU
  std::string shown{};           // the FMU's name in messages
  std::string model_identifier{};
  describe::FmiVersion version = describe::FmiVersion::v2;
  std::optional<Platform> wanted{};
};

// The binary for the wanted platform; without one, the first of linux64, win64, linux32 and win32 that the FMU has and
// this machine can run. Throws Error (input) if there is no such binary: "has binaries for darwin64 only".
[[nodiscard]] BinaryFile find_binary(const BinaryQuery& query);
// How find_binary() ends, for people: "natively (linux64)", "through Wine (win64)", or the reason why not.
[[nodiscard]] std::string how_it_runs(const BinaryQuery& query);

}  // namespace consort::fmi
