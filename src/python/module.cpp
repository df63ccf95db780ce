#include "python/module.hpp"

namespace py = pybind11;

namespace consort::python {

// The exceptions are Python classes of the package: C++ only finds the function that makes them.
py::object python_error(const Error& error) {
  const auto text_or_none = [](const std::string& text) -> py::object {
    return text.empty() ? py::object(py::none()) : py::object(py::str(text));
  };
  const py::object make = py::module_::import("consort._error").attr("from_native");
  return make(error.what(), error.fault() == Fault::input ? "input" : "run", text_or_none(error.unit()),
              text_or_none(error.call()), error.time() ? py::object(py::float_(*error.time())) : py::object(py::none()),
              text_or_none(error.setting()));
}

}  // namespace consort::python

PYBIND11_MODULE(_consort, m) {
  m.doc() = "What the package consort is made of; use that.";
  m.attr("__version__") = CONSORT_VERSION;
  consort::report_crashes();
  // pybind11 wants exactly this signature.
  // NOLINTNEXTLINE(performance-unnecessary-value-param)
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const consort::Error& error) {
      const py::object value = consort::python::python_error(error);
      PyErr_SetObject(py::type::of(value).ptr(), value.ptr());
    }
  });
  consort::python::add_models(m);
  consort::python::add_results(m);
  consort::python::add_simulation(m);
  consort::python::add_linearisation(m);
}
