#include "fmi/foreign/pe_file.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>

namespace consort::fmi::foreign {

namespace {

// Reads `T` at `offset`; false if the file is too short.
template <class T>
bool read_at(std::ifstream& in, std::uint64_t offset, T& value) {
  in.seekg(static_cast<std::streamoff>(offset));
  return static_cast<bool>(in.read(reinterpret_cast<char*>(&value), sizeof value));
}

}  // namespace

// Microsoft PE format: a DOS header with the offset of "PE\0\0", then the COFF header.
std::string dll_mismatch(const std::filesystem::path& file, bool is_64_bit) {
  constexpr std::uint64_t place_of_offset = 0x3c;
  constexpr std::uint16_t amd64 = 0x8664;
  constexpr std::uint16_t i386 = 0x014c;
  constexpr std::uint16_t is_dll = 0x2000;
  std::error_code problem;
  std::ifstream in;
  if (std::filesystem::is_regular_file(file, problem)) in.open(file, std::ios::binary);
  std::array<char, 2> dos{};
  std::uint32_t offset = 0;
  std::array<char, 4> signature{};
  std::uint16_t machine = 0;
  std::uint16_t characteristics = 0;
  const bool is_pe = in.is_open() && read_at(in, 0, dos) && std::memcmp(dos.data(), "MZ", 2) == 0 &&
                     read_at(in, place_of_offset, offset) && read_at(in, offset, signature) &&
                     std::memcmp(signature.data(), "PE\0\0", 4) == 0 && read_at(in, offset + 4ULL, machine) &&
                     read_at(in, offset + 22ULL, characteristics);
  if (!is_pe) return "is not a DLL for Windows";
  if ((characteristics & is_dll) == 0) return "is a program for Windows, not a DLL";
  if (machine == (is_64_bit ? amd64 : i386)) return {};
  if (machine == amd64 || machine == i386) return machine == amd64 ? "is for 64 bit" : "is for 32 bit";
  return "is for another processor than x86";
}

}  // namespace consort::fmi::foreign
