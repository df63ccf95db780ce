#include "fuzz_description.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  consort::fuzz::read_anything(data, size, consort::describe::FmiVersion::v2);
  return 0;
}
