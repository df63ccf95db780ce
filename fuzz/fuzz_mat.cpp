// Any bytes as a MAT file must give an Error or a result whose trajectories are complete.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "record/mat/mat_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace consort;
  try {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto result = record::parse_mat_result(bytes, "fuzz.mat", {.cells = 10'000});
    CONSORT_ASSERT(result.rows() * (result.trajectories.size() + 1) <= 10'000);
    for (const auto& t : result.trajectories) CONSORT_ASSERT(t.numbers.size() == result.rows() && t.texts.empty());
    for (std::size_t i = 1; i < result.rows(); ++i) CONSORT_ASSERT(result.time[i] >= result.time[i - 1]);
  } catch (const Error& error) {
    CONSORT_ASSERT(error.fault() == Fault::input);
  }
  return 0;
}
