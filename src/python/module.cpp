#include "python/module.hpp"

#include "consort/error.hpp"

namespace py = pybind11;

PYBIND11_MODULE(_consort, m) {
  m.doc() = "What the package consort is made of; use that.";
  m.attr("__version__") = CONSORT_VERSION;
  consort::report_crashes();
  // The exception is a Python class of the package: C++ only finds it.
  // pybind11 wants exactly this signature.
  // NOLINTNEXTLINE(performance-unnecessary-value-param)
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const consort::Error& error) {
      const py::object type = py::module_::import("consort._error").attr("Error");
      const py::object value = type(error.what(), error.fault() == consort::Fault::input ? "input" : "run");
      PyErr_SetObject(type.ptr(), value.ptr());
    }
  });
  consort::python::add_results(m);
  consort::python::add_simulation(m);
}
