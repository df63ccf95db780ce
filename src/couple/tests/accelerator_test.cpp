// Methods for x = G(x), tested alone on linear problems with known solutions and known numbers of iterations.
#include "couple/accelerator.hpp"

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace consort::couple {
namespace {

using ::testing::HasSubstr;
using Vector = std::vector<double>;

// G(x) = M x + b (M row by row), with counters for tests.
struct Linear {
  Vector m, b;

  void operator()(const Vector& x, Vector& image) const {
    for (std::size_t i = 0; i < b.size(); ++i) {
      image[i] = b[i];
      for (std::size_t j = 0; j < b.size(); ++j) image[i] += m[i * b.size() + j] * x[j];
    }
  }
};

struct Run {
  bool converged = false;
  int evaluations = 0;
  Vector x;
  std::vector<Vector> guesses;
};

// The accelerator has the run's memory for itself.
class OwnMemory {
 public:
  OwnMemory(const Accelerator& accelerator, std::size_t n) : slots_(memory_, "own", n, accelerator.room(n)) {}
  [[nodiscard]] AccelerationMemory view() { return slots_.in(memory_); }

 private:
  Memory memory_;
  AccelerationSlots slots_;
};

template <class G>
Run solve(Accelerator& accelerator, AccelerationMemory& memory, const G& g, Vector x, const Vector& scale,
          double tolerance = 1e-12, int most = 200) {
  Run run;
  Vector image(x.size());
  accelerator.begin(memory, 1);
  for (run.evaluations = 1; run.evaluations <= most; ++run.evaluations) {
    run.guesses.push_back(x);
    g(x, image);
    const Iterate iterate{x, image, scale};
    accelerator.observe(memory, iterate);
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(image[i] - x[i]) / scale[i]);
    run.converged = largest <= tolerance;
    if (run.converged || !std::isfinite(largest)) break;
    accelerator.next(memory, iterate, x);
  }
  run.x = x;
  return run;
}

template <class G>
Run solve(const char* method, const G& g, const Vector& x, const Vector& scale, AccelerationOptions options = {}) {
  const auto accelerator = find_accelerator(method).make(options);
  OwnMemory own(*accelerator, x.size());
  auto memory = own.view();
  return solve(*accelerator, memory, g, x, scale);
}

AccelerationOptions with_jacobian(const Linear& g) {
  AccelerationOptions o;
  o.jacobian = [m = g.m, n = g.b.size()](std::span<double> j) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k) j[k * n + i] = m[i * n + k];
  };
  return o;
}

class Accelerators : public ::testing::TestWithParam<std::string_view> {};
std::vector<std::string_view> names() {
  std::vector<std::string_view> all;
  for (const auto& row : accelerators()) all.push_back(row.name);
  return all;
}
INSTANTIATE_TEST_SUITE_P(All, Accelerators, ::testing::ValuesIn(names()), [](const auto& method) {
  std::string name(method.param);
  for (auto& c : name) c = c == '-' ? '_' : c;
  return name;
});

TEST_P(Accelerators, FindTheFixedPointOfAContraction) {
  // Eigenvalues 0.5 and -0.3; solution (1, 2).
  const Linear g{{0.1, 0.4, 0.4, 0.1}, {0.1, 1.4}};
  const auto run = solve(GetParam().data(), g, {0, 0}, {1, 1}, with_jacobian(g));
  EXPECT_TRUE(run.converged);
  EXPECT_NEAR(run.x[0], 1, 1e-11);
  EXPECT_NEAR(run.x[1], 2, 1e-11);
}

TEST_P(Accelerators, RememberNothingBesideTheirMemory) {
  const Linear g{{0.1, 0.4, 0.4, 0.1}, {0.1, 1.4}};
  const auto accelerator = find_accelerator(GetParam()).make(with_jacobian(g));
  OwnMemory own(*accelerator, 2);
  auto memory = own.view();
  // Copying the memory is enough to repeat an iteration exactly: the accelerator has no hidden state.
  solve(*accelerator, memory, g, {3, -1}, {1, 1});
  OwnMemory other = own;
  auto copy = other.view();
  const auto first = solve(*accelerator, memory, g, {0, 0}, {1, 1});
  solve(*accelerator, memory, g, {7, 7}, {1, 1});
  const auto second = solve(*accelerator, copy, g, {0, 0}, {1, 1});
  EXPECT_EQ(first.guesses, second.guesses);
}

TEST_P(Accelerators, LeaveAFixedPointAlone) {
  const Linear g{{0.1, 0.4, 0.4, 0.1}, {0.1, 1.4}};
  const auto run = solve(GetParam().data(), g, {1, 2}, {1, 1}, with_jacobian(g));
  EXPECT_TRUE(run.converged);
  EXPECT_EQ(run.evaluations, 1);
}

// In one dimension two points determine a line: from the third guess on, all methods are the secant method.
TEST(QuasiNewton, FormsAgreeOnAScalar) {
  const auto g = [](const Vector& x, Vector& image) { image[0] = std::cos(3 * x[0]) - 0.5 * x[0]; };
  const auto reference = solve("aitken", g, {0.4}, {1}, {.relaxation = 0.3});
  ASSERT_TRUE(reference.converged);
  EXPECT_NEAR(reference.x[0], std::cos(3 * reference.x[0]) - 0.5 * reference.x[0], 1e-12);
  for (const char* method : {"anderson", "iqn-ils", "broyden"}) {
    // Anderson's mixing uses more than two points unless the depth is limited.
    const auto run = solve(method, g, {0.4}, {1}, {.relaxation = 0.3, .depth = 1});
    ASSERT_EQ(run.guesses.size(), reference.guesses.size()) << method;
    for (std::size_t k = 0; k + 1 < run.guesses.size(); ++k)
      EXPECT_NEAR(run.guesses[k][0], reference.guesses[k][0], 1e-9) << method << ", guess " << k;
  }
}

TEST(QuasiNewton, FormsConvergeWhereTheFixedPointDiverges) {
  // Eigenvalues ±3i: every step of the fixed-point iteration triples the distance.
  const Linear g{{0, 3, -3, 0}, {1, 2}};
  EXPECT_FALSE(solve("fixed-point", g, {0, 0}, {1, 1}).converged);
  for (const char* method : {"anderson", "iqn-ils", "broyden", "newton"}) {
    const auto run = solve(method, g, {0, 0}, {1, 1}, with_jacobian(g));
    EXPECT_TRUE(run.converged) << method;
    EXPECT_NEAR(run.x[0], 0.7, 1e-10) << method;
    EXPECT_NEAR(run.x[1], -0.1, 1e-10) << method;
  }
}

// Least squares over all differences of a linear problem with n unknowns end after n + 1 evaluations, as GMRES does;
// one more evaluation confirms the solution, and one is allowed for rounding.
TEST(LeastSquares, EndAfterAsManyEvaluationsAsThereAreUnknowns) {
  constexpr std::size_t n = 6;
  Linear g{Vector(n * n), Vector(n, 1.0)};
  for (std::size_t i = 0; i < n * n; ++i) g.m[i] = 2 * std::sin(static_cast<double>(i * i));
  const auto run = solve("iqn-ils", g, Vector(n, 0.0), Vector(n, 1.0), {.filter = 1e-12});
  EXPECT_TRUE(run.converged);
  EXPECT_LE(run.evaluations, static_cast<int>(n) + 3);
}

TEST(LeastSquares, DoNotDependOnTheUnitsOfMeasure) {
  const Linear g{{0.1, 4e-7, 4e5, 0.3}, {0.1, 1.4e6}};  // the second unknown in N instead of MN
  const Linear scaled{{0.1, 0.4, 0.4, 0.3}, {0.1, 1.4}};
  for (const char* method : {"aitken", "anderson", "iqn-ils", "broyden"}) {
    const auto run = solve(method, g, {0, 0}, {1, 1e6});
    const auto same = solve(method, scaled, {0, 0}, {1, 1});
    EXPECT_EQ(run.evaluations, same.evaluations) << method;
    EXPECT_NEAR(run.x[0], same.x[0], 1e-10) << method;
  }
}

TEST(LeastSquares, LeaveOutColumnsThatSayNothingNew) {
  // G does not depend on the second unknown: all differences lie on one line, and the rest is rounding.
  const auto g = [](const Vector& x, Vector& image) {
    image[0] = -4 * x[0] + 5;
    image[1] = image[0] * 1e-3;
  };
  const auto run = solve("iqn-ils", g, {0, 0}, {1, 1});
  EXPECT_TRUE(run.converged);
  EXPECT_LE(run.evaluations, 6);
  EXPECT_NEAR(run.x[0], 1, 1e-11);
}

TEST(LeastSquares, LearnFromPastStepsWhenTold) {
  constexpr std::size_t n = 4;
  Linear g{Vector(n * n), Vector(n, 1.0)};
  for (std::size_t i = 0; i < n * n; ++i) g.m[i] = std::sin(static_cast<double>(3 * i));
  const auto evaluations = [&](std::uint32_t reuse) {
    const auto accelerator = find_accelerator("iqn-ils").make({.reuse = reuse});
    OwnMemory own(*accelerator, n);
    auto memory = own.view();
    solve(*accelerator, memory, g, Vector(n, 0.0), Vector(n, 1.0));
    Linear next = g;
    next.b.assign(n, 1.1);
    return solve(*accelerator, memory, next, Vector(n, 0.0), Vector(n, 1.0), 1e-9).evaluations;
  };
  EXPECT_EQ(evaluations(1), 2);  // the same matrix: the second guess is exact
  EXPECT_GT(evaluations(0), 4);
}

TEST(Newton, NeedsOneJacobianForALinearProblemAndKeepsIt) {
  const Linear g{{0, 3, -3, 0}, {1, 2}};
  int jacobians = 0;
  auto options = with_jacobian(g);
  options.jacobian = [&jacobians, given = options.jacobian](std::span<double> j) {
    ++jacobians;
    given(j);
  };
  const auto accelerator = find_accelerator("newton").make(options);
  OwnMemory own(*accelerator, 2);
  auto memory = own.view();
  EXPECT_EQ(solve(*accelerator, memory, g, {0, 0}, {1, 1}).evaluations, 2);
  EXPECT_EQ(solve(*accelerator, memory, g, {5, 5}, {1, 1}).evaluations, 2);
  EXPECT_EQ(jacobians, 1);
}

TEST(Newton, GoesOnWithASingularMatrix) {
  const Linear g{{1, 0, 0, 0.5}, {0, 1}};  // x0 = x0: any value is a solution
  const auto run = solve("newton", g, {3, 0}, {1, 1}, with_jacobian(g));
  EXPECT_TRUE(run.converged);
  EXPECT_NEAR(run.x[0], 3, 1e-12);
  EXPECT_NEAR(run.x[1], 2, 1e-11);
}

TEST(Accelerator, NamesThoseThatThereAre) {
  try {
    static_cast<void>(find_accelerator("atken"));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.fault(), Fault::input);
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'aitken'"));
    EXPECT_THAT(e.what(), HasSubstr("iqn-ils"));
  }
}

}  // namespace
}  // namespace consort::couple
