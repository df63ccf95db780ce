// Runs our FMUs in another importer, fmusim of the Reference FMUs. It checks descriptions with the standard's schemas
// and its own rules; it must report nothing and give the same numbers as Consort.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "base/tests/places.hpp"
#include "base/text.hpp"
#include "os/temp_folder.hpp"
#include "record/formats.hpp"
#include "tests/models/helpers.hpp"

namespace consort::models_test {
namespace {

namespace fs = std::filesystem;

struct Case {
  const char* folder;     // below the folder of FMUs
  const char* interface;  // me or cs
};

// The result of fmusim. An array is one column, with blanks between its elements.
struct Foreign {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;
};

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> found(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      found.emplace_back();
    } else if (c != '\r') {
      found.back() += c;
    }
  }
  return found;
}

Foreign read_foreign(const fs::path& file) {
  std::ifstream in(file);
  Foreign foreign;
  std::string line;
  if (std::getline(in, line)) foreign.names = cells(line);
  while (std::getline(in, line)) {
    foreign.rows.push_back(cells(line));
    EXPECT_EQ(foreign.rows.back().size(), foreign.names.size()) << line;
  }
  return foreign;
}

// Our trajectories for a column of fmusim: the variable, or the elements of the array.
std::vector<const record::Result::Trajectory*> find(const record::Result& ours, const std::string& name) {
  if (const auto* scalar = ours.find(name)) return {scalar};
  std::vector<const record::Result::Trajectory*> elements;
  for (const auto& trajectory : ours.trajectories) {
    if (trajectory.signal.name.starts_with(name + "[")) elements.push_back(&trajectory);
  }
  return elements;
}

class Comparison {
 public:
  // Points within `margin` of an event are skipped, because the values before and after it differ.
  Comparison(const record::Result& ours, const Foreign& theirs, double relative) : ours_(ours), relative_(relative) {
    std::vector<double> times;
    for (const auto& row : theirs.rows) times.push_back(std::strtod(row[0].c_str(), nullptr));
    const double margin = 1e-6 * std::max(1e-3, times.back());
    std::size_t at = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      while (at < ours.rows() && ours.time[at] < times[i] - margin) ++at;
      const bool same = at < ours.rows() && std::abs(ours.time[at] - times[i]) <= margin;
      const bool is_event = (i > 0 && times[i] - times[i - 1] <= margin) ||
                            (i + 1 < times.size() && times[i + 1] - times[i] <= margin) ||
                            (at + 1 < ours.rows() && ours.time[at + 1] - times[i] <= margin);
      if (same && !is_event) points_.push_back({i, at});
    }
    EXPECT_GT(points_.size(), theirs.rows.size() / 2) << "too few times are in both results";
    for (std::size_t j = 1; j < theirs.names.size(); ++j) compare(theirs, j);
  }

 private:
  struct Point {
    std::size_t theirs, ours;
  };

  void compare(const Foreign& theirs, std::size_t column) {
    const std::string& name = theirs.names[column];
    const auto mine = find(ours_, name);
    ASSERT_FALSE(mine.empty()) << name << " is not in our result";
    // The remaining violation of a constraint is just the error of the solver.
    if (mine.front()->is_text() || (name == "violation" && relative_ > 1e-6)) return;
    for (std::size_t k = 0; k < mine.size(); ++k) {
      const auto [low, high] = std::minmax_element(mine[k]->numbers.begin(), mine[k]->numbers.end());
      const double tolerance = relative_ * (*high - *low) + 1e-9;
      for (const Point& point : points_) {
        const std::string& cell = theirs.rows[point.theirs][column];
        const auto values = split_white(cell);
        ASSERT_EQ(values.size(), mine.size()) << name;
        ASSERT_NEAR(std::strtod(std::string(values[k]).c_str(), nullptr), mine[k]->numbers[point.ours], tolerance)
            << mine[k]->signal.name << " at t = " << theirs.rows[point.theirs][0];
      }
    }
  }

  const record::Result& ours_;
  double relative_;
  std::vector<Point> points_;
};

double stop_time_of(const std::string& model, const describe::Description& d) {
  // Stair requests the end at 10 s, which fmusim treats as a failure in FMI 1.0.
  return model == "Stair" ? 9.5 : d.default_experiment.stop_time.value_or(1);
}

void run_both(const char* fmusim, const fs::path& fmu, const char* interface) {
  SCOPED_TRACE(fmu.string() + ", " + interface);
  const os::TempFolder folder("fmusim");
  const double stop = stop_time_of(fmu.stem().string(), fmi::Fmu::open(fmu).description());
  const std::string options = fmt::format(" --interface-type {} --tolerance 1e-8 --stop-time {} --output-interval {}",
                                          interface, stop, stop / 500);
  const std::string theirs = (folder.path() / "theirs.csv").string();
  const std::string ours = (folder.path() / "ours.csv").string();
  const bool steps = std::string(interface) == "cs";
  const Output they = run(std::string(fmusim) + options + (steps ? "" : " --solver cvode") + " --output-file '" +
                          theirs + "' '" + fmu.string() + "'");
  ASSERT_EQ(they.status, 0) << they.text;
  EXPECT_EQ(they.text, "") << "fmusim reported a problem";
  const Output we = run(fmt::format("{} simulate '{}'{}{} --quiet --output-file '{}'", places::program(), fmu.string(),
                                    options, steps ? fmt::format(" --step-size {}", stop / 500) : "", ours));
  ASSERT_EQ(we.status, 0) << we.text;
  // Co-Simulation: the steps are equal, so only the last digits may differ. Model Exchange: both importers use CVODE
  // with a tolerance of 1e-8, and a few bounces multiply the error by a hundred.
  const Foreign foreign = read_foreign(theirs);
  ASSERT_FALSE(foreign.rows.empty());
  const record::Result result = record::read_result(ours);
  const Comparison comparison(result, foreign, steps ? 1e-9 : 1e-4);
}

class OtherImporter : public testing::TestWithParam<Case> {};

TEST_P(OtherImporter, RunsEveryModelAndAgreesWithUs) {
  const char* const fmusim = std::getenv("CONSORT_FMUSIM");
  if (fmusim == nullptr) GTEST_SKIP() << "set CONSORT_FMUSIM to the program fmusim of the Reference FMUs";
  int run = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(places::fmus()) / GetParam().folder)) {
    const std::string name = entry.path().stem().string();
    if (name == "BadStart") continue;  // crashes when it is instantiated
    // fmusim restarts CVODE only if an event changes states; here, an event changes only derivatives.
    if (name == "Thermostat" && std::string(GetParam().interface) == "me") continue;
    const auto type = std::string(GetParam().interface) == "me" ? describe::InterfaceType::model_exchange
                                                                : describe::InterfaceType::co_simulation;
    if (fmi::Fmu::open(entry.path()).description().interface(type) == nullptr) continue;
    run_both(fmusim, entry.path(), GetParam().interface);
    ++run;
  }
  EXPECT_GE(run, 30);
}

INSTANTIATE_TEST_SUITE_P(Fmusim, OtherImporter,
                         testing::Values(Case{"fmi1/me", "me"}, Case{"fmi1/cs", "cs"}, Case{"fmi2", "me"},
                                         Case{"fmi2", "cs"}, Case{"fmi3", "me"}, Case{"fmi3", "cs"}),
                         [](const auto& which) {
                           return std::string(which.param.folder).substr(0, 4) + "_" + which.param.interface;
                         });

}  // namespace
}  // namespace consort::models_test
