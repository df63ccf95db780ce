// Cost of Consort's interface to a library: the same problem is stepped by a bare SUNDIALS program and through
// solve::Solver. callgrind counts the instructions of the loop over the steps only.
#pragma once

#include <cstddef>
#include <string_view>

namespace consort::bench {

// A chain of `n` cells that heat each other and cool by radiation: nonlinear, mildly stiff, cheap to evaluate. For
// n = 2, where a chain is not informative: the Van der Pol oscillator with µ = 100.
void chain_rates(std::size_t n, const double* y, double* dy);
double chain_start(std::size_t n, std::size_t i);
double chain_stop(std::size_t n);

// Both integrate the chain of `n` cells once and return the number of steps. Their loops are the functions
// run_bare_steps() and run_our_steps(), so that callgrind can identify them.
long run_bare(std::size_t n);
long run_ours(std::size_t n);

// Runs this program again under callgrind and prints a table of the ratios; false if one exceeds its limit.
bool report_overhead(std::string_view this_program);

}  // namespace consort::bench
