# Warnings for our own code; errors in CI and in the presets (CONSORT_WERROR).
add_library(consort_warnings INTERFACE)
target_compile_options(consort_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wcast-align -Woverloaded-virtual
  -Wconversion -Wsign-conversion -Wformat=2 -Wimplicit-fallthrough
  # GCC 12 sees overlaps in "literal" + std::string that are not there.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<BOOL:${CONSORT_WERROR}>:-Werror>)
