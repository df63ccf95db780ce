// Helpers for the examples: rows written as a CSV file and a plot, and figures that are printed and checked.
#pragma once

#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "draw/plot.hpp"
#include "record/csv/csv_sink.hpp"
#include "record/result.hpp"

namespace consort::example {

struct Column {
  std::string name{};
  std::string unit{};
  bool discrete = false;  // constant between rows
};

// Numbers over time, written as NAME.csv and NAME.svg.
class Table {
 public:
  explicit Table(const std::vector<Column>& columns) : memory_(result_) {
    record::Header header;
    for (const auto& column : columns) {
      auto& signal = header.signals.emplace_back();
      signal.name = column.name;
      signal.unit = column.unit;
      signal.discrete = column.discrete;
    }
    memory_.begin(header);
  }

  void add(Time t, std::span<const double> values) {
    row_.column<double>().assign(values.begin(), values.end());
    memory_.write(t, row_);
  }

  // `across`: name of the horizontal axis if it is not time.
  void write(const std::filesystem::path& folder, const std::string& name, const std::string& title,
             const std::string& across = {}) {
    std::filesystem::create_directories(folder);
    record::CsvSink csv(folder / (name + ".csv"));
    record::Header header;
    for (const auto& trajectory : result_.trajectories) header.signals.push_back(trajectory.signal);
    csv.begin(header);
    for (std::size_t i = 0; i < result_.rows(); ++i) {
      auto& numbers = row_.column<double>();
      numbers.clear();
      for (const auto& trajectory : result_.trajectories) numbers.push_back(trajectory.numbers[i]);
      csv.write(result_.time[i], row_);
    }
    csv.end();
    std::ofstream(folder / (name + ".svg")) << draw::plot_svg(result_, {}, {.title = title, .across = across});
    fmt::print("wrote {0}/{1}.csv and {0}/{1}.svg\n", folder.string(), name);
  }

 private:
  record::Result result_;
  record::MemorySink memory_;
  Columns row_;
};

// Prints each figure with its expected value; exit_status() is 1 if a figure was wrong.
class Figures {
 public:
  void check(bool good, const std::string& text) {
    fmt::print("{} {}\n", good ? "ok  " : "OFF ", text);
    all_good_ = all_good_ && good;
  }
  void near(const std::string& what, double value, double expected, double tolerance) {
    check(std::abs(value - expected) <= tolerance,
          fmt::format("{} = {:.6g}, expected {:.6g} within {:.2g}", what, value, expected, tolerance));
  }
  [[nodiscard]] int exit_status() const { return all_good_ ? 0 : 1; }

 private:
  bool all_good_ = true;
};

// main() of an example: calls `run(folder)` with the folder for its files (the argument, or the working directory).
template <class Run>
int run_example(int argc, char** argv, Run&& run) {
  try {
    return run(std::filesystem::path(argc > 1 ? argv[1] : "."));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}

}  // namespace consort::example
