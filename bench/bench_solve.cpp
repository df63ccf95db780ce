// Cost of solvers: Consort's interface compared with bare SUNDIALS, DOPRI5 with the published code, Consort's BDF with
// CVODE, and work over precision of all solvers. Exit status 1 if a limit is exceeded.
//
//   bench_solve [FOLDER]               folder for work_precision.csv and .svg; default: build/bench/results
//   bench_solve --steps bare|ours N    one integration, for counting by callgrind
#include <cstdlib>
#include <exception>
#include <string_view>

#include <fmt/core.h>

#include "bench_solve_overhead.hpp"
#include "bench_solve_work.hpp"

int main(int argc, char** argv) {
  using namespace consort::bench;
  try {
    if (argc == 4 && std::string_view(argv[1]) == "--steps") {
      const auto n = static_cast<std::size_t>(std::atoi(argv[3]));
      return (std::string_view(argv[2]) == "bare" ? run_bare(n) : run_ours(n)) > 0 ? 0 : 1;
    }
    const bool overhead = report_overhead(argv[0]);
    const bool arenstorf = report_arenstorf();
    const bool bdf = report_bdf();
    report_work_and_precision(argc > 1 ? argv[1] : "build/bench/results");
    return overhead && arenstorf && bdf ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
