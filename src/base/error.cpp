#include "base/error.hpp"

#include <cstdio>
#include <cstdlib>

namespace consort {

void assertion_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "consort: internal error: '%s' does not hold at %s:%d; please report this\n", expression, file,
               line);
  std::abort();
}

}  // namespace consort
