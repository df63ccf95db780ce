// The parts of the module _consort: each adds its classes and functions. Everything in it is private to the package
// `consort`, which gives users defaults, numpy arrays and documentation.
//
// Conventions: functions that may take long release Python's global lock; values are texts in both directions, which
// are exact for every type; runs return (result, error) so that rows recorded before an error are not lost.
#pragma once

#include <pybind11/pybind11.h>

#include "consort/error.hpp"

namespace consort::python {

// A consort.Error with the text, the fault and the fields; not raised.
[[nodiscard]] pybind11::object python_error(const Error& error);

void add_models(pybind11::module_& m);
void add_results(pybind11::module_& m);
void add_linearisation(pybind11::module_& m);
void add_simulation(pybind11::module_& m);

}  // namespace consort::python
