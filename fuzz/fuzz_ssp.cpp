// An SSP file, whose first byte gives its kind. If it can be read, it must be equal after writing and reading again,
// and give settings or a system. Otherwise, there must be an Error (input).
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "os/temp_folder.hpp"
#include "ssp/parameters.hpp"
#include "ssp/read.hpp"
#include "ssp/to_system.hpp"
#include "ssp/write.hpp"

namespace {

using namespace consort;

template <class T>
T round_trip(const std::string& text) {
  Diagnostics diagnostics;
  const auto first = ssp::parse<T>(text, "file", diagnostics);
  std::string written;
  try {
    written = ssp::write(first);
  } catch (const Error&) {
    return first;  // version 1.0 cannot represent it
  }
  const auto again = ssp::parse<T>(written, "again", diagnostics);
  CONSORT_ASSERT(ssp::write(again) == written);
  return first;
}

void as_system(const std::string& text) {
  static const os::TempFolder folder("fuzz");
  std::ofstream(folder.path() / "SystemStructure.ssd", std::ios::binary) << text;
  Diagnostics diagnostics;
  static_cast<void>(ssp::to_system(ssp::Package::open(folder.path(), "fuzz"), "SystemStructure.ssd", diagnostics));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2 || size > 100'000) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (data[0] % 4) {
      case 0:
        static_cast<void>(round_trip<ssp::SystemStructure>(text));
        as_system(text);
        break;
      case 1: {
        const auto set = round_trip<ssp::ParameterSet>(text);
        Diagnostics diagnostics;
        static_cast<void>(ssp::settings_of(set, nullptr, "p.", "file", diagnostics));
        break;
      }
      case 2: static_cast<void>(round_trip<ssp::ParameterMapping>(text)); break;
      default: static_cast<void>(round_trip<ssp::SignalDictionary>(text)); break;
    }
  } catch (const Error& error) {
    CONSORT_ASSERT(error.fault() == Fault::input);
  }
  return 0;
}
