// The files of a new model project. Placeholders: @NAME@ (the model), @CLASS@ (its struct), @FILE@ (file of the
// struct).
#pragma once

#include <string_view>

namespace consort::cli::model_texts {

inline constexpr std::string_view cmake_lists = R"(cmake_minimum_required(VERSION 3.25)
project(@NAME@ LANGUAGES CXX)

find_package(consort REQUIRED)

# fmus/fmi2/@NAME@.fmu, fmus/fmi3/@NAME@.fmu, fmus/fmi1/cs/@NAME@.fmu and fmus/fmi1/me/@NAME@.fmu
# Add PLATFORMS linux64 win64 for FMUs that also run on Windows (needs the package g++-mingw-w64-x86-64).
consort_add_fmu(@NAME@ CLASS @CLASS@ MODEL @FILE@ VERSIONS 1 2 3 INTERFACES me cs)

enable_testing()
add_subdirectory(tests)
)";

inline constexpr std::string_view tests_cmake_lists =
    R"(# Tests: the FMUs are valid, they run, and all of them give the same result.
set(fmus "${CMAKE_BINARY_DIR}/fmus")
add_test(NAME check COMMAND consort::program check --strict
  "${fmus}/fmi1/cs/@NAME@.fmu" "${fmus}/fmi1/me/@NAME@.fmu" "${fmus}/fmi2/@NAME@.fmu" "${fmus}/fmi3/@NAME@.fmu")

foreach(version fmi1/cs fmi2 fmi3)
  string(REPLACE "/" "_" label ${version})
  add_test(NAME simulate_${label} COMMAND consort::program simulate "${fmus}/${version}/@NAME@.fmu"
    --step-size 0.5 --quiet --output-file ${label}.csv)
  set_tests_properties(simulate_${label} PROPERTIES FIXTURES_SETUP results)
endforeach()
foreach(label fmi1_cs fmi2)
  add_test(NAME compare_${label} COMMAND consort::program compare fmi3.csv ${label}.csv --band 1e-9 --time-band 1e-9)
  set_tests_properties(compare_${label} PROPERTIES FIXTURES_REQUIRED results)
endforeach()
)";

inline constexpr std::string_view model =
    R"(// A tank that is filled from above, drains through its bottom and overflows when it is full.
#pragma once

#include <consort/model.hpp>

struct @CLASS@ {
  // Members hold all values of the model. Their initialisers are the start values.
  double inflow = 0.02;                   // an input
  double level = 0.2, der_level = 0;      // a state, and the member for its derivative
  double area = 0.5, drain = 0.01;        // parameters
  double height = 1;
  double outflow = 0;                     // an output
  double room = 0;                        // an event indicator: event() is called when its sign changes
  bool overflowing = false;               // discrete: changes only at events

  // Declares the variables with unit, description and dependencies.
  static constexpr auto describe() {
    using M = @CLASS@;
    using namespace consort::model;
    return declare({.description = "Tank that drains and runs over", .stop_time = 200, .step = 0.5},
                   input<&M::inflow>("m3/s", "water that flows in").at_least(0),
                   state<&M::level, &M::der_level>("m", "level of the water")
                       .output()
                       .depends_on<&M::inflow, &M::level>(),
                   output<&M::outflow>("m3/s", "water that drains").depends_on<&M::level>(),
                   output<&M::overflowing>("the tank runs over").depends_on_nothing(),
                   parameter<&M::area>("m2", "area of the tank"),
                   parameter<&M::drain>("m2/s", "outflow per level").tunable(),
                   parameter<&M::height>("m", "level at which the tank runs over"),
                   indicator<&M::room>("m", "to the rim, or the surplus while it runs over"));
  }

  // A solver may call these three functions at any time, also for steps that it rejects.
  // Each one must only compute the values after which it is named.
  void derivatives() { der_level = overflowing ? 0 : (inflow - drain * level) / area; }
  void outputs() { outflow = drain * level; }
  void indicators() { room = overflowing ? inflow - drain * level : height - level; }

  // Only an event may change discrete variables.
  void event(consort::model::Event&) {
    overflowing = level >= height && inflow >= drain * level;
  }
};
)";

inline constexpr std::string_view readme = R"(# @NAME@

A model written in C++ (`@FILE@`), exported as FMUs of FMI 1.0, 2.0 and 3.0.

```sh
cmake -S . -B build                 # add -D CMAKE_PREFIX_PATH=PREFIX if Consort is installed below PREFIX
cmake --build build                 # build/fmus/fmi3/@NAME@.fmu and the others
ctest --test-dir build              # checks, runs and compares the FMUs
consort simulate build/fmus/fmi3/@NAME@.fmu --output-file @NAME@.csv
consort plot @NAME@.csv --terminal
```

The struct `@CLASS@` is an example, a tank: replace it with your model. `consort/model.hpp` lists what a model can have.
)";

}  // namespace consort::cli::model_texts
