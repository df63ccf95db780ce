// Any bytes as a settings file must give an Error or settings that can all be read.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "base/options.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace consort;
  try {
    const Options options = parse_options({reinterpret_cast<const char*>(data), size}, "fuzz.opt");
    for (const Options::Entry& entry : options.entries()) {
      CONSORT_ASSERT(!entry.key.empty() && entry.line > 0);
      CONSORT_ASSERT(options.text(entry.key).value_or("") == entry.value);
      try {
        static_cast<void>(options.number(entry.key));
      } catch (const Error& error) {
        CONSORT_ASSERT(error.fault() == Fault::input);
      }
    }
  } catch (const Error& error) {
    CONSORT_ASSERT(error.fault() == Fault::input);
  }
  return 0;
}
