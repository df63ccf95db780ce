// What a DLL says of itself, read without loading it.
#pragma once

#include <filesystem>
#include <string>

namespace consort::fmi::foreign {

// Empty, or why the file is no DLL for 64-bit (or 32-bit) Windows on x86: "is for 32 bit", "is not a DLL".
[[nodiscard]] std::string dll_mismatch(const std::filesystem::path& file, bool is_64_bit);

}  // namespace consort::fmi::foreign
