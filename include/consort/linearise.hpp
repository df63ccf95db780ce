// The linearisation of a system or of one FMU at a point of its trajectory:
//
//   d(x - x0)/dt = f0 + A (x - x0) + B (u - u0)
//         y - y0 =      C (x - x0) + D (u - u0)
//
//   const consort::Linearisation lin = consort::System::load("car.yaml").linearise({.at = 2.5});
//   for (const auto& mode : lin.eigenvalues) use(mode.frequency, mode.damping);
//   use(lin.a(0, 1), lin.states[0]);
//   lin.save("car.mat");
#pragma once

#include <complex>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "consort/export.hpp"

namespace consort {

struct LineariseOptions {
  std::optional<double> at = {};         // in seconds; default: the start, after initialisation
  std::string solver = {};               // default: that of the system if it has one, else bdf
  std::optional<double> tolerance = {};  // of the solver; default: the finest that the system names, else 1e-6
  std::vector<std::pair<std::string, std::string>> set = {};  // start values: path, value as text
  bool eigenvectors = false;
};

// Row after row.
struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values = {};
  [[nodiscard]] double operator()(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
  [[nodiscard]] double& operator()(std::size_t row, std::size_t column) { return values[row * columns + column]; }
};

struct Eigenvalue {
  std::complex<double> value;   // in 1/s
  double frequency = 0;         // |value| / 2π in Hz: of the undamped oscillation
  double damped_frequency = 0;  // |imaginary part| / 2π in Hz
  double damping = 0;           // -real part / |value|, from -1 to 1; NaN for the eigenvalue 0
};

struct Linearisation {
  std::string system;
  double time = 0;
  std::string solver;
  double tolerance = 0;

  // Elements of arrays are "unit.x[1]". The names of a single FMU are those of its variables.
  std::vector<std::string> states, inputs, outputs;
  std::vector<std::string> state_units, input_units, output_units;  // of measure; may be empty
  std::vector<double> x0, u0, y0;
  std::vector<double> f0;  // derivatives of the states
  // True if f0 is zero within what the error of the integration explains.
  bool is_equilibrium = false;
  Matrix a, b, c, d;

  std::vector<Eigenvalue> eigenvalues;  // of A, by ascending absolute value; of a pair, the positive one is first
  // On request: by eigenvalue, an element per state. The length is 1, the largest element is real and positive.
  std::vector<std::vector<std::complex<double>>> eigenvectors;

  std::vector<std::string> notes;  // assumptions, and what the linearisation leaves out

  // By the ending: .json, .mat (MATLAB version 4) or .h5. Replaces the file.
  CONSORT_API void save(const std::filesystem::path& file) const;
};

}  // namespace consort
