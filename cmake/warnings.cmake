# Warnings for the project's own code; they are errors in CI and in the presets (CONSORT_WERROR).
add_library(consort_warnings INTERFACE)
target_compile_options(consort_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wnon-virtual-dtor
  # In files that are compiled together, a local name may equal the name of a helper in another file.
  $<IF:$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CONSORT_JOIN}>>,-Wshadow=local,-Wshadow> -Wcast-align -Woverloaded-virtual
  -Wconversion -Wsign-conversion -Wformat=2 -Wimplicit-fallthrough
  # GCC 12 reports false overlaps in "literal" + std::string.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # GCC 13 and 14 believe that `const Row& row_of(const path&)` returns a part of its argument.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-dangling-reference>
  $<$<BOOL:${CONSORT_WERROR}>:-Werror>)
