// What our interface costs on top of a library: the same problem stepped by a bare SUNDIALS program and through
// solve::Solver, in instructions, counted by callgrind in the loop over the steps alone.
#pragma once

#include <cstddef>
#include <string_view>

namespace consort::bench {

// A chain of `n` cells that heat each other and cool by radiation: nonlinear, mildly stiff, cheap to evaluate. For
// n = 2, where a chain says little, the Van der Pol oscillator with µ = 100.
void chain_rates(std::size_t n, const double* y, double* dy);
double chain_start(std::size_t n, std::size_t i);
double chain_stop(std::size_t n);

// Both integrate the chain of `n` cells once; returned is the number of steps. Their loops are run_bare_steps() and
// run_our_steps(), by which callgrind knows them.
long run_bare(std::size_t n);
long run_ours(std::size_t n);

// Runs this program again under callgrind, prints a table of the ratios; false when one is above its limit.
bool report_overhead(std::string_view this_program);

}  // namespace consort::bench
