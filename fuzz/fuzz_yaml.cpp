// A system file. If it can be read, it must be equal after writing and reading again. Otherwise, there must be an Error
// (input) that begins with the place.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "yaml/reader.hpp"
#include "yaml/writer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace consort;
  if (size > 100'000) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Every file that the system names exists: included ones contain the same small system, tables the same columns.
  const yaml::Load load = [](const std::filesystem::path&) -> std::string {
    return "consort: 1\nunits: {a: a.fmu, b: {units: {c: c.fmu}}}\ninputs: [u]\nconnections: [u -> a.u]\n";
  };
  const yaml::Header header = [](const std::filesystem::path&) { return std::vector<std::string>{"time", "u", "v"}; };
  graph::Document document;
  try {
    document = yaml::parse_system(text, "s.yaml", load, header);
  } catch (const Error& error) {
    CONSORT_ASSERT(error.fault() == Fault::input);
    CONSORT_ASSERT(std::string_view(error.what()).find(':') != std::string_view::npos);
    return 0;
  }
  std::string written;
  try {
    written = yaml::write_system(document);
  } catch (const Error&) {
    return 0;  // the format cannot express it
  }
  const auto again = yaml::parse_system(written, "s.yaml", load, header);
  CONSORT_ASSERT(yaml::write_system(again) == written);
  return 0;
}
